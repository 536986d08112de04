// A quantile of n numbers in a public range, n public: the aggregator of blocks whose answers are
// numbers (sample_aggregate.h). The exponential mechanism over a public grid, by rank.
//
//   auto median = *RankChoice::create({.epsilon = 1, .low = 0, .high = 100});
//   std::vector<Rational> answers = {41, 39, 40, 42, 97, 40, 41};
//   auto told = *median.release(Exact<std::vector<Rational>>::from_private(answers));  // 41, say
//
// What is proved: ε-DP when one of the n numbers is replaced. A point z of the grid loses
// dist(q·n, [#{x < z}, #{x ≤ z}]), by how many ranks it misses the quantile. Replacing a number
// moves either end of that interval by at most 1, and so the loss: sensitivity 1. The rest is the
// exponential mechanism's theorem (exponential.h; Smith 2011 for this use). Numbers outside of the
// range count as its nearer end, others as their nearest point, which is done to each by itself.
#pragma once

#include "discreet/mechanism/exponential.h"

namespace discreet::mechanism::gap {

struct RankParameters {
  Rational epsilon;
  Rational low, high;         // low < high
  std::int64_t steps = 1000;  // outputs are low, low + (high − low)/steps, …, high
  Rational quantile = Rational(1, 2);
};
inline constexpr std::int64_t kMostSteps = 1'000'000;

// low < high and 1 ≤ steps ≤ kMostSteps.
Status check_range(const Rational& low, const Rational& high, std::int64_t steps);

class RankChoice : private Door {
 public:
  static Result<RankChoice> create(const RankParameters& parameters);

  privacy::Guarantee guarantee() const { return chooser_.guarantee(); }
  privacy::Event event() const { return chooser_.event(); }
  const RankParameters& parameters() const { return p_; }

  Result<Released<Rational>> release(const Exact<std::vector<Rational>>& numbers,
                                     random::Source& source = random::thread_generator()) const;

  // The same with points of the grid (0 … steps) in place of numbers, in and out.
  Result<Released<std::int64_t>> release(const Exact<std::vector<std::int64_t>>& points,
                                         random::Source& source) const;
  std::vector<Ball> pmf(std::span<const std::int64_t> points, long bits) const;
  std::int64_t point(const Rational& number) const;
  std::vector<std::int64_t> points(const std::vector<Rational>& numbers) const;
  Rational at(std::int64_t point) const;

  // The least t with P[the chosen point misses the quantile by more than t ranks] ≤ beta, on these
  // numbers; and deck 000's bound for any: (2/ε)·ln((steps + 1)/β).
  Rational accuracy(std::span<const std::int64_t> points, const Rational& beta) const;
  double deck_accuracy(const Rational& beta) const;

 private:
  RankChoice(RankParameters parameters, Exponential chooser)
      : p_(std::move(parameters)), chooser_(std::move(chooser)) {}
  // Minus the loss, in parts of 1/(the quantile's denominator).
  std::vector<std::int64_t> scores(std::span<const std::int64_t> points) const;

  RankParameters p_;
  Exponential chooser_;
};

}  // namespace discreet::mechanism::gap
