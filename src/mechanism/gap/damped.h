// Numbers g·e^(−λ·m) with whole g and m, compared exactly: what a smooth bound is the largest of.
//
//   const Damping damping(Rational(1, 10));      // λ
//   const Damped near{40, 0}, far{90, 8};        // 40, and 90·e^-0.8 = 40.4
//   bool farther_counts = damping.less(near, far);
//   Ball value = damping.value(far, 128);
//
// What is proved. Doubles decide where they surely do: the logarithm here has a proved error, no
// libm's. Where they don't, enclosures of growing precision do, and they come to an end: g/g' =
// e^(λ(m−m')) with λ > 0 rational and m ≠ m' has no whole solutions (Lindemann: e to an algebraic
// power other than 0 is transcendental). So the largest of a list is found exactly, and no outcome
// depends on floating point.
#pragma once

#include <cstdint>
#include <functional>

#include "discreet/base/ball.h"

namespace discreet::mechanism::gap {

struct Damped {
  std::int64_t gap = 0;    // g ≥ 0
  std::int64_t steps = 0;  // m ≥ 0

  friend bool operator==(const Damped&, const Damped&) = default;
};

class Damping {
 public:
  explicit Damping(const Rational& rate);  // λ > 0

  bool less(const Damped& a, const Damped& b) const;
  const Damped& larger(const Damped& a, const Damped& b) const { return less(a, b) ? b : a; }
  // g·e^(−λ·m).
  Ball value(const Damped& x, long bits) const;
  // The least number of steps from which on g·e^(−λ·m) is below x > 0.
  std::int64_t steps_below(std::int64_t gap, const Damped& x) const;

 private:
  Rational rate_;
  double near_rate_;
};

// ln(a/b) for a, b ≥ 1, with a relative error below 2^-45.
double log_ratio(std::int64_t a, std::int64_t b);

}  // namespace discreet::mechanism::gap
