// A number of units is shown only where, with noise, it reaches a threshold: what truncated
// histograms and the selections by noise share.
//
//   Cutoff cutoff = *Cutoff::create(*discrete_laplace(1), Rational(1, 1000000));
//   std::int64_t threshold = cutoff.threshold();    // 15
//   double one = cutoff.keep(1, 64).upper();        // at most 10^-6: one unit alone isn't seen
//   std::int64_t seen = *cutoff.units_for(Rational(19, 20));  // 17 units are, 19 times in 20
//
// What is proved. A group that one unit alone makes appears with P[1 + Z ≥ t], and otherwise
// nothing tells that it was there: with p that probability, "there" and "not there" are (0, p)-DP,
// both ways. The threshold t is the least integer ≥ 2 with p ≤ the δ that such a group may have;
// where intervals can't tell them apart, one more. For discrete Laplace noise p = α^(t−1)/(1+α).
#pragma once

#include <cstdint>
#include <utility>

#include "discreet/mechanism/noise.h"

namespace discreet::mechanism::gap {

class Cutoff {
 public:
  static Result<Cutoff> create(NoisePointer noise, const Rational& delta_of_one);
  // With a threshold from elsewhere, which promises nothing: what tests compare with.
  Cutoff(NoisePointer noise, std::int64_t threshold)
      : noise_(std::move(noise)), threshold_(threshold) {}

  const Noise& noise() const { return *noise_; }
  std::int64_t threshold() const { return threshold_; }
  // P[units + Z ≥ t]; 0 without units: what isn't in the data gets no noise.
  Ball keep(std::int64_t units, long bits) const;
  // P[shown as this number].
  Ball mass(std::int64_t units, std::int64_t shown, long bits) const;
  // The least number of units that is shown with at least this probability, above 0 and below 1.
  Result<std::int64_t> units_for(const Rational& probability) const;

 private:
  NoisePointer noise_;
  std::int64_t threshold_;
};

}  // namespace discreet::mechanism::gap
