#include "discreet/mechanism/gap/damped.h"

#include <cmath>
#include <limits>

namespace discreet::mechanism::gap {
namespace {

constexpr long kFirstBits = 128;
// A difference counts as decided above this part of what is compared: far above the errors below,
// which are for rounding to nearest, and above what another rounding mode makes of them.
constexpr double kTolerance = 0x1p-42;

// 2·atanh(s) = ln((1 + s)/(1 − s)) for |s| ≤ 0.172, relative error below 2^-49: the series is cut
// off at s^21, which leaves 0.172^22/23 < 2^-60 of it; Horner's rule rounds twice a step, and each
// step multiplies what went before by s² < 0.03.
double twice_atanh(double s) {
  const double square = s * s;
  double sum = 1.0 / 21;
  for (int odd = 19; odd >= 1; odd -= 2) sum = sum * square + 1.0 / odd;
  return 2 * s * sum;
}

}  // namespace

// With s = (a − b)/(a + b) it is 2·atanh(s). The difference of whole numbers is exact and rounded
// once, the sum is off by 2^-52: s by 2^-51. Where |s| > 0.17, ln(2^e·m) = e·ln 2 + ln m with m
// between √½ and √2; a/b is off by 2^-51, so the sum by 2^-50 + |e|·2^-52, and the result is at
// least 0.34·max(1, |e|)  in size (|e·ln 2 + ln m| ≥ |e|/2·ln 2 for e ≠ 0).
double log_ratio(std::int64_t a, std::int64_t b) {
  const double s = static_cast<double>(a - b) / (static_cast<double>(a) + static_cast<double>(b));
  if (std::fabs(s) <= 0.17) return twice_atanh(s);
  int exponent = 0;
  double m = std::frexp(static_cast<double>(a) / static_cast<double>(b), &exponent);
  if (m < 0x1.6a09e667f3bcdp-1) m *= 2, --exponent;
  constexpr double kLn2 = 0x1.62e42fefa39efp-1;
  return exponent * kLn2 + twice_atanh((m - 1) / (m + 1));
}

Damping::Damping(const Rational& rate) : rate_(rate), near_rate_(to_double(rate)) {}

// g·e^(−λm) < g'·e^(−λm')  ⇔  ln(g'/g) > λ(m' − m).
bool Damping::less(const Damped& a, const Damped& b) const {
  if (a.gap == 0 || b.gap == 0) return a.gap < b.gap;
  if (a.gap <= b.gap && a.steps >= b.steps) return !(a == b);
  if (a.gap >= b.gap && a.steps <= b.steps) return false;
  const double gain = log_ratio(b.gap, a.gap),
               loss = near_rate_ * static_cast<double>(b.steps - a.steps);
  // A rate so small, or large, that its double has no 53 digits is left to enclosures.
  if (near_rate_ > 1e-290 && near_rate_ < 1e290 &&
      std::fabs(gain - loss) > kTolerance * (std::fabs(gain) + std::fabs(loss)))
    return gain > loss;
  Rational ratio(Integer(static_cast<long>(b.gap)), Integer(static_cast<long>(a.gap)));
  ratio.canonicalize();
  const Rational exponent = rate_ * Integer(static_cast<long>(b.steps - a.steps));
  for (long bits = kFirstBits;; bits *= 2) {
    const Ball left = log(Ball(ratio, bits), bits), right(exponent, bits);
    if (surely_less(right, left)) return true;
    if (surely_less(left, right)) return false;
  }
}

Ball Damping::value(const Damped& x, long bits) const {
  // e^(−λm) = e·e^−(λm+1): of 0 the exponential would be quicker, and m is private.
  const Ball exponent(rate_ * Integer(static_cast<long>(x.steps)) + 1, bits);
  const Ball damping = mul(exp(-exponent, bits), exp(Ball(1), bits), bits);
  return mul(damping, Ball(static_cast<long>(x.gap)), bits);
}

std::int64_t Damping::steps_below(std::int64_t gap, const Damped& x) const {
  std::int64_t low = 0, high = std::numeric_limits<std::int64_t>::max() / 4;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (less({gap, middle}, x)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

}  // namespace discreet::mechanism::gap
