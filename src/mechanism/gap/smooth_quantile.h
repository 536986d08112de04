// A quantile with noise in proportion to its smooth sensitivity: the median, the least and the
// greatest value included.
//
//   const Range range = *Range::create(0, 100);
//   auto mechanism = *SmoothQuantile::create(
//       {.noise = {.epsilon = 1, .delta = Rational(1, 1000000)}, .range = range});
//   auto rows = Exact<Ordered>::from_private(Ordered::of({3, 99, 7, 7, 20}, range));
//   std::int64_t median = mechanism.release(rows)->value();
//
// What is proved: smooth_sensitivity.h bounds the change and is smooth, smooth_noise.h makes noise
// of that. The sample is rounded and clamped to the range, which is post-processing. No Margin
// comes with it: how much noise there was is private.
#pragma once

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/smooth_noise.h"
#include "discreet/mechanism/released.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism::gap {

struct SmoothQuantileParameters {
  SmoothNoiseParameters noise;
  Rational quantile = Rational(1, 2);  // 0: the least, 1: the greatest
  Range range;
  Unit unit = {};
};

class SmoothQuantile : private Door {
 public:
  static Result<SmoothQuantile> create(const SmoothQuantileParameters& parameters);

  const SmoothNoise& noise() const { return noise_; }
  const SmoothQuantileParameters& parameters() const { return p_; }
  privacy::Guarantee guarantee() const {
    return {noise_.guarantee().epsilon, noise_.guarantee().delta, p_.unit.relation};
  }

  // The rows must have been put in order with the mechanism's own range.
  Result<Released<std::int64_t>> release(const Exact<Ordered>& rows,
                                         random::Source& source = random::thread_generator()) const;

  // Of these rows, and so private: the exact quantile, its smooth sensitivity, P[z], and the least
  // m with P[|z − quantile| ≤ m] ≥ 1 − beta.
  std::int64_t exact(const Ordered& rows) const { return rows.at(quantile_.rank(rows.size())); }
  SmoothSensitivity sensitivity(const Ordered& rows) const;
  random::ScaledNoise distribution(const Ordered& rows) const;
  std::int64_t error(const Ordered& rows, const Rational& beta) const;

 private:
  SmoothQuantile(SmoothQuantileParameters parameters, SmoothNoise noise, const Quantile& quantile)
      : p_(std::move(parameters)), noise_(std::move(noise)), quantile_(quantile) {}
  SmoothQuantileParameters p_;
  SmoothNoise noise_;
  Quantile quantile_;
};

// The least m with P[|z − answer| ≤ m] ≥ 1 − beta, for a sample around the answer that is clamped
// to the range. Undecided at 512 bits, it is the larger one.
std::int64_t clamped_error(const random::ScaledNoise& noise, std::int64_t answer,
                           const Range& range, const Rational& beta);

}  // namespace discreet::mechanism::gap
