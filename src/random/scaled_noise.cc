#include "discreet/random/scaled_noise.h"

#include "discreet/base/try.h"
#include "discreet/random/lazy_uniform.h"

namespace discreet::random {
namespace {

constexpr long kScaledBits = 192;  // of the uniform number, at first
constexpr long kGuardBits = 96;    // for 2^62 in front of the point, and roundings
const Rational kHalf(1, 2);

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }

bool is_zero(const Ball& ball) {
  return surely_at_most(ball, Ball(0)) && surely_at_most(Ball(0), ball);
}

// Laplace: Q(u) = ln(2u) for u < ½, else −ln(2(1 − u)). Cauchy: Q(u) = tan(π(u − ½)).
Ball quantile(NoiseShape shape, const LazyUniform& u, long bits) {
  const Ball point = u.enclosure();
  if (shape == NoiseShape::kCauchy) {
    const Ball angle = sub(point, Ball(kHalf, bits), bits);
    return tan(mul(Ball::pi(bits), angle, bits), bits);
  }
  const bool upper = u.first_digit();
  const Ball folded = upper ? sub(Ball(1), point, bits) : point;
  const Ball out = log(mul(Ball(2), folded, bits), bits);
  return upper ? -out : out;
}

// P[Z ≥ x], x ≥ 0. Laplace: ½e^-x. Cauchy: atan(1/x)/π, which keeps its digits far out.
Ball tail(NoiseShape shape, const Ball& x, long bits) {
  if (shape == NoiseShape::kLaplace) return mul(Ball(kHalf, bits), exp(-x, bits), bits);
  if (is_zero(x)) return Ball(kHalf, bits);
  return div(atan(div(Ball(1), x, bits), bits), Ball::pi(bits), bits);
}

// P[x ≤ Z < y], 0 ≤ x ≤ y, without cancellation. Laplace: ½e^-x·(1 − e^-(y−x)). Cauchy:
// (atan y − atan x)/π = atan((y − x)/(1 + xy))/π.
Ball slice(NoiseShape shape, const Ball& x, const Ball& y, const Ball& width, long bits) {
  if (shape == NoiseShape::kLaplace) return mul(tail(shape, x, bits), -expm1(-width, bits), bits);
  const Ball ratio = div(width, add(Ball(1), mul(x, y, bits), bits), bits);
  return div(atan(ratio, bits), Ball::pi(bits), bits);
}

}  // namespace

Result<std::int64_t> ScaledNoise::sample(Source& source) const {
  LazyUniform u;
  const Ball most(static_cast<long>(kMostScaled)), spare = exp(Ball(1), kScaledBits);
  for (long digits = kScaledBits; digits <= kMostBits; digits *= 2) {
    TRY(u.reveal(source, digits));
    const long bits = digits + kGuardBits;
    // Where there is no noise it is calculated all the same, of any other scale: a product with 0
    // would be quicker.
    const Ball b = scale(bits);
    const bool none = is_zero(b);
    const Ball noise = mul(none ? spare : b, quantile(shape, u, bits), bits);
    const Ball point = add(Ball(centre + kHalf, bits), none ? Ball(0) : noise, bits);
    if (!point.is_finite()) continue;
    if (surely_at_most(most, point)) return kMostScaled;
    if (surely_at_most(point, -most)) return -kMostScaled;
    const Integer floor = point.floor_shifted(0);
    if (surely_less(point, Ball(Rational(floor + 1), bits))) return floor.get_si();
  }
  return fail(Code::kFailure, "the scale of noise could not be enclosed tightly enough to draw it");
}

Ball ScaledNoise::between(const Rational& low, const Rational& high, long bits) const {
  if (low >= high) return Ball(0);
  const Rational left = low - centre, right = high - centre;
  const Ball b = scale(bits);
  if (is_zero(b)) return Ball(left <= 0 && right > 0 ? 1 : 0);
  const auto scaled = [&](const Rational& x) { return div(Ball(x, bits), b, bits); };
  if (left >= 0) return slice(shape, scaled(left), scaled(right), scaled(right - left), bits);
  if (right <= 0) return slice(shape, scaled(-right), scaled(-left), scaled(right - left), bits);
  const Ball outside =
      add(tail(shape, scaled(-left), bits), tail(shape, scaled(right), bits), bits);
  return sub(Ball(1), outside, bits);
}

Ball ScaledNoise::from(const Rational& edge, long bits) const {
  const Rational x = edge - centre;
  const Ball b = scale(bits);
  if (is_zero(b)) return Ball(x <= 0 ? 1 : 0);
  const Ball beyond = tail(shape, div(Ball(abs(x), bits), b, bits), bits);
  return x >= 0 ? beyond : sub(Ball(1), beyond, bits);
}

Ball ScaledNoise::below(const Rational& edge, long bits) const {
  const Rational x = edge - centre;
  const Ball b = scale(bits);
  if (is_zero(b)) return Ball(x > 0 ? 1 : 0);
  const Ball beyond = tail(shape, div(Ball(abs(x), bits), b, bits), bits);
  return x <= 0 ? beyond : sub(Ball(1), beyond, bits);
}

Ball ScaledNoise::probability(std::int64_t z, std::pair<std::int64_t, std::int64_t> range,
                              long bits) const {
  if (z < range.first || z > range.second) return Ball(0);
  const Rational low = Rational(integer(z)) - kHalf, high = Rational(integer(z)) + kHalf;
  if (range.first == range.second) return Ball(1);
  if (z == range.first) return below(high, bits);
  if (z == range.second) return from(low, bits);
  return between(low, high, bits);
}

}  // namespace discreet::random
