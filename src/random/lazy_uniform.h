// A uniform real number in [0, 1) whose binary digits are revealed as they are needed.
#pragma once

#include "discreet/base/ball.h"
#include "discreet/random/source.h"

namespace discreet::random {

class LazyUniform {
 public:
  LazyUniform() = default;
  // Starts from 64 digits that are already known.
  explicit LazyUniform(std::uint64_t first_word);

  // Reveals digits until there are at least `bits`.
  Status reveal(Source& source, long bits);
  // The first binary digit, which must have been revealed: whether the number is at least ½.
  bool first_digit() const;
  // The interval of all numbers that begin with the digits revealed so far.
  Ball enclosure() const;

 private:
  Integer digits_ = 0;
  long bits_ = 0;
};

// Whether u < p, decided by revealing u and narrowing p until they part. p may depend on other
// numbers revealed on the way; it must not equal u with positive probability.
Result<bool> falls_below(Source& source, LazyUniform& u,
                         const std::function<Result<Ball>(long bits)>& p);

// The first precision tried; each next one is twice as fine.
inline constexpr long kFirstBits = 64;

}  // namespace discreet::random
