// The mean of n numbers in a public range, n public, that outliers can't pull away: the numbers are
// clamped to a narrower range, chosen privately, and the noise is that of the narrower range.
//
//   auto mechanism = *WinsorisedMean::create(
//       {.epsilon = 1, .low = 0, .high = 1'000'000, .count = 100});
//   std::vector<Rational> answers(100, 41);
//   auto told = *mechanism.release(Exact<std::vector<Rational>>::from_private(answers));
//
// What is proved: ε-DP when one of the n numbers is replaced. Two private quartiles a ≤ b cost ε/4
// each (rank.h). Given them, numbers are clamped to [a − w, b + w], w = 3/2·(b − a) and at least
// one step, and never outside of the public range; replacing one moves their sum by at most the
// length of that interval, and geometric noise of ε/2 is added to the sum on the grid (laplace.h).
// Basic composition, adaptive: ε/4 + ε/4 + ε/2. What the noise's scale tells is what the quartiles
// told, which are released values.
//
// The form is that of Smith, "Privacy-preserving statistical estimation with optimal convergence
// rates" (STOC 2011). There w grows with n, for his theorem on asymptotically normal answers; here
// it is that of Tukey's fences, which keeps all but 0.7 % of normal answers as they are.
#pragma once

#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/gap/rank.h"

namespace discreet::mechanism::gap {

struct WinsorisedMeanParameters {
  Rational epsilon;
  Rational low, high;
  std::int64_t count;  // how many numbers there are: public
  std::int64_t steps = 1000;
};

class WinsorisedMean : private Door {
 public:
  static Result<WinsorisedMean> create(const WinsorisedMeanParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, 0, privacy::Relation::kSubstitute}; }
  privacy::Event event() const;
  const WinsorisedMeanParameters& parameters() const { return p_; }

  // The margin is about the mean of the clamped numbers.
  Result<Released<Rational>> release(const Exact<std::vector<Rational>>& numbers,
                                     random::Source& source = random::thread_generator()) const;

  // P[sum = s] for s = 0 … steps·count, whose mean is at(s).
  Result<std::vector<Ball>> pmf(const std::vector<Rational>& numbers, long bits) const;
  Rational at(std::int64_t sum) const;

  // How far the answer is from the mean of the clamped numbers, but for probability beta, however
  // wide the chosen range is.
  Result<Rational> accuracy(const Rational& beta) const;

 private:
  WinsorisedMean(WinsorisedMeanParameters parameters, RankChoice lower, RankChoice upper)
      : p_(std::move(parameters)), lower_(std::move(lower)), upper_(std::move(upper)) {}
  // In points of the grid.
  struct Clamp {
    std::int64_t low, high;
  };
  Clamp clamp_for(std::int64_t one, std::int64_t other) const;
  Result<Additive> noise_for(const Clamp& clamp) const;
  Status check_count(std::size_t found) const;

  WinsorisedMeanParameters p_;
  RankChoice lower_, upper_;  // the quartiles
};

}  // namespace discreet::mechanism::gap
