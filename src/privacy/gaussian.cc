#include "discreet/privacy/gaussian.h"

#include <algorithm>

namespace discreet::privacy {
namespace {

constexpr long kSigmaBits = 48;
constexpr long kMostBits = 1 << 16;

// Φ(x) = erfc(−x/√2)/2.
Ball normal_cdf(const Ball& x, long bits) {
  const Ball half(Rational(1, 2), bits);
  return mul(erfc(-mul(x, sqrt(half, bits), bits), bits), half, bits);
}

Rational power_of_two(long exponent) {
  Rational out(1);
  if (exponent >= 0) {
    mpq_mul_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(out.get_mpq_t(), out.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return out;
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
    const Ball raised = mul(exp(Ball(epsilon, working), working),
                            normal_cdf(-add(half, ratio, working), working), working);
    delta = sub(normal_cdf(sub(half, ratio, working), working), raised, working);
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
  while (!at_most(high) && high < 1e300) {
    low = high;
    high *= 2;
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
