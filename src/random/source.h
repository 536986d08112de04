// Where random bits come from. Samplers ask for whole blocks of 64-bit words, so the virtual call
// costs nothing that shows. The one shipped source is Generator; tests bring their own
// (random/testing/).
#pragma once

#include <cstdint>
#include <span>

#include "discreet/base/error.h"

namespace discreet::random {

class Source {
 public:
  virtual ~Source() = default;
  // Fills `words` with independent uniform bits, or fails: it never returns fewer, older or
  // predictable ones.
  virtual Status fill(std::span<std::uint64_t> words) = 0;
};

}  // namespace discreet::random
