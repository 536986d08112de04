// Coins with an exactly known bias.
//
//   #include "discreet/random/generator.h"
//   Bernoulli coin = *Bernoulli::create(Rational(1, 3));
//   bool heads = *coin.sample(thread_generator());  // true one time in three
//   Bernoulli rare = *Bernoulli::exponential(Rational(5, 2));  // true with probability e^(-5/2)
//
// A toss takes one 64-bit word; only when that word can't decide (probability 2^-63 or less) are
// more bits drawn and intervals narrowed until it is decided.
#pragma once

#include <cstdint>
#include <span>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

class Bernoulli {
 public:
  // A rational probability, 0 to 1.
  static Result<Bernoulli> create(const Rational& p);
  // Any real probability that can be enclosed (base/ball.h).
  static Result<Bernoulli> create(Real p);
  // e^-gamma, gamma ≥ 0.
  static Result<Bernoulli> exponential(const Rational& gamma);

  Result<bool> sample(Source& source) const;
  Status fill(Source& source, std::span<std::int64_t> out) const;  // zeros and ones

 private:
  Bernoulli(Real p, std::uint64_t low, std::uint64_t high, bool always)
      : p_(std::move(p)), low_(low), high_(high), always_(always) {}

  Real p_;
  // 2^64·p lies in [low, high + 1): a word below `low` is heads, one above `high` tails, one
  // between is not decided yet.
  std::uint64_t low_, high_;
  bool always_;  // p = 1, which no 64-bit threshold expresses
};

// One toss of a coin that is not needed again.
Result<bool> bernoulli(Source& source, const Rational& p);
Result<bool> bernoulli(Source& source, const Real& p);
Result<bool> bernoulli_exp(Source& source, const Rational& gamma);

}  // namespace discreet::random
