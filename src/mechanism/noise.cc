#include "discreet/mechanism/noise.h"

#include "discreet/mechanism/grid.h"
#include "discreet/mechanism/least.h"

namespace discreet::mechanism {

privacy::Event noise_event(NoiseKind kind, const Rational& scale, const Rational& sensitivity) {
  switch (kind) {
    case NoiseKind::kDiscreteLaplace:
      return {privacy::DiscreteLaplace{scale, Rational(ceiling(sensitivity))}};
    case NoiseKind::kRoundedGaussian:  // rounding to the grid is post-processing
      return {privacy::Gaussian{scale, sensitivity}};
    case NoiseKind::kDiscreteGaussian:
      return {privacy::DiscreteGaussian{scale, Rational(ceiling(sensitivity))}};
  }
  return {privacy::Approximate{0, 1}};  // no kind of noise: nothing is promised
}

Ball Noise::at_least(const Integer& m, long bits) const {
  if (m >= 1) return upper_tail(m, bits);
  // P[Z ≥ m] = 1 − P[Z ≤ m−1] = 1 − P[Z ≥ 1−m], by symmetry
  return sub(Ball(1), upper_tail(1 - m, bits), bits);
}

Ball Noise::beyond(const Integer& m, long bits) const {
  return mul(Ball(2), upper_tail(m + 1, bits), bits);
}

// As 1 − (1−p)^n = −expm1(n·log1p(−p)) it keeps its digits however small p is.
Ball any_of(const Ball& p, std::uint64_t n, long bits) {
  const Ball times(Rational(Integer(static_cast<unsigned long>(n))), bits);
  return -expm1(mul(times, log1p(-p, bits), bits), bits);
}

Integer Noise::quantile(const Rational& beta, std::uint64_t cells) const {
  return least([&](const Integer& m, long bits) {
    return sub(Ball(beta, bits), any_of(beyond(m, bits), cells, bits), bits);
  });
}

}  // namespace discreet::mechanism
