// The exponential mechanism (McSherry and Talwar 2007; deck 000): a candidate is chosen with
// probability proportional to e^(ε·score/(2Δ)).
//
// What is proved. Between neighbours each weight changes by a factor of at most e^(ε/2) and so does
// their sum: e^ε in all. If the scores are monotone, all weights change the same way, the sum
// offsets what a weight gains, and e^(ε·score/Δ) will do. Tight for two candidates of which one
// rises and the other falls, in the limit of a small share.
//
// How it samples: a dart at the line of all weights, each an integer a little larger than its
// weight (weights.h). Where the dart falls too close to an integer's end to say whether it hit the
// weight (probability below
// 2^-41 + n·2^-60 for n candidates), more digits of its place and interval arithmetic decide; a
// miss throws again. The result is exact, and each candidate costs the same.
#pragma once

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/released.h"
#include "discreet/mechanism/selection.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

class Exponential : private Door {
 public:
  static Result<Exponential> create(const SelectionParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, 0, p_.relation}; }
  const SelectionParameters& parameters() const { return p_; }

  // The index of the candidate that was chosen.
  Result<Released<std::size_t>> release(const Exact<std::vector<std::int64_t>>& scores,
                                        random::Source& source = random::thread_generator()) const;

  // P[candidate i] for scores that someone imagines.
  std::vector<Ball> pmf(std::span<const std::int64_t> scores, long bits) const;

 private:
  explicit Exponential(SelectionParameters parameters) : p_(std::move(parameters)) {}
  SelectionParameters p_;
};

}  // namespace discreet::mechanism
