// Integer noise as a distribution: how it is drawn, and exactly how likely each value is. Every
// kind here is symmetric about 0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::mechanism {

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

 protected:
  explicit Noise(Rational scale) : scale_(std::move(scale)) {}
  // P[Z ≥ m] for m ≥ 1.
  virtual Ball upper_tail(const Integer& m, long bits) const = 0;

 private:
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
