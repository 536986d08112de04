// Coins with an exactly known bias. Each takes one 64-bit word; only when that word can't decide
// (probability ≤ 2^-40) are more bits drawn and intervals narrowed until it is decided.
#pragma once

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

// 1 with probability p, a rational in [0, 1].
Result<bool> bernoulli(Source& source, const Rational& p);
// 1 with probability p, any real number in [0, 1] that can be enclosed (base/ball.h).
Result<bool> bernoulli(Source& source, const Real& p);
// 1 with probability e^-gamma, gamma ≥ 0.
Result<bool> bernoulli_exp(Source& source, const Rational& gamma);

}  // namespace discreet::random
