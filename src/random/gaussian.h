// Gaussian noise on the integers, two kinds:
//
// - RoundedGaussian, the workhorse: a continuous N(0, σ²) variable rounded to the nearest integer.
//   Rounding is post-processing, so every theorem about the continuous Gaussian holds for it, in
//   any dimension.
//
// - DiscreteGaussian: P[z] ∝ e^(-z²/2σ²) on the integers (Canonne-Kamath-Steinke 2020).
//
//   #include "discreet/random/generator.h"
//   RoundedGaussian noise = *RoundedGaussian::create(Rational(50));
//   std::int64_t z = *noise.sample(thread_generator());
//
// How: below σ = 16 one exact alias table (alias.h) over all values that matter. Above, the line is
// cut into cells of 2^k integers, 16 to 32 of them a standard deviation; a trial picks a cell by
// alias table, a point in it by 64 uniform bits, and accepts it with the density's ratio to the
// cell's highest. All trials cost the same and are independent, so their number tells nothing about
// the value. The acceptance is decided by a proved bound on the floating-point error, else by
// intervals.
//
// Beyond ±(2^63 − 1) the samples saturate, with probability < e^(-2^45) at the largest σ, 2^40.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "discreet/base/number.h"
#include "discreet/random/source.h"

namespace discreet::random {

class GaussianTables;

// P[z] = Φ((z+½)/σ) − Φ((z−½)/σ). σ any rational from 2^-20 to 2^40.
class RoundedGaussian {
 public:
  static Result<RoundedGaussian> create(const Rational& sigma);
  Result<std::int64_t> sample(Source& source) const;
  Status fill(Source& source, std::span<std::int64_t> out) const;

 private:
  explicit RoundedGaussian(std::shared_ptr<const GaussianTables> tables)
      : tables_(std::move(tables)) {}
  std::shared_ptr<const GaussianTables> tables_;
};

// P[z] = e^(-z²/2σ²) / Σ e^(-k²/2σ²). σ any rational from 2^-20 to 2^40.
class DiscreteGaussian {
 public:
  static Result<DiscreteGaussian> create(const Rational& sigma);
  Result<std::int64_t> sample(Source& source) const;
  Status fill(Source& source, std::span<std::int64_t> out) const;

 private:
  explicit DiscreteGaussian(std::shared_ptr<const GaussianTables> tables)
      : tables_(std::move(tables)) {}
  std::shared_ptr<const GaussianTables> tables_;
};

}  // namespace discreet::random
