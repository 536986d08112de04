// Choosing without a branch: compilers turn `c ? a : b` into a jump when they think it pays, and a
// jump's time tells which way it went. The empty assembly hides from the compiler that the mask is
// all zeros or all ones.
#pragma once

#include <bit>
#include <cstdint>

#include "discreet/base/wide.h"

namespace discreet::mechanism {

// All ones if c, else 0.
inline std::uint64_t mask_of(bool c) {
  std::uint64_t mask = -static_cast<std::uint64_t>(c);
#if defined(__GNUC__)
  __asm__("" : "+r"(mask));
#endif
  return mask;
}

inline std::uint64_t select(std::uint64_t mask, std::uint64_t a, std::uint64_t b) {
  return b ^ ((a ^ b) & mask);
}
inline std::int64_t select(std::uint64_t mask, std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(
      select(mask, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
}
inline double select(std::uint64_t mask, double a, double b) {
  return std::bit_cast<double>(
      select(mask, std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)));
}
inline Wide select(std::uint64_t mask, Wide a, Wide b) {
  const UnsignedWide wide = static_cast<UnsignedWide>(mask) << 64 | mask;
  const auto x = static_cast<UnsignedWide>(a), y = static_cast<UnsignedWide>(b);
  return static_cast<Wide>(y ^ ((x ^ y) & wide));
}

// The value, or the nearer end of [low, high].
inline Wide clamp_select(Wide value, Wide low, Wide high) {
  value = select(mask_of(value < low), low, value);
  return select(mask_of(value > high), high, value);
}
inline std::int64_t clamp_select(std::int64_t value, std::int64_t low, std::int64_t high) {
  value = select(mask_of(value < low), low, value);
  return select(mask_of(value > high), high, value);
}

}  // namespace discreet::mechanism
