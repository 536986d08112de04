#include "discreet/bound/held.h"

#include <algorithm>

namespace discreet::bound {

Reread::Reread(const Shape& held, const Shape& shape, std::span<const std::size_t> places)
    : from_(held), to_(shape) {
  const bool marks = marks_clamped(shape);
  for (std::size_t s = 0; s < shape.slots.size(); ++s) {
    const bool is_number = held.slots[places[s]].kind == Slot::Kind::kReal;
    made_.push_back({from_.slots_at + places[s],
                     is_number ? std::optional<Grid>(shape.slots[s]) : std::nullopt,
                     marks && is_number && shape.slots[s].kind != Slot::Kind::kScale});
  }
}

std::span<ByUnit::Record> Reread::rows(std::span<const ByUnit::Record> held) {
  records_.resize(held.size() * to_.stride);
  rows_.resize(held.size());
  std::uint64_t* to = records_.data();
  for (std::size_t i = 0; i < held.size(); ++i, to += to_.stride) {
    const ByUnit::Record from = held[i];
    std::copy(from, from + from_.slots_at, to);
    for (std::size_t s = 0; s < made_.size(); ++s) {
      const Made& made = made_[s];
      auto value = static_cast<std::int64_t>(from[made.at]);
      if (made.grid && value != kNothing) {
        const double number = held_number(value);
        value = (*made.grid)(number);
        if (made.marks && made.grid->clamps(number)) to[to_.unit_words] |= Layout::kClamped;
      }
      to[to_.slots_at + s] = static_cast<std::uint64_t>(value);
    }
    rows_[i] = to;
  }
  return rows_;
}

}  // namespace discreet::bound
