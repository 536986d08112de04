// Discrete Laplace probabilities by look-up, for sums over very many of them.
#pragma once

#include <vector>

#include "discreet/base/ball.h"

namespace discreet::mechanism {

class LaplaceTable {
 public:
  // Powers of α = e^(-1/scale) up to `reach`; further out each is computed when asked for.
  LaplaceTable(const Rational& scale, std::size_t reach, long bits);
  Ball mass(const Integer& z) const;      // P[Z = z]
  Ball at_least(const Integer& m) const;  // P[Z ≥ m]
  Ball at_most(const Integer& m) const { return at_least(-m); }

 private:
  Ball power(const Integer& n) const;  // α^n, n ≥ 0

  Rational scale_;
  long bits_;
  std::vector<Ball> powers_;
  Ball mass_at_zero_, tail_;  // (1−α)/(1+α), 1/(1+α)
};

// How far out (in steps) discrete Laplace noise of this scale is less likely than 2^-64 to fall, on
// both sides together.
std::int64_t negligible_beyond(const Rational& scale);

}  // namespace discreet::mechanism
