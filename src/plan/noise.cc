#include "discreet/plan/noise.h"

#include <cmath>

namespace discreet::plan {

double step_of(const Statistic& one) { return std::ldexp(1.0, one.exponent - one.weight_bits); }

Rational finer(const Statistic& one) {
  return Rational(Integer(1) << static_cast<unsigned>(one.weight_bits));
}

Result<mechanism::NoisePointer> noise_of(const Statistic& one) {
  const Rational scale = one.scale * finer(one);
  return one.noise == Noise::kGaussian ? mechanism::rounded_gaussian(scale)
                                       : mechanism::discrete_laplace(scale);
}

privacy::Event noise_event(const Statistic& one, const Rational& change) {
  return mechanism::noise_event(one.noise == Noise::kGaussian
                                    ? mechanism::NoiseKind::kRoundedGaussian
                                    : mechanism::NoiseKind::kDiscreteLaplace,
                                one.scale * finer(one), change * finer(one));
}

}  // namespace discreet::plan
