// How far a part of the people is from all of them.
//
// Of n people, n_j were drawn without looking at what they hold. The share of v among the n_j has
// the mean f (the share among all n) and the variance
//
//     f(1−f)/n_j · (1 − n_j/n) · n/(n−1)
//
// (sampling without replacement; Cochran 1977, theorem 3.2). A protocol's noise comes on top, with
// a variance of its own: given who was drawn it has mean 0, so the two add up. The frequency is an
// estimate, and a few who agree by chance don't make it 0 or 1: four more people count, two with
// the value and two without (Agresti and Coull 1998, for bars of two standard errors).
#pragma once

#include <algorithm>
#include <cstdint>

namespace discreet::local {

// 0 where everybody was drawn. A frequency that noise carried beyond 0 or 1 counts as that.
inline double sample_variance(double frequency, std::uint64_t drawn, std::uint64_t all) {
  if (drawn == 0 || drawn >= all) return 0;
  const auto part = static_cast<double>(drawn), whole = static_cast<double>(all);
  const double f = (part * std::clamp(frequency, 0.0, 1.0) + 2) / (part + 4);
  return f * (1 - f) / part * (whole - part) / (whole - 1);
}

}  // namespace discreet::local
