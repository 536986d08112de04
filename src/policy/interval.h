// Bounds of a number, from the policy's ranges through the query's arithmetic.
//
//   const Interval price{0, 100}, quantity{1, 20};
//   Interval paid = price * quantity;  // 0 to 2000
//
// An Interval only chooses where values are clamped, so a loose one costs accuracy, never privacy.
#pragma once

#include <algorithm>

#include "discreet/base/number.h"

namespace discreet::policy {

struct Interval {
  Rational low, high;
  friend bool operator==(const Interval&, const Interval&) = default;
};

inline Interval operator+(const Interval& a, const Interval& b) {
  return {a.low + b.low, a.high + b.high};
}
inline Interval operator-(const Interval& a, const Interval& b) {
  return {a.low - b.high, a.high - b.low};
}
inline Interval operator-(const Interval& a) { return {-a.high, -a.low}; }
inline Interval operator*(const Interval& a, const Interval& b) {
  const Rational p[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}
inline bool contains_zero(const Interval& a) { return a.low <= 0 && a.high >= 0; }
// b must not contain 0.
inline Interval operator/(const Interval& a, const Interval& b) {
  return a * Interval{1 / b.high, 1 / b.low};
}
inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

}  // namespace discreet::policy
