// Do these samples follow that distribution? Pearson's test, exact tail.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace discreet::random::testing {

// P[χ² with `degrees` degrees of freedom ≥ statistic].
double chi_square_tail(double statistic, double degrees);

// The p-value of `counts` under `probabilities` (same length; their sum may miss 1 by rounding
// only). Bins with an expectation below 10 are merged with their neighbours.
double goodness_of_fit(std::span<const double> counts, std::span<const double> probabilities);

// Bins the samples between quantiles of `cdf` (cdf(z) = P[Z ≤ z], z an integer) and tests the bins'
// counts.
double fits_cdf(std::span<const std::int64_t> samples, const std::function<double(double)>& cdf,
                int bins = 60);

// What counts as "does not follow": less likely than one in a million.
inline constexpr double kFalseAlarm = 1e-6;

}  // namespace discreet::random::testing
