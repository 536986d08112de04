#include "discreet/mechanism/grid.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/random/saturate.h"

namespace discreet::mechanism {
namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr long kFiner = 10;  // the default grid is 2^10 times as fine as what it must resolve

Integer integer(std::uint64_t value) { return Integer(static_cast<unsigned long>(value)); }

// The exponent of 2 if value is a power of two.
bool power_of_two(const Integer& value, int& exponent) {
  if (sgn(value) <= 0 || mpz_popcount(value.get_mpz_t()) != 1) return false;
  exponent = static_cast<int>(mpz_scan1(value.get_mpz_t(), 0));
  return true;
}

Rational power(long exponent) {
  const Integer shifted = Integer(1) << static_cast<unsigned long>(std::abs(exponent));
  return exponent >= 0 ? Rational(shifted) : Rational(1, shifted);
}

// The exponent of the largest power of two that is at most `value` > 0.
long largest_power_within(const Rational& value) {
  // by the numbers of bits it is this or one less
  long exponent = static_cast<long>(mpz_sizeinbase(value.get_num_mpz_t(), 2)) -
                  static_cast<long>(mpz_sizeinbase(value.get_den_mpz_t(), 2));
  while (power(exponent) > value) --exponent;
  return exponent;
}

}  // namespace

Integer floor_of(const Rational& value) {
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

Integer ceiling(const Rational& value) {
  Integer out;
  mpz_cdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

Rational sqrt_above(const Rational& value, unsigned long bits) {
  // √(n) for n = ⌈value·4^bits⌉, rounded up
  const Integer scaled = ceiling(value * Rational(Integer(1) << (2 * bits)));
  Integer root, rest;
  mpz_sqrtrem(root.get_mpz_t(), rest.get_mpz_t(), scaled.get_mpz_t());
  Rational out(sgn(rest) > 0 ? Integer(root + 1) : root, Integer(1) << bits);
  out.canonicalize();
  return out;
}

Grid::Grid(const Rational& step) : step_(step) {
  int up = 0, down = 0;
  dyadic_ = power_of_two(step_.get_num(), up) && power_of_two(step_.get_den(), down);
  exponent_ = up - down;
}

Result<Grid> Grid::create(const Rational& step) {
  if (sgn(step) <= 0) {
    return bad_parameter(
        "grid",
        fmt::format("found {}; accepted is a step above 0, such as 1 or 0.01", to_decimal(step)));
  }
  return Grid(step);
}

Grid Grid::suited_to(const Rational& sensitivity, const Rational& scale) {
  if (sensitivity.get_den() == 1) return integers();
  int divisor = 0;
  const bool dyadic = power_of_two(sensitivity.get_den(), divisor);
  long exponent = largest_power_within(scale) - kFiner;
  exponent = std::min(
      exponent, dyadic ? -static_cast<long>(divisor) : largest_power_within(sensitivity) - kFiner);
  return Grid(power(exponent));
}

std::int64_t Grid::round(double x) const {
  if (std::isnan(x)) return 0;
  if (std::isinf(x)) return x > 0 ? kMost : -kMost;
  if (!dyadic_) return round(Rational(x));
  if (x == 0) return 0;
  // x·2^-exponent is exact but for underflow (it is then next to 0, and rounds to 0) and overflow
  // (it saturates).
  const double scaled = std::ldexp(x, std::clamp(-exponent_, -4000, 4000));
  if (!(std::abs(scaled) < 0x1p63)) return scaled > 0 ? kMost : -kMost;
  const double below = std::floor(scaled);
  return static_cast<std::int64_t>(below) +
         (scaled - below >= 0.5 ? 1 : 0);  // the difference is exact
}

std::int64_t Grid::round(const Rational& x) const {
  return random::saturate(floor_of(x / step_ + Rational(1, 2)));
}

Rational Grid::at(std::int64_t point) const {
  return Rational(Integer(static_cast<long>(point))) * step_;
}

double Grid::nearest_double(std::int64_t point) const {
  if (dyadic_) return std::ldexp(static_cast<double>(point), std::clamp(exponent_, -4000, 4000));
  const Rational exact = at(point);
  const double low = to_double(exact, Rounding::kDown), high = to_double(exact, Rounding::kUp);
  return exact - Rational(low) <= Rational(high) - exact ? low : high;
}

Integer Grid::sensitivity(const Rational& delta) const { return ceiling(delta / step_); }

Integer Grid::sensitivity_l1(const Rational& delta, std::uint64_t cells) const {
  return sensitivity(delta) + integer(std::max<std::uint64_t>(cells, 1) - 1);
}

Rational Grid::sensitivity_l2(const Rational& delta, std::uint64_t cells) const {
  if (cells <= 1) return Rational(sensitivity(delta));
  return delta / step_ + sqrt_above(Rational(integer(cells)));
}

Integer Grid::sensitivity_on_grid(const Rational& delta) const {
  return std::max(Integer(1), floor_of(delta / step_));
}

}  // namespace discreet::mechanism
