// Rows that are held before it is known how they count: once that is known they are read as rows of
// its shape, as often as there is something to add up. Nothing has to be read again where bounds
// are measured first.
//
// A held slot is a number's bits (kReal) or what any shape would have in its place; a slot of the
// other shape is made of one of them.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "discreet/bound/choice.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/shape.h"

namespace discreet::bound {

// What a kReal holds of a number: its bits. Nothing is NaN, for every grid.
inline std::uint64_t held_bits(double value) { return std::bit_cast<std::uint64_t>(value); }
inline double held_number(std::uint64_t bits) { return std::bit_cast<double>(bits); }
inline constexpr std::uint64_t kHeldNothing =
    std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN());

// One thread's reading of held rows as rows of a shape, whose slot s is made of the held slot
// places[s].
class Reread {
 public:
  Reread(const Shape& held, const Shape& shape, std::span<const std::size_t> places);

  // A unit's rows, one after the other; they last until the next call.
  ByUnit::Record rows(ByUnit::Record held, std::size_t count);
  // Puts them in the place of rows that were chosen.
  void replace(std::span<Kept> held);

 private:
  struct Made {
    std::size_t at;            // in a held record
    std::optional<Grid> grid;  // of a number's bits
    bool is_number;            // … and not of another kind
    bool marks;                // where it is clamped
  };
  // Of `count` rows, of which row i is at from(i).
  template <class From>
  void make(std::size_t count, From&& from);

  Layout from_, to_;
  std::vector<Made> made_;  // by slot of the shape
  std::vector<std::uint64_t> records_;
};

}  // namespace discreet::bound
