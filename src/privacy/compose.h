// The composition theorems that work on (ε, δ) alone.
//
//   const Equals thirty[] = {{1, Rational(1, 1000), 30}};  // 30 times (1, 0.001)
//   double epsilon = *optimal_epsilon(thirty, 0.05);       // the least ε at δ = 0.05
#pragma once

#include <span>

#include "discreet/base/number.h"

namespace discreet::privacy {

// Some events that each are (ε, δ)-DP.
struct Equals {
  Rational epsilon, delta;
  Integer count;
};

// What a single (ε₀, δ₀) guarantee says about another ε: δ₀ + (1−δ₀)(e^{ε₀}−e^ε)₊/(1+e^{ε₀}).
double implied_delta(const Rational& epsilon0, const Rational& delta0, double epsilon);
double implied_epsilon(const Rational& epsilon0, const Rational& delta0, double delta);

// Advanced composition (Dwork, Rothblum and Vadhan 2010): ε = √(2 ln(1/δ')·Σε²) + Σε(e^ε−1) at δ' +
// Σδ.
double advanced_epsilon(std::span<const Equals> events, double delta);
double advanced_delta(std::span<const Equals> events, double epsilon);

// Optimal homogeneous composition (Kairouz, Oh and Viswanath 2015, Theorem 3.3), at every ε: k
// times randomized response is the worst case, δ(ε) = 1 − Π(1−δ_i)·(1 − Σ_j
// C(k,j)·e^{(k−j)ε₀}/(1+e^{ε₀})^k·(1−e^{ε−(k−2j)ε₀})₊). All events must have the same ε₀; at most
// 10^7.
Result<double> optimal_epsilon(std::span<const Equals> events, double delta);
Result<double> optimal_delta(std::span<const Equals> events, double epsilon);

}  // namespace discreet::privacy
