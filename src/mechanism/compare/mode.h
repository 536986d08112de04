// Which value do g units agree on? The chance of the right answer by three mechanisms that choose
// among all d values, and by the stable mode, which says the answer or nothing and doesn't ask for
// d.
//
//   auto picture = *compare_mode({.epsilon = 1, .delta = Rational(1, 1000000), .domains = {10}});
//   double stable = picture.lines[0].y[0];  // one unit: at most δ
//
// The data: g units have one value of d, no one has any other. Counts are monotone under
// add-remove, so weights grow as e^(ε·count).
#pragma once

#include <vector>

#include "discreet/base/ball.h"
#include "discreet/mechanism/compare/comparison.h"

namespace discreet::mechanism::compare {

struct ModeCase {
  Rational epsilon, delta;
  std::vector<std::int64_t> domains = {10, 1'000'000'000'000};
};
Result<Comparison> compare_mode(const ModeCase& given);

// 1/(1 + (d−1)·e^(−εg)).
Ball exponential_mode(const Rational& epsilon, std::int64_t agree, std::int64_t domain, long bits);
// (1 − (1−p)^d)/(d·p), p = e^(−εg): permute-and-flip's integral with d−1 equal coins.
Ball permute_and_flip_mode(const Rational& epsilon, std::int64_t agree, std::int64_t domain,
                           long bits);
// Σ_z P[Z = z]·P[Z ≤ z + g]^(d−1), Z discrete Laplace of scale 1/ε; the right one is first in ties.
Result<Ball> noisy_max_mode(const Rational& epsilon, std::int64_t agree, std::int64_t domain,
                            long bits);

}  // namespace discreet::mechanism::compare
