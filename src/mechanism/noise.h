// Integer noise as a distribution: how it is drawn, exactly how likely each value is, and what it
// is called where privacy is accounted for. Every kind here is symmetric about 0.
//
//   NoisePointer noise = *discrete_laplace(10);
//   std::string entry = privacy::describe(noise->event(2));
//   // discrete-laplace(scale=10, sensitivity=2)
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "discreet/base/ball.h"
#include "discreet/privacy/event.h"
#include "discreet/random/source.h"

namespace discreet::mechanism {

enum class NoiseKind { kDiscreteLaplace, kRoundedGaussian, kDiscreteGaussian };

// What adding such noise to a query is to an accountant: the event that a ledger records, and
// `discreet account` reads back from its text (privacy::describe). Scale and sensitivity are in
// steps of the grid; discrete noise sits on whole steps, so there a fraction of a step counts as
// one. Laplace and discrete noise: of one number. A vector is one event for each cell that a unit
// can change, composed. Gaussian noise: of a vector too, with the Euclidean sensitivity.
privacy::Event noise_event(NoiseKind kind, const Rational& scale, const Rational& sensitivity);

class Noise {
 public:
  virtual ~Noise() = default;
  virtual Status fill(random::Source& source, std::span<std::int64_t> out) const = 0;
  // P[Z = z].
  virtual Ball mass(const Integer& z, long bits) const = 0;
  // P[Z ≥ m], m any integer.
  Ball at_least(const Integer& m, long bits) const;
  // P[|Z| > m], m ≥ 0.
  Ball beyond(const Integer& m, long bits) const;
  // The least m ≥ 0 with P[max over `cells` independent draws of |Z| > m] ≤ beta, 0 < beta < 1.
  Integer quantile(const Rational& beta, std::uint64_t cells = 1) const;

  const Rational& scale() const { return scale_; }
  NoiseKind kind() const { return kind_; }
  privacy::Event event(const Rational& sensitivity) const {
    return noise_event(kind_, scale_, sensitivity);
  }

 protected:
  Noise(NoiseKind kind, Rational scale) : kind_(kind), scale_(std::move(scale)) {}
  // P[Z ≥ m] for m ≥ 1.
  virtual Ball upper_tail(const Integer& m, long bits) const = 0;

 private:
  NoiseKind kind_;
  Rational scale_;
};

// P[at least one of n independent events of probability p].
Ball any_of(const Ball& p, std::uint64_t n, long bits);

using NoisePointer = std::shared_ptr<const Noise>;

// P[z] = (1−α)/(1+α)·α^|z|, α = e^(-1/scale).
Result<NoisePointer> discrete_laplace(const Rational& scale);
// P[z] = Φ((z+½)/σ) − Φ((z−½)/σ).
Result<NoisePointer> rounded_gaussian(const Rational& sigma);
// P[z] ∝ e^(-z²/2σ²).
Result<NoisePointer> discrete_gaussian_noise(const Rational& sigma);

}  // namespace discreet::mechanism
