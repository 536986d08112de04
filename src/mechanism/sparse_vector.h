// Sparse vector: which of many answers are above a threshold, paying only for the few that are.
//
//   SparseVectorParameters parameters{.epsilon = 1, .sensitivity = 1, .threshold = 100};
//   parameters.positives = 2;
//   auto mechanism = *SparseVector::create(parameters);
//   auto answers = Exact<std::vector<std::int64_t>>::from_private({20, 131, 90, 250, 300});
//   auto above = *mechanism.release(answers);  // ⊥ ⊤ ⊥ ⊤, and then no more: two were paid for
//
// What is proved (Lyu, Su and Li 2017, Algorithm 7 without its numeric part; Theorems 2 and 5). The
// threshold gets noise at Δ/ε1 once, every answer gets noise at 2cΔ/ε2 (cΔ/ε2 if the answers are
// monotone); the whole is (ε1 + ε2)-DP for up to c positives and any number of negatives. For:
// shift the threshold's noise by Δ, and a negative stays one; shift the noise of each positive by
// at most 2Δ, and it stays one too. The steps are whole, so discrete Laplace noise does.
//
// With `gap` each positive also tells by how much it was above (noisy answer − noisy threshold), at
// no further cost: the shift of a positive's noise that keeps the gap as it was is also at most 2Δ
// (Δ if monotone) (Wang, Ding, Zhang and Kifer 2019). Releasing the noisy answer itself is not
// free.
#pragma once

#include <optional>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/grid.h"
#include "discreet/mechanism/noise.h"
#include "discreet/mechanism/released.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

struct SparseVectorParameters {
  Rational epsilon;
  Rational sensitivity;         // by how much one unit can change any one answer, under `relation`
  Rational threshold;           // public; rounded to the grid
  std::uint64_t positives = 1;  // c
  bool monotone = false;        // all answers move the same way when a unit comes (or goes): counts
  bool gap = false;
  std::optional<Rational> grid = {};  // none: Grid::suited_to
  // ε1/ε. None: the share 1/(1 + (2c)^(2/3)) that makes the comparison least noisy (1/(1 + c^(2/3))
  // if monotone).
  std::optional<Rational> threshold_share = {};
  privacy::Relation relation = privacy::Relation::kAddRemove;
};

struct SparseAnswer {
  bool above;
  std::optional<std::int64_t>
      gap;  // in steps of the grid, at least 0; only for positives, and only if asked for

  friend bool operator==(const SparseAnswer&, const SparseAnswer&) = default;
  friend auto operator<=>(const SparseAnswer&, const SparseAnswer&) = default;
};
using SparseAnswers =
    std::vector<SparseAnswer>;  // shorter than the questions once c positives are used up

struct SparseOutcome {
  std::vector<bool> above;
  Ball probability;
};

class SparseVector : private Door {
 public:
  static Result<SparseVector> create(const SparseVectorParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, 0, p_.relation}; }
  // How the loss falls on threshold and positives depends on the answers: ε is all that is known.
  privacy::Event event() const { return {privacy::Approximate{p_.epsilon, 0}}; }
  const SparseVectorParameters& parameters() const { return p_; }
  const Grid& grid() const { return grid_; }
  std::int64_t threshold() const { return threshold_; }  // in steps
  const Noise& threshold_noise() const { return *threshold_noise_; }
  const Noise& answer_noise() const { return *answer_noise_; }

  // Answers in steps of the grid.
  Result<Released<SparseAnswers>> release(
      const Exact<std::vector<std::int64_t>>& answers,
      random::Source& source = random::thread_generator()) const;
  Result<Released<SparseAnswers>> release(
      const Exact<std::vector<double>>& answers,
      random::Source& source = random::thread_generator()) const;

  // The least a with: P[some answer below threshold − a is called above, or one above threshold + a
  // below] ≤ beta, over `questions` answers: the exact quantile of |threshold's noise| + max
  // |answers' noise|. In the answers' unit.
  Result<Rational> accuracy(std::uint64_t questions, const Rational& beta) const;

  // Every outcome (without gaps) and its probability: Σ_z P[threshold's noise = z]·Π P[answer i on
  // its side of threshold + z].
  Result<std::vector<SparseOutcome>> pmf(std::span<const std::int64_t> answers, long bits) const;
  // P[the first positive is answer i, with this gap], for c = 1.
  Result<Ball> gap_probability(std::span<const std::int64_t> answers, std::size_t i,
                               std::int64_t gap, long bits) const;

 private:
  SparseVector(SparseVectorParameters parameters, Grid grid, NoisePointer threshold_noise,
               NoisePointer answer_noise);
  Result<Released<SparseAnswers>> compare(std::span<const std::int64_t> answers,
                                          random::Source& source) const;

  SparseVectorParameters p_;
  Grid grid_;
  std::int64_t threshold_;
  NoisePointer threshold_noise_, answer_noise_;
};

// The distribution for any two scales, which is what broken variants differ in.
Result<std::vector<SparseOutcome>> sparse_vector_pmf(std::span<const std::int64_t> answers,
                                                     std::int64_t threshold,
                                                     std::uint64_t positives,
                                                     const Rational& threshold_scale,
                                                     const Rational& answer_scale, long bits);

}  // namespace discreet::mechanism
