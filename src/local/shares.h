// The two sums that every likelihood ends in, at the speed of memory.
#pragma once

#include <span>

namespace discreet::local {

struct Shares {
  double log_likelihood = 0;  // Σ w·ln m
  double sum = 0;             // Σ w/m
};

// Puts w/m in the place of each m: how often a report was seen, over how likely it is. Every m is a
// positive number from 1e-300 to 1e300, or its weight is 0. Logarithms are of our own, so that
// loops over them are vectorised: they and the shares are within 4 units of the last place
// (shares_test.cc), with AVX2 and without the same.
Shares to_shares(std::span<const double> weights, std::span<double> marginals);

}  // namespace discreet::local
