#include "discreet/mechanism/discrete_gaussian.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/grid.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/random/scale.h"

namespace discreet::mechanism {
namespace {

constexpr long kMostDirect = 1 << 12;  // up to this σ a tail is added up term by term

// A ball around 0 that is this wide on either side.
Ball plus_minus(const Ball& radius, long bits) {
  return mul(radius, Ball::between(-1, 1, bits), bits);
}

// f(m) + f(m+1) + …; f(k+1) = f(k)·r(k), r(k+1) = r(k)·e^(-1/σ²). The last ratio bounds what is
// left out.
Ball direct_tail(const Rational& sigma, const Integer& m, long bits) {
  const long working = bits + 64;
  const Rational variance = sigma * sigma;
  Ball term = discrete_gaussian_weight(sigma, m, working), sum = term;
  Ball ratio = exp(-Ball(Rational(2 * m + 1) / (2 * variance), working), working);
  const Ball shrink = exp(-Ball(1 / variance, working), working);
  const Rational smallest_share(1, Integer(1) << static_cast<unsigned long>(bits));
  const Ball smallest = mul(term, Ball(smallest_share, working), working);
  for (;;) {
    term = mul(term, ratio, working);
    ratio = mul(ratio, shrink, working);
    sum = add(sum, term, working);
    if (surely_less(term, smallest)) {
      // what is left is at most term·ratio/(1−ratio), since the ratios only fall
      const Ball rest = div(mul(term, ratio, working), sub(Ball(1), ratio, working), working);
      return add(sum, plus_minus(rest, working), working);
    }
  }
}

// Euler and Maclaurin: Σ_{k≥m} f(k) = ∫_m^∞ f + f(m)/2 − f'(m)/12 + R, |R| ≤ 2ζ(3)/(2π)³·∫_m^∞
// |f'''| < 0.0097·∫|f'''|. The last integral is the variation of f'': f''(m) from m = √3σ on, where
// f'' only falls; at most 1.9/σ² in all.
Ball smooth_tail(const Rational& sigma, const Integer& m, long bits) {
  const Rational at(m), x = at / sigma, variance = sigma * sigma;
  const Ball f = discrete_gaussian_weight(sigma, m, bits);
  const Ball root_half_pi = sqrt(div(Ball::pi(bits), Ball(2), bits), bits);
  const Ball beyond = erfc(div(Ball(x, bits + 64), sqrt(Ball(2), bits + 64), bits + 64), bits);
  const Ball area = mul(mul(Ball(sigma, bits), root_half_pi, bits), beyond, bits);
  const Ball ends = mul(f, Ball(Rational(1, 2) + at / (12 * variance), bits), bits);
  const Ball variation = x * x >= 3 ? mul(f, Ball((x * x - 1) / variance, bits), bits)
                                    : Ball(Rational(19, 10) / variance, bits);
  const Ball rest = plus_minus(mul(variation, Ball(Rational(97, 10000), bits), bits), bits);
  return add(add(area, ends, bits), rest, bits);
}

}  // namespace

Ball discrete_gaussian_weight(const Rational& sigma, const Integer& z, long bits) {
  return exp(-Ball(Rational(z * z) / (2 * sigma * sigma), bits + 64), bits);
}

// Below σ = 1 the terms fall fast enough; above, Poisson's formula turns the sum into σ√(2π)·Σ
// e^(-2π²σ²j²), whose terms fall faster still. Either way each term from the first on is less than
// half the one before (e^(-3/2)), so all that is left out is less than the last term taken.
Ball discrete_gaussian_normaliser(const Rational& sigma, long bits) {
  const bool direct = sigma < 1;
  const Rational variance = sigma * sigma;
  const Ball pi_squared = pow(Ball::pi(bits), 2, bits);
  Ball sum(1);
  for (long k = 1;; ++k) {
    const Ball term = direct ? discrete_gaussian_weight(sigma, k, bits)
                             : exp(-mul(Ball(2 * variance * k * k, bits), pi_squared, bits), bits);
    const Ball both = mul(Ball(2), term, bits);
    sum = add(sum, both, bits);
    if (both.upper() < std::ldexp(1.0, static_cast<int>(-bits))) {
      sum = add(sum, plus_minus(both, bits), bits);
      break;
    }
  }
  if (direct) return sum;
  return mul(sum, mul(Ball(sigma, bits), sqrt(mul(Ball(2), Ball::pi(bits), bits), bits), bits),
             bits);
}

Ball discrete_gaussian_tail(const Rational& sigma, const Integer& m, long bits) {
  return sigma <= kMostDirect ? direct_tail(sigma, m, bits) : smooth_tail(sigma, m, bits);
}

Ball discrete_gaussian_delta(const Rational& epsilon, const Rational& sigma,
                             const Integer& sensitivity, long bits) {
  // P(z) ≥ e^ε·P(z−d) iff (d² − 2zd)/(2σ²) ≥ ε iff z ≤ d/2 − εσ²/d
  const Rational d(sensitivity);
  const Integer k = floor_of(d / 2 - epsilon * sigma * sigma / d);
  const Ball total = discrete_gaussian_normaliser(sigma, bits);
  const auto up_to = [&](const Integer& z) {  // Σ_{k ≤ z} f(k)
    if (z < 0) return discrete_gaussian_tail(sigma, -z, bits);
    return sub(total, discrete_gaussian_tail(sigma, z + 1, bits), bits);
  };
  const Ball loss = mul(exp(Ball(epsilon, bits), bits), up_to(k - sensitivity), bits);
  return div(sub(up_to(k), loss, bits), total, bits);
}

Result<Rational> discrete_gaussian_sigma(const Rational& epsilon, const Rational& delta,
                                         const Integer& sensitivity) {
  constexpr long kBits = 128;
  auto continuous = TRY(privacy::gaussian_sigma(epsilon, delta, Rational(sensitivity)));
  const auto holds = [&](const Rational& sigma) {
    return surely_at_most(discrete_gaussian_delta(epsilon, sigma, sensitivity, kBits),
                          Ball(delta, kBits));
  };
  const auto shortened = [](const Rational& value) {
    return Rational(to_double(value, Rounding::kUp));
  };
  Rational high = shortened(continuous);
  while (!holds(high)) {
    if (high > random::kLargestScale) return high;  // refused by whoever draws it, with a hint
    high *= Rational(5, 4);
  }
  Rational low = high / 4;
  while (low > random::kSmallestScale && holds(low)) {
    high = low;
    low /= 4;
  }
  while ((high - low) * (Integer(1) << 28) > high) {
    const Rational middle = shortened((low + high) / 2);
    if (middle >= high) break;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace discreet::mechanism
