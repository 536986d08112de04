// Poisson lots and fresh Gaussian noise in every step: Algorithm 1 of Abadi et al. 2016, with the
// noise inside the mean.
//
// What is proved. A step draws each example with probability q = L/N (exactly, random/
// poisson_sampling.h; L and N are public), and releases sums of which one example changes part j by
// at most Δ_j in ℓ2, each with N(0, (σ_j Δ_j)²) noise, rounded to the grid (post-processing). The
// parts are of one sample: scaled by 1/(σ_jΔ_j) they are one Gaussian release of sensitivity
// (Σ σ_j^-2)^½. So a step is poisson(q, gaussian(sigma=σ)) for any σ with σ^-2 ≥ Σ σ_j^-2,
// which is checked in exact numbers for every step. Steps compose.
#pragma once

#include <memory>
#include <optional>

#include "discreet/learn/regime.h"
#include "discreet/learn/schedule.h"
#include "discreet/learn/workers.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/poisson_sampling.h"

namespace discreet::learn {

class SubsampledGaussian final : public Regime {
 public:
  // Stretches of steps with a σ each, the first from step 0 on.
  static Result<SubsampledGaussian> create(std::uint64_t lot, std::uint64_t count,
                                           std::vector<Schedule::Piece> sigma, Workers& workers);

  Result<std::vector<std::uint64_t>> lot(std::uint64_t step, std::uint64_t rows,
                                         random::Source& source) override;
  double expected_lot() const override { return static_cast<double>(lot_); }
  Status add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                   std::span<std::int64_t> sum) override;
  Result<privacy::Event> spent(std::uint64_t steps) const override;

  const Rational& rate() const { return rate_; }
  const Rational& sigma(std::uint64_t step) const override;

 private:
  struct Drawn {  // a part's noise, made when its scale changes
    double sensitivity = 0;
    Rational multiplier;
    random::RoundedGaussian noise;
  };

  SubsampledGaussian(std::uint64_t lot, Rational rate, std::vector<Schedule::Piece> sigma,
                     random::PoissonSampling sampling, Workers& workers)
      : lot_(lot),
        rate_(std::move(rate)),
        pieces_(std::move(sigma)),
        sampling_(std::move(sampling)),
        workers_(&workers) {}

  std::uint64_t lot_;
  Rational rate_;
  std::vector<Schedule::Piece> pieces_;
  random::PoissonSampling sampling_;
  Workers* workers_;
  std::vector<std::optional<Drawn>> drawn_;
};

// What steps [0, steps) cost: poisson(q, gaussian(sigma=σ))*n for each stretch, composed.
privacy::Event subsampled_event(const Rational& rate, const std::vector<Schedule::Piece>& sigma,
                                std::uint64_t steps);

}  // namespace discreet::learn
