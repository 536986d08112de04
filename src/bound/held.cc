#include "discreet/bound/held.h"

#include <algorithm>

namespace discreet::bound {

Reread::Reread(const Shape& held, const Shape& shape, std::span<const std::size_t> places)
    : from_(held), to_(shape) {
  const bool marks = marks_clamped(shape);
  for (std::size_t s = 0; s < shape.slots.size(); ++s) {
    const bool is_real = held.slots[places[s]].kind == Slot::Kind::kReal;
    const Slot::Kind kind = shape.slots[s].kind;
    made_.push_back({from_.slots_at + places[s],
                     is_real ? std::optional<Grid>(shape.slots[s]) : std::nullopt,
                     kind == Slot::Kind::kNumber, marks && is_real && kind != Slot::Kind::kScale});
  }
}

// Slot by slot: what is done with a slot is the same for all rows.
template <class From>
void Reread::make(std::size_t count, From&& from) {
  if (records_.size() < count * to_.stride) records_.resize((count + count / 2) * to_.stride);
  for (std::size_t i = 0; i < count; ++i)
    std::copy_n(from(i), from_.slots_at, records_.data() + i * to_.stride);
  for (std::size_t s = 0; s < made_.size(); ++s) {
    const Made& made = made_[s];
    std::uint64_t* to = records_.data() + to_.slots_at + s;
    const auto each = [&](auto&& value_of) {
      for (std::size_t i = 0; i < count; ++i)
        to[i * to_.stride] = static_cast<std::uint64_t>(value_of(from(i)[made.at]));
    };
    if (!made.grid) {
      each([](std::uint64_t value) { return value; });
    } else if (made.is_number) {
      each([&](std::uint64_t bits) { return made.grid->number(held_number(bits)); });
    } else {
      each([&](std::uint64_t bits) { return (*made.grid)(held_number(bits)); });
    }
    if (made.marks)
      for (std::size_t i = 0; i < count; ++i)
        if (made.grid->clamps(held_number(from(i)[made.at])))
          records_[i * to_.stride + to_.unit_words] |= Layout::kClamped;
  }
}

ByUnit::Record Reread::rows(ByUnit::Record held, std::size_t count) {
  make(count, [&](std::size_t i) { return held + i * from_.stride; });
  return records_.data();
}

void Reread::replace(std::span<Kept> held) {
  make(held.size(), [&](std::size_t i) { return held[i].row; });
  for (std::size_t i = 0; i < held.size(); ++i) held[i].row = records_.data() + i * to_.stride;
}

}  // namespace discreet::bound
