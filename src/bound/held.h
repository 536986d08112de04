// Rows that are held before it is known how they count: once that is known they are read as rows of
// its shape, as often as there is something to add up. Nothing has to be read again where bounds
// are measured first.
//
// A held slot is a number's bits (kReal) or what any shape would have in its place; a slot of the
// other shape is made of one of them.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "discreet/bound/by_unit.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/shape.h"

namespace discreet::bound {

// What a kReal holds of a number. There is one zero, so that no number is taken for nothing.
inline std::int64_t held_bits(double value) {
  return value != value ? kNothing : std::bit_cast<std::int64_t>(value + 0.0);
}
inline double held_number(std::int64_t bits) { return std::bit_cast<double>(bits); }

// One thread's reading of held rows as rows of a shape, whose slot s is made of the held slot
// places[s].
class Reread {
 public:
  Reread(const Shape& held, const Shape& shape, std::span<const std::size_t> places);

  // A unit's rows; they last until the next call.
  std::span<ByUnit::Record> rows(std::span<const ByUnit::Record> held);

 private:
  struct Made {
    std::size_t at;  // in a held record
    std::optional<Grid> grid;
    bool marks;  // where it is clamped
  };
  Layout from_, to_;
  std::vector<Made> made_;  // by slot of the shape
  std::vector<std::uint64_t> records_;
  std::vector<ByUnit::Record> rows_;
};

}  // namespace discreet::bound
