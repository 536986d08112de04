// A row as the bounding holds it, in 64-bit words: its unit, its group, the slots.
//
// The unit is one word (a permuted whole number) or two (the hash of a text). Equal rows of a unit
// may be held once: the word of the group says how many there are, and whether a value of the row
// had to be clamped.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "discreet/bound/shape.h"

namespace discreet::bound {

struct Layout {
  explicit Layout(const Shape& shape)
      : unit_words(shape.text_units ? 2 : 1),
        slots_at(unit_words + 1),
        slots(shape.slots.size()),
        stride(slots_at + slots) {}

  static constexpr std::uint64_t kOne = std::uint64_t{1} << 32;      // one copy
  static constexpr std::uint64_t kClamped = std::uint64_t{1} << 63;  // the mark
  static constexpr std::uint32_t kMostCopies = (std::uint32_t{1} << 31) - 1;

  std::uint32_t group(const std::uint64_t* record) const {
    return static_cast<std::uint32_t>(record[unit_words]);
  }
  std::uint32_t copies(const std::uint64_t* record) const {
    return static_cast<std::uint32_t>(record[unit_words] >> 32) & kMostCopies;
  }
  bool clamped(const std::uint64_t* record) const { return (record[unit_words] & kClamped) != 0; }
  std::int64_t slot(const std::uint64_t* record, std::size_t s) const {
    return static_cast<std::int64_t>(record[slots_at + s]);
  }
  // Are they the same but for how many there are?
  bool same(const std::uint64_t* a, const std::uint64_t* b) const {
    constexpr std::uint64_t kCopies = std::uint64_t{kMostCopies} << 32;
    return std::equal(a, a + unit_words, b) && ((a[unit_words] ^ b[unit_words]) & ~kCopies) == 0 &&
           std::equal(a + slots_at, a + stride, b + slots_at);
  }
  // So many of them, at most kMostCopies.
  void set_copies(std::uint64_t* record, std::uint32_t copies) const {
    record[unit_words] &= ~(std::uint64_t{kMostCopies} << 32);
    record[unit_words] |= copies * kOne;
  }

  std::size_t unit_words, slots_at, slots, stride;
};

}  // namespace discreet::bound
