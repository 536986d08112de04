// Many coins of one bias, 64 to a word, exactly.
//
//   #include "discreet/random/generator.h"
//   CoinWords coins = *CoinWords::create([](long bits) { return exp(Ball(-1), bits); });  // e^-1
//   std::uint64_t heads = 0;
//   Status tossed = coins.fill(thread_generator(), {&heads, 1});  // 64 coins, heads are ones
//
// Each lane of a word compares a uniform number u with the bias p, digit by digit from the top:
// where they first differ, the lane is decided, u < p is heads. A digit of all 64 lanes is one word
// and two operations.
//
// What is proved: P[heads] = p, exactly. Every lane draws kDigits digits, decided or not: to stop
// where all are decided would tell how long the longest tie was, and with it what the coins may be
// (of a bias below 2^-z, no coin that is decided within z digits is heads). A lane still open then
// (once in 2^46; a word has one once in 2^40) goes on with intervals (lazy_uniform.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

class CoinWords {
 public:
  static constexpr std::size_t kDigits = 46;  // 64 lanes · 2^-46 = 2^-40

  // Any real probability that can be enclosed (base/ball.h).
  static Result<CoinWords> create(Real p);

  Status fill(Source& source, std::span<std::uint64_t> out) const;

 private:
  CoinWords(Real p, const std::array<std::uint64_t, kDigits>& digits, Integer known)
      : p_(std::move(p)), digits_(digits), known_(std::move(known)) {}
  // The lanes of `open` have drawn the known digits of p and nothing more.
  Status finish(Source& source, std::uint64_t open, std::uint64_t& out) const;

  Real p_;
  std::array<std::uint64_t, kDigits> digits_;  // binary digits of p from the top, each as 0 or ~0
  Integer known_;                              // the same as a whole number
};

}  // namespace discreet::random
