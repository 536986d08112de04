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

#include "discreet/mechanism/released.h"
#include "discreet/mechanism/selection.h"
#include "discreet/privacy/event.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

class Exponential : public Selection {
 public:
  static Result<Exponential> create(const SelectionParameters& parameters);

  // Of bounded range, which composes better than ε alone (Dong, Durfee and Rogers 2020).
  privacy::Event event() const { return event_at(p_.epsilon); }
  static privacy::Event event_at(const Rational& epsilon) {
    return {privacy::Exponential{epsilon}};
  }

  // The index of the candidate that was chosen.
  Result<Released<std::size_t>> release(const Exact<std::vector<std::int64_t>>& scores,
                                        random::Source& source = random::thread_generator()) const;

  // P[candidate i] for scores that someone imagines.
  std::vector<Ball> pmf(std::span<const std::int64_t> scores, long bits) const;

 private:
  using Selection::Selection;
};

}  // namespace discreet::mechanism
