// Noise never wraps: what doesn't fit 64 bits becomes the nearest end, ±(2^63 − 1).
#pragma once

#include <cstdint>
#include <limits>

#include "discreet/base/number.h"

namespace discreet::random {

inline std::int64_t saturate(const Integer& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (value > Integer(static_cast<long>(kMost))) return kMost;
  if (value < Integer(static_cast<long>(-kMost))) return -kMost;
  return value.get_si();
}

}  // namespace discreet::random
