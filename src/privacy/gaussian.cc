#include "discreet/privacy/gaussian.h"

#include <algorithm>
#include <cmath>

namespace discreet::privacy {
namespace {

constexpr long kSigmaBits = 48;
constexpr long kMostBits = 1 << 16;

Rational power_of_two(long exponent) {
  Rational out(1);
  if (exponent >= 0) {
    mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return out;
}

// e^{−a²/2}/√(2π).
Ball normal_density(const Ball& a, long bits) {
  const Ball power = exp(-div(mul(a, a, bits), Ball(2), bits), bits);
  return div(power, sqrt(mul(Ball(2), Ball::pi(bits), bits), bits), bits);
}

// Φ(−x)/φ(x), Mills' ratio, for large x: (1 − 1/x² + 1·3/x⁴ − 1·3·5/x⁶ …)/x, where the truth lies
// between any two neighbouring sums (Abramowitz and Stegun, 7.1.23).
Ball mills_ratio(const Ball& x, long bits) {
  const Ball inverse = div(Ball(1), x, bits), square = mul(inverse, inverse, bits);
  Ball term = inverse, sum = inverse, before = inverse;
  for (long k = 1; k < 4 * bits; k += 2) {
    term = -mul(mul(term, Ball(k), bits), square, bits);
    before = sum;
    sum = add(sum, term, bits);
    const Ball limit = mul(inverse, Ball(power_of_two(-bits), bits), bits);
    if (surely_less(term, limit) && surely_less(-term, limit)) break;
  }
  const Ball away = sub(sum, before, bits);
  return add(before, mul(away, Ball::between(0, 1, bits), bits), bits);
}

// Is x so far out that the series has reached its full precision before it diverges?
bool is_far(const Ball& x, long bits) { return surely_less(Ball(2 * bits), mul(x, x, bits)); }

// Φ(x) = erfc(−x/√2)/2.
Ball normal_cdf(const Ball& x, long bits) {
  if (is_far(x, bits)) {
    const bool left = surely_less(x, Ball());
    const Ball tail = mul(normal_density(x, bits), mills_ratio(left ? -x : x, bits), bits);
    return left ? tail : sub(Ball(1), tail, bits);
  }
  const Ball half(Rational(1, 2), bits);
  return mul(erfc(-mul(x, sqrt(half, bits), bits), bits), half, bits);
}

// Is δ(ε) at this σ surely at most δ? Ties that 64 more bits don't decide count as no.
bool holds(const Rational& epsilon, const Rational& delta, const Rational& sigma,
           const Rational& sensitivity) {
  for (long bits = 64; bits <= 128; bits += 64) {
    const Ball spent = gaussian_delta(epsilon, sigma, sensitivity, bits), allowed(delta, bits + 64);
    if (surely_at_most(spent, allowed)) return true;
    if (surely_less(allowed, spent)) return false;
  }
  return false;
}

}  // namespace

Ball gaussian_delta(const Rational& epsilon, const Rational& mu_squared, long bits) {
  if (sgn(mu_squared) == 0) return Ball();
  // The two terms cancel all but about 1/near² of themselves; more bits until enough are left.
  Ball delta;
  for (long working = bits + 64; working <= kMostBits; working *= 2) {
    const Ball mu = sqrt(Ball(mu_squared, working), working), half = div(mu, Ball(2), working);
    const Ball ratio = div(Ball(epsilon, working), mu, working);
    const Ball near = sub(half, ratio, working), far = add(half, ratio, working);
    // e^ε·φ(far) = φ(near): no power of ε is needed where it would be out of all proportion.
    const Ball raised =
        is_far(far, working)
            ? mul(normal_density(near, working), mills_ratio(far, working), working)
            : mul(exp(Ball(epsilon, working), working), normal_cdf(-far, working), working);
    delta = sub(normal_cdf(near, working), raised, working);
    if (delta.accurate_bits() >= bits) break;
  }
  return delta;
}

Ball gaussian_delta(const Rational& epsilon, const Rational& sigma, const Rational& sensitivity,
                    long bits) {
  const Rational mu = sensitivity / sigma;
  return gaussian_delta(epsilon, mu * mu, bits);
}

Enclosure gaussian_epsilon(const Rational& delta, const Rational& mu_squared) {
  const auto at_most = [&](double epsilon) {
    return surely_at_most(gaussian_delta(Rational(epsilon), mu_squared, 64), Ball(delta, 128));
  };
  const auto at_least = [&](double epsilon) {
    return surely_at_most(Ball(delta, 128), gaussian_delta(Rational(epsilon), mu_squared, 64));
  };
  if (sgn(mu_squared) == 0 || at_most(0)) return {0, 0};
  double low = 0, high = 1;
  while (!at_most(high)) {
    low = high;
    high *= 2;
    if (std::isinf(high)) return {low, high};
  }
  for (int i = 0; i < 1100; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    if (high - low <= high * 0x1p-50) break;
    (at_most(middle) ? high : low) = middle;
  }
  while (low > 0 && !at_least(low)) low = std::max(0.0, low - high * 0x1p-50);
  return {low, high};
}

Result<Rational> gaussian_sigma(const Rational& epsilon, const Rational& delta,
                                const Rational& sensitivity) {
  if (sgn(epsilon) < 0)
    return fail(Code::kUsage, "epsilon: found a negative number, accepted is 0 or more");
  if (sgn(delta) <= 0 || delta >= 1) {
    return fail(Code::kUsage, "delta: Gaussian noise needs a number above 0 and below 1",
                "a pure guarantee needs Laplace noise");
  }
  if (sgn(sensitivity) <= 0) return fail(Code::kUsage, "sensitivity: accepted is a number above 0");
  // δ(ε) falls as σ rises: first the power of two above the root, then its leading bits by
  // bisection.
  constexpr long kFurthest = 4096;
  long exponent = 0;
  while (exponent < kFurthest &&
         !holds(epsilon, delta, sensitivity * power_of_two(exponent), sensitivity))
    ++exponent;
  while (exponent > -kFurthest &&
         holds(epsilon, delta, sensitivity * power_of_two(exponent - 1), sensitivity))
    --exponent;
  if (exponent == kFurthest || exponent == -kFurthest) {
    return fail(
        Code::kUsage,
        "no deviation between 2^-4096 and 2^4096 times the sensitivity gives this guarantee");
  }
  // σ/Δ in (2^(e−1), 2^e]; Δ need not be a short number, so the bits are counted on σ itself.
  const Rational top = sensitivity * power_of_two(exponent);
  long scale = 0;
  while (power_of_two(scale) < top) ++scale;
  while (power_of_two(scale - 1) >= top) --scale;
  const Rational unit = power_of_two(scale - kSigmaBits);
  const Rational low_units = top / unit / 2, high_units = top / unit;
  Integer low, high;
  mpz_fdiv_q(low.get_mpz_t(), low_units.get_num_mpz_t(), low_units.get_den_mpz_t());
  mpz_cdiv_q(high.get_mpz_t(), high_units.get_num_mpz_t(), high_units.get_den_mpz_t());
  while (high - low > 1) {
    const Integer middle = (low + high) / 2;
    (holds(epsilon, delta, unit * middle, sensitivity) ? high : low) = middle;
  }
  return unit * high;
}

}  // namespace discreet::privacy
