// The noisy test that all gap-based mechanisms share: is this data set far enough from every other
// that would be answered differently?
//
//   auto test = *GapTest::create({.epsilon = 1, .delta = Rational(1, 1000000)});
//   std::int64_t least = test.threshold();      // 15: with noise, the distance must reach it
//   Ball chance = test.probability(31, 128);    // 1 − 3.0e-8: how likely distance 31 passes
//
// What is proved (deck 004; Thakurta and Smith, COLT 2013). D is the number of units that have to
// change before the answer does, so neighbours have distances at most 1 apart, and D ≤ 1 where they
// have different answers. With Z discrete Laplace, α = e^−ε, the test passes iff D + Z ≥ 1 + T,
// where T is the least integer of at least 1 with P[Z ≥ T] = α^T/(1+α) ≤ δ. Neighbours with the
// same answer: "passes" is ε-DP (Z has scale 1/ε). With different answers: each passes with
// probability at most P[1 + Z ≥ 1 + T] ≤ δ. So to release the answer iff the test passes is
// (ε, δ)-DP. The decks' ln(1/δ)/ε, for continuous noise, is too small for ε > ln 2; so is
// ln(1/(2δ))/ε with integer noise.
#pragma once

#include <cstdint>

#include "discreet/base/ball.h"
#include "discreet/mechanism/noise.h"
#include "discreet/privacy/guarantee.h"
#include "discreet/random/source.h"

namespace discreet::mechanism::gap {

struct GapTestParameters {
  Rational epsilon, delta;
};

class GapTest {
 public:
  static Result<GapTest> create(const GapTestParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, p_.delta}; }
  // 1 + T.
  std::int64_t threshold() const { return threshold_; }
  // P[distance + Z ≥ threshold].
  Ball probability(std::int64_t distance, long bits) const;
  // The least distance that passes with at least this probability, which is below 1.
  std::int64_t distance_for(const Rational& probability) const;

  // Draws once, whatever the distance: the answer must not leave where it doesn't pass.
  Result<bool> passes(std::int64_t distance, random::Source& source) const;

 private:
  GapTest(GapTestParameters parameters, NoisePointer noise, std::int64_t threshold)
      : p_(std::move(parameters)), noise_(std::move(noise)), threshold_(threshold) {}
  GapTestParameters p_;
  NoisePointer noise_;
  std::int64_t threshold_;
};

}  // namespace discreet::mechanism::gap
