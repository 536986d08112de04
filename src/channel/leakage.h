// What an adversary learns: vulnerabilities before and after the answer, and their ratio.
//
//   Channel coin = *Channel::create(2, 2, {Rational(3, 4), Rational(1, 4), Rational(1, 4),
//                                          Rational(3, 4)});
//   Leakage leak = *leakage_of(coin, *uniform_prior(2), *Gain::identity(2));
//   Rational ratio = *leak.multiplicative();  // 3/2: log2(3/2) = 0.58 bits of min-entropy
#pragma once

#include <optional>

#include "discreet/channel/utility.h"

namespace discreet::channel {

// V_g(π) = max_w Σ_y π(y)·g(w, y) and V_g(π, C), which is the utility. For the identity gain these
// are the Bayes vulnerabilities, and log2 of their ratio is the min-entropy leakage (Smith 2009).
struct Leakage {
  Rational prior, posterior;

  // Posterior over prior; none where the prior vulnerability isn't positive.
  std::optional<Rational> multiplicative() const;
  Rational additive() const { return posterior - prior; }
};
Result<Leakage> leakage_of(const Channel& channel, const Prior& prior, const Gain& gain);

// Σ_z max_y C[y][z]: 2 to the power of the min-entropy capacity. No prior and no nonnegative gain
// leaks more, multiplicatively; a uniform prior with the identity gain reaches it (Braun,
// Chatzikokolakis and Palamidessi 2009; Alvim et al. 2012).
Rational multiplicative_capacity(const Channel& channel);

// log2, the nearest double.
double bits_of(const Rational& ratio);

}  // namespace discreet::channel
