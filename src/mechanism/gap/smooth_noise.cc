#include "discreet/mechanism/gap/smooth_noise.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"

namespace discreet::mechanism::gap {
namespace {

constexpr long kBits = 192;
constexpr long kShift = 64;  // numbers that are rounded are multiples of 2^-64
constexpr unsigned long kSplits = 64;

Rational multiple(const Integer& count) {
  Rational out(count, Integer(1) << kShift);
  out.canonicalize();
  return out;
}

// The largest β ≤ ε2, as a multiple of 2^-64·ε2, that surely leaves no more than δ.
Rational largest_beta(const Rational& epsilon, const Rational& delta) {
  Integer low = 0, high = Integer(1) << kShift;  // δ2 grows with β
  const auto fits = [&](const Integer& at) {
    return surely_at_most(dilation_delta(multiple(at) * epsilon, epsilon, kBits),
                          Ball(delta, kBits));
  };
  if (fits(high)) return epsilon;
  while (low + 1 < high) {
    const Integer middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return multiple(low) * epsilon;
}

// The same in doubles: only the choice of a split depends on it, which any number is right for.
double about_largest_beta(double epsilon, double delta) {
  double low = 0, high = epsilon;
  for (int i = 0; i < 60; ++i) {
    const double beta = (low + high) / 2;
    const bool fits = -std::expm1(-beta) * std::exp(-(epsilon + beta) / std::expm1(beta)) <= delta;
    (fits ? low : high) = beta;
  }
  return low;
}

Rational best_split(const Rational& epsilon, const Rational& delta) {
  unsigned long best = kSplits / 2;
  double most = 0;
  for (unsigned long part = 1; part < kSplits; ++part) {
    const double first = epsilon.get_d() * static_cast<double>(part) / kSplits;
    const double product = first * about_largest_beta(epsilon.get_d() - first, delta.get_d());
    if (product > most) most = product, best = part;
  }
  return epsilon * Rational(best, kSplits);
}

// Up to three decimal digits, at most `most`.
Rational rounded_up(const Ball& value, const Rational& most) {
  Rational unit = 1;
  for (int i = 0; i < 300 && surely_less(value, Ball(unit * 100, kBits)); ++i) unit /= 10;
  const Integer digits = div(value, Ball(unit, kBits), kBits).ceil_shifted(0);
  return std::min(most, Rational(digits * unit));
}

}  // namespace

Ball dilation_delta(const Rational& beta, const Rational& epsilon, long bits) {
  const Ball b(beta, bits);
  const Ball exponent = div(Ball(epsilon + beta, bits), expm1(b, bits), bits);
  return mul(-expm1(-b, bits), exp(-exponent, bits), bits);
}

Result<SmoothNoise> SmoothNoise::create(const SmoothNoiseParameters& parameters) {
  const auto& [epsilon, delta, optimised] = parameters;
  TRY(check_epsilon(epsilon));
  if (delta == 0) {
    if (optimised) {
      return bad_parameter("optimised",
                           "found without δ; accepted is with one: pure noise has "
                           "nothing to choose",
                           advise("delta", "1e-6"));
    }
    // 2 sinh(ε/4) = (e^(ε/4) − 1) + (1 − e^(−ε/4)). Beyond ε = 1000 the scale stays.
    const Ball quarter(std::min(epsilon, Rational(1000)) / 4, 4 * kBits);
    const Ball twice = sub(expm1(quarter, 4 * kBits), expm1(-quarter, 4 * kBits), 4 * kBits);
    const Integer count = div(Ball(1), twice, 4 * kBits).ceil_shifted(8 * kShift);
    Rational factor(count, Integer(1) << (8 * kShift));
    factor.canonicalize();
    return SmoothNoise(random::NoiseShape::kCauchy, epsilon / 2, factor, {epsilon, 0});
  }
  TRY(check_delta(delta));
  const Rational first = optimised ? best_split(epsilon, delta) : Rational(epsilon / 2);
  const Rational second = epsilon - first;
  Rational beta;
  if (!optimised) {
    // ε/(2 ln(2/δ)), down.
    const Ball twice = mul(Ball(2), log(Ball(2 / delta, kBits), kBits), kBits);
    beta = multiple(div(Ball(epsilon, kBits), twice, kBits).floor_shifted(kShift));
    beta = std::min(beta, second);
  }
  if (beta <= 0 || !surely_at_most(dilation_delta(beta, second, kBits), Ball(delta, kBits)))
    beta = largest_beta(second, delta);
  if (beta <= 0) {
    return bad_parameter("delta", "found " + to_decimal(delta) + "; accepted is one that " +
                                      named("epsilon") + " can be reached with, such as 1e-6");
  }
  const Rational proved = rounded_up(dilation_delta(beta, second, kBits), delta);
  return SmoothNoise(random::NoiseShape::kLaplace, beta, 1 / first, {epsilon, proved});
}

random::ScaledNoise SmoothNoise::around(const Rational& answer,
                                        const SmoothSensitivity& sensitivity) const {
  return {shape_, answer, [factor = factor_, sensitivity](long bits) {
            return mul(sensitivity.enclose(bits), Ball(factor, bits), bits);
          }};
}

}  // namespace discreet::mechanism::gap
