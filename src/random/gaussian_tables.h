// The two ways behind gaussian.h: one alias table for small deviations, cells with acceptance for
// all others.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/random/alias.h"
#include "discreet/random/gaussian_trials.h"
#include "discreet/random/source.h"

namespace discreet::random {

enum class GaussianKind { kRounded, kDiscrete };

class GaussianTables {
 public:
  virtual ~GaussianTables() = default;
  virtual Status fill(Source& source, std::span<std::int64_t> out) const = 0;
};

std::shared_ptr<const GaussianTables> make_gaussian_tables(GaussianKind kind,
                                                           const Rational& sigma);

// Below this deviation the alias table is used.
inline constexpr long kWideFrom = 16;

// Magnitudes of at least x0: a draw from the kind's distribution given |z| beyond it (for the
// rounded kind, given that the continuous variable is). Envelope: a geometric one that touches the
// density at x0. Rare, exact, slow.
class GaussianTail {
 public:
  GaussianTail(GaussianKind kind, const Rational& sigma, const Rational& x0)
      : kind_(kind), sigma_(sigma), x0_(x0) {}
  // Mass of the envelope Σ_g e^(-x0²/2σ²)·e^(-x0·g/σ²), in units of the unnormalised density
  // e^(-x²/2σ²).
  Ball envelope(long bits) const;
  // One trial: the envelope's draw, accepted with probability density/envelope: the integer
  // magnitude, or nothing.
  Result<std::optional<Integer>> attempt(Source& source) const;

 private:
  GaussianKind kind_;
  Rational sigma_, x0_;
};

// Σ ≤ 2K+1 values −K … K in one table.
class SmallGaussian final : public GaussianTables {
 public:
  SmallGaussian(GaussianKind kind, const Rational& sigma);
  Status fill(Source& source, std::span<std::int64_t> out) const override;

 private:
  std::vector<Ball> probabilities(long bits) const;
  Result<std::int64_t> sample_rare(Source& source) const;

  GaussianKind kind_;
  Rational sigma_;
  long most_;  // K
  std::vector<std::uint64_t> weights_;
  std::unique_ptr<AliasTable> table_;
};

// Cells of 2^k integers; see gaussian.h.
class WideGaussian final : public GaussianTables {
 public:
  WideGaussian(GaussianKind kind, const Rational& sigma);
  Status fill(Source& source, std::span<std::int64_t> out) const override;

 private:
  // What a block's trials are worth, by intervals; `filled` counts on.
  Status take_exactly(Source& source, const Trials& block, std::size_t n,
                      std::span<std::int64_t> out, std::size_t& filled) const;
  Ball peak(std::uint32_t cell, long bits) const;
  Result<bool> accepts_exactly(Source& source, std::uint32_t cell, std::uint64_t place,
                               std::uint64_t word) const;
  Result<std::optional<std::int64_t>> attempt_tail(Source& source, bool negative) const;

  GaussianKind kind_;
  Rational sigma_;
  unsigned shift_;  // k
  Integer height_;  // c: what the density's peak weighs
  double rate_;     // 1/(2σ²)
  std::vector<std::uint64_t> weights_;
  std::vector<double> factor_;  // c·peak/weight ≤ 1: a cell's acceptance at its highest point
  std::unique_ptr<AliasTable> table_;
  GaussianTail tail_;
};

}  // namespace discreet::random
