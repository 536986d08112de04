// Report noisy max (deck 000): add noise to every score and tell which candidate has the largest,
// and nothing else.
//
// What is proved. With discrete Laplace noise at scale 2Δ/ε it is ε-DP; at Δ/ε for monotone scores
// only. (The deck says Δ/ε for all. It isn't so: with scores that move apart that is 2ε-DP.) Fix
// the noise of all others; candidate i wins iff its own noise is at least some r. For a neighbour
// every score moves by at most Δ, so r moves by at most 2Δ (Δ if all move the same way), and P[Z ≥
// r + 2Δ] ≥ e^-ε·P[Z ≥ r]. Ties go to the first candidate: r counts that in. It isn't the
// exponential mechanism (004 says "same"): Gumbel noise would make it that, exponential noise
// permute-and-flip.
#pragma once

#include <optional>

#include "discreet/mechanism/noise.h"
#include "discreet/mechanism/released.h"
#include "discreet/mechanism/selection.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

class NoisyMax : public Selection {
 public:
  // Scores and sensitivity are in steps of the grid; a sensitivity that isn't whole is rounded up.
  static Result<NoisyMax> create(const SelectionParameters& parameters);

  // Of its loss no more is known than ε.
  privacy::Event event() const { return event_at(p_.epsilon); }
  static privacy::Event event_at(const Rational& epsilon) {
    return {privacy::Approximate{epsilon, 0}};
  }
  const Noise& noise() const { return *noise_; }

  Result<Released<std::size_t>> release(const Exact<std::vector<std::int64_t>>& scores,
                                        random::Source& source = random::thread_generator()) const;

  // P[candidate i] = Σ_z P[Z_i = z − s_i]·Π_{j<i} P[Z_j < z − s_j]·Π_{j>i} P[Z_j ≤ z − s_j], over
  // every z that matters; what is left out (less than 2^-64) is in the width of the balls. An error
  // where that would be too many terms.
  Result<std::vector<Ball>> pmf(std::span<const std::int64_t> scores, long bits) const;

 private:
  NoisyMax(SelectionParameters parameters, NoisePointer noise)
      : Selection(std::move(parameters)), noise_(std::move(noise)) {}
  NoisePointer noise_;
};

// The distribution for any scale of the noise: what the tests show to be wrong at Δ/ε.
Result<std::vector<Ball>> noisy_max_pmf(std::span<const std::int64_t> scores, const Rational& scale,
                                        long bits);

}  // namespace discreet::mechanism
