// Choosing one of several candidates by a private score: what exponential.h, permute_and_flip.h and
// noisy_max.h share.
//
//   #include "discreet/mechanism/exponential.h"
//   SelectionParameters parameters{.epsilon = Rational(1, 10),
//                                  .sensitivity = 1,
//                                  .candidates = Candidates::named({"dark", "brown", "blond"})};
//   auto mechanism = *Exponential::create(parameters);
//   auto scores = Exact<std::vector<std::int64_t>>::from_private({500, 399, 399});
//   auto colour = *mechanism.release(scores);
//   std::string name = parameters.candidates.name(colour.value());  // "dark", very likely
//
// The candidates are public: they are given when the mechanism is made, before any private value is
// in sight, and an Exact can't be turned into them. Scores come afterwards, one for each candidate
// and as integers (Grid::round makes integers of real scores). A candidate list taken from the data
// would itself tell who is in it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/mechanism/door.h"
#include "discreet/mechanism/select.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism {

class Candidates {
 public:
  static Candidates named(std::vector<std::string> names);
  static Candidates numbered(std::size_t count);  // "0", "1", …

  std::size_t size() const { return size_; }
  std::string name(std::size_t index) const;

 private:
  Candidates(std::vector<std::string> names, std::size_t size)
      : names_(std::move(names)), size_(size) {}
  std::vector<std::string> names_;  // empty: numbered
  std::size_t size_;
};

struct SelectionParameters {
  Rational epsilon;
  Rational sensitivity;  // by how much one unit can change any one score, under `relation`
  Candidates candidates;
  // All scores move the same way when a unit comes (or goes): counts do, under add/remove. Halves
  // the noise.
  bool monotone = false;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};

// Scores beyond ±(2^62 − 1) count as that: their differences then fit 64 bits.
inline constexpr std::int64_t kLargestScore = (std::int64_t{1} << 62) - 1;
inline std::int64_t clamped_score(std::int64_t score) {
  return clamp_select(score, -kLargestScore, kLargestScore);
}
std::int64_t best_score(std::span<const std::int64_t> scores);

Status check_selection(const SelectionParameters& parameters);
// The rate λ at which a candidate's weight e^(λ·score) grows: ε/(2Δ), or ε/Δ for monotone scores.
Rational selection_rate(const SelectionParameters& parameters);

// What the three have in common: their parameters, what they promise, and how scores come in.
class Selection : protected Door {
 public:
  privacy::Guarantee guarantee() const { return {p_.epsilon, 0, p_.relation}; }
  const SelectionParameters& parameters() const { return p_; }

 protected:
  explicit Selection(SelectionParameters parameters) : p_(std::move(parameters)) {}
  // One for each candidate. They live as long as the Exact does.
  Result<std::span<const std::int64_t>> opened(
      const Exact<std::vector<std::int64_t>>& scores) const;

  SelectionParameters p_;
};

// Exact accuracy on given scores: the least t with P[best score − chosen score > t] ≤ beta, from
// the distribution.
Rational selection_accuracy(std::span<const std::int64_t> scores, std::span<const Ball> pmf,
                            const Rational& beta);

// Deck 000's theorem for exponential and permute-and-flip: best − chosen ≤ ln(|O|/(β·|O*|))/λ with
// probability 1−β, |O*| the number of candidates with the best score. For planning, before there
// are scores, take |O*| = 1.
double deck_selection_bound(const SelectionParameters& parameters, std::size_t best_candidates,
                            const Rational& beta);
// The same theorem read as the deck reads it for hair colour: the chance that a best candidate is
// chosen is at least 1 − (|O|/|O*|)·e^(-λ·t), with t the largest loss on the grid of scores that
// still excludes the second best.
double deck_selection_chance(const SelectionParameters& parameters,
                             std::span<const std::int64_t> scores);

}  // namespace discreet::mechanism
