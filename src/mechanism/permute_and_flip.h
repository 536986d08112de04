// Permute-and-flip (McKenna and Sheldon 2020): go through the candidates in random order and toss a
// coin for each, which shows heads with probability e^(λ·(score − best)); the first heads is the
// answer. It is never worse than the exponential mechanism, at the same ε, and is what
// report-noisy-max with exponential noise does.
//
// What is proved: ε-DP with λ = ε/(2Δ); with ε/Δ for monotone scores (McKenna-Sheldon, Theorem 1
// and Section 4).
//
// How it samples: with U uniform and p the chance of heads, U < p is heads, and given heads U/p is
// uniform again: a random tag, whose order is a random order of the heads. So the answer is the
// candidate with the smallest U/p. Every candidate costs the same and none is left out early. Where
// the two smallest are too close for floating point with a proved error (probability below 2^-40),
// more digits of U and interval arithmetic decide.
#pragma once

#include "discreet/mechanism/released.h"
#include "discreet/mechanism/selection.h"
#include "discreet/privacy/event.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

class PermuteAndFlip : public Selection {
 public:
  static Result<PermuteAndFlip> create(const SelectionParameters& parameters);

  // Its range isn't bounded as the exponential mechanism's is: ε is all that is known.
  privacy::Event event() const { return event_at(p_.epsilon); }
  static privacy::Event event_at(const Rational& epsilon) {
    return {privacy::Approximate{epsilon, 0}};
  }

  Result<Released<std::size_t>> release(const Exact<std::vector<std::int64_t>>& scores,
                                        random::Source& source = random::thread_generator()) const;

  // P[candidate i] = p_i·∫₀¹ Π_{j≠i} (1 − p_j·t) dt, p_j the chance of heads: i has the tag t, and
  // no other heads has a smaller one. A polynomial in t, so Gauss and Legendre's rule with half as
  // many nodes as candidates is exact. At most kMostExact candidates with different scores.
  Result<std::vector<Ball>> pmf(std::span<const std::int64_t> scores, long bits) const;
  static constexpr std::size_t kMostExact = 2048;

 private:
  using Selection::Selection;
};

}  // namespace discreet::mechanism
