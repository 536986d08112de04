// Noise in proportion to a smooth sensitivity (smooth_sensitivity.h), and what it guarantees: for
// any answer f and any β-smooth S that bounds how much a neighbour changes f.
//
//   auto noise = *SmoothNoise::create({.epsilon = 1, .delta = Rational(1, 1000000)});
//   const Ordered rows = Ordered::of({3, 99, 7, 7, 20}, *Range::create(0, 100));
//   const Quantile median = *Quantile::create(Rational(1, 2));
//   const auto s = smooth_sensitivity(rows, median, Unit{}, noise.beta());
//   std::int64_t drawn = *noise.around(7, s).sample(random::thread_generator());
//   auto pure = *SmoothNoise::create({.epsilon = 1});  // no δ: Cauchy noise
//
// What is proved. Between neighbours scales are a factor e^β apart at most, and answers min(S, S').
// Go from x's noise to x''s in two steps: first dilate, then slide at the new scale.
// Laplace, scale S/ε1: the slide costs ε1, pure. The dilation, for ε2 ≥ β, leaves exactly
// δ2 = (1 − e^−β)·e^(−(ε2+β)/(e^β−1)) if x's noise is wider by e^β, less if by less, nothing if it
// is narrower. Since the slide comes second and is pure, it is (ε1 + ε2, δ2)-DP: Nissim,
// Raskhodnikova and Smith (STOC 2007) have a factor e^ε1 at δ. They take ε1 = ε2 = ε/2 and β = ε/(2
// ln(2/δ)), and so does this (a smaller β where ε is so large that δ2 would be above δ); the δ it
// states is δ2. Cauchy, scale c·S: the slide costs 2·arsinh(1/(2c)), the dilation β, both pure; β =
// ε/2 and c = 1/(2 sinh(ε/4)).
#pragma once

#include "discreet/mechanism/gap/smooth_sensitivity.h"
#include "discreet/privacy/guarantee.h"
#include "discreet/random/scaled_noise.h"

namespace discreet::mechanism::gap {

struct SmoothNoiseParameters {
  Rational epsilon;
  Rational delta = 0;  // 0: pure, by Cauchy noise
  // The largest β that δ allows, and the split of ε with the largest ε1·β: where rows are dense, S
  // goes with 1/β.
  bool optimised = false;
};

class SmoothNoise {
 public:
  static Result<SmoothNoise> create(const SmoothNoiseParameters& parameters);

  random::NoiseShape shape() const { return shape_; }
  // S must be this smooth,
  const Rational& beta() const { return beta_; }
  // and the noise's scale is so many times S: 1/ε1, or c.
  const Rational& factor() const { return factor_; }
  // Its δ is the one that the proof gives, at most the one that was asked for.
  const privacy::Guarantee& guarantee() const { return guarantee_; }

  random::ScaledNoise around(const Rational& answer, const SmoothSensitivity& sensitivity) const;

 private:
  SmoothNoise(random::NoiseShape shape, Rational beta, Rational factor,
              privacy::Guarantee guarantee)
      : shape_(shape),
        beta_(std::move(beta)),
        factor_(std::move(factor)),
        guarantee_(std::move(guarantee)) {}
  random::NoiseShape shape_;
  Rational beta_, factor_;
  privacy::Guarantee guarantee_;
};

// δ2: what a dilation by e^β leaves at ε2 ≥ β.
Ball dilation_delta(const Rational& beta, const Rational& epsilon, long bits);

}  // namespace discreet::mechanism::gap
