// From numbers that may be negative to a distribution.
#pragma once

#include <span>
#include <vector>

namespace discreet::local {

// Negatives to 0, then divided by the sum; uniform where nothing is left.
std::vector<double> clipped(std::span<const double> numbers);

// The distribution nearest in Euclid's distance: max(x − t, 0) with the t for which it sums to 1
// (Held, Wolfe and Crowder 1974; O(d log d)).
std::vector<double> nearest_distribution(std::span<const double> numbers);

}  // namespace discreet::local
