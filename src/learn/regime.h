// How lots are drawn and noise is added to a step's sum, with the accounting that follows from the
// two. The trainer (learn/trainer.h) knows nothing else of privacy: it clips, adds up on a grid of
// whole numbers, and takes what comes out of here.
//
// - SubsampledGaussian (learn/subsampled.h): Poisson lots and fresh Gaussian noise, Abadi et al.
// - Tree aggregation (DP-FTRL): a fixed order, and noise that is correlated between steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/privacy/event.h"
#include "discreet/random/source.h"

namespace discreet::learn {

// A part of a step's sum: coordinates [begin, end) of the vector of whole numbers, which one
// example changes by at most `sensitivity` grid steps in ℓ2 (rounding included).
struct NoisyPart {
  std::size_t begin = 0, end = 0;
  double sensitivity = 1;  // in steps of the grid, rounded up
  Rational multiplier;     // the noise's σ over the sensitivity, of this part
};

class Regime {
 public:
  virtual ~Regime() = default;

  // The examples of a step, out of `rows` that are there. Which rows are drawn is secret.
  virtual Result<std::vector<std::uint64_t>> lot(std::uint64_t step, std::uint64_t rows,
                                                 random::Source& source) = 0;
  // What the sum is divided by: public, whatever was drawn.
  virtual double expected_lot() const = 0;

  // The noise multiplier that the step is accounted with: the parts' multipliers σ_j must have
  // Σ σ_j^-2 ≤ σ^-2.
  virtual const Rational& sigma(std::uint64_t step) const = 0;

  // Adds the step's noise to the parts of the sum, all at once. Steps are asked for in order, each
  // once.
  virtual Status add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                           std::span<std::int64_t> sum) = 0;

  // A training goes on in another process: steps [0, begun) count as spent, whether they were shown
  // or not. Which step is asked for next; those between are left out, and count all the same.
  virtual std::uint64_t resume(std::uint64_t begun) { return begun; }

  // What steps [0, steps) together cost.
  virtual Result<privacy::Event> spent(std::uint64_t steps) const = 0;
};

}  // namespace discreet::learn
