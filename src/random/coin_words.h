// Many coins of one bias, 64 to a word, exactly.
//
//   #include "discreet/random/generator.h"
//   CoinWords coins = *CoinWords::create([](long bits) { return exp(Ball(-1), bits); });  // e^-1
//   std::uint64_t heads = 0;
//   Status tossed = coins.fill(thread_generator(), {&heads, 1});  // 64 coins, heads are ones
//
// Each lane of a word compares a uniform number u with the bias p, digit by digit from the top:
// where they first differ, the lane is decided, u < p is heads. A digit of all 64 lanes is one word
// and two operations, and half of the lanes that are open are decided by it: about 7 words for 64
// coins, where bernoulli.h takes 64.
//
// What is proved: P[heads] = p, exactly. The digits used are those that an enclosure of p is sure
// of, 192 or a few less; a lane still open then (once in 2^190) goes on with intervals
// (lazy_uniform.h). How many words are drawn depends on what was drawn, on nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

class CoinWords {
 public:
  // Any real probability that can be enclosed (base/ball.h).
  static Result<CoinWords> create(Real p);

  Status fill(Source& source, std::span<std::uint64_t> out) const;

 private:
  CoinWords(Real p, std::vector<std::uint64_t> digits, Integer known)
      : p_(std::move(p)), digits_(std::move(digits)), known_(std::move(known)) {}
  // The lanes of `open` have drawn the known digits of p and nothing more.
  Status finish(Source& source, std::uint64_t open, std::uint64_t& out) const;

  Real p_;
  std::vector<std::uint64_t> digits_;  // binary digits of p from the top, each as 0 or ~0
  Integer known_;                      // the same as a whole number: ⌊2^digits·p⌋
};

}  // namespace discreet::random
