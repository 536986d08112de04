// How useful a channel is to a user with a prior and a gain, who makes the best of every answer.
//
//   Channel coin = *Channel::create(2, 2, {Rational(3, 4), Rational(1, 4), Rational(1, 4),
//                                          Rational(3, 4)});
//   Utility use = *utility_of(coin, *uniform_prior(2), *Gain::identity(2));
//   Rational value = use.value;  // 3/4, with the remap 0 → 0, 1 → 1
//
//     U(C, π, g) = max_r Σ_y π(y) Σ_z C[y][z]·g(r(z), y) = Σ_z max_w Σ_y π(y)·C[y][z]·g(w, y)
//
// (deck 003; in quantitative information flow, the posterior g-vulnerability: Alvim,
// Chatzikokolakis, Palamidessi and Smith 2012). The maximum is over remaps r, not over databases.
#pragma once

#include <optional>
#include <vector>

#include "discreet/channel/channel.h"
#include "discreet/channel/gain.h"
#include "discreet/channel/prior.h"

namespace discreet::channel {

struct Utility {
  Rational value;
  std::vector<std::size_t> remap;  // the best guess for each output; the output itself if that ties
};

// Exact. Doubles with a proved error find the guesses that could be best; fractions decide among
// them.
Result<Utility> utility_of(const Channel& channel, const Prior& prior, const Gain& gain);

// With a remap that someone else chose.
Result<Rational> utility_with(const Channel& channel, const Prior& prior, const Gain& gain,
                              const std::vector<std::size_t>& remap);

// Before any answer: max_w Σ_y π(y)·g(w, y).
Result<Utility> utility_of_guessing(const Prior& prior, const Gain& gain);

}  // namespace discreet::channel
