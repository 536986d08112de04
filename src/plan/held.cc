#include "discreet/plan/held.h"

#include <algorithm>

#include "discreet/plan/shape.h"
#include "discreet/plan/survey.h"

namespace discreet::plan {
namespace {

// What is held for a slot.
Slot held_slot(const Slot& slot) {
  if (slot_column(slot) != bound::Column::Kind::kReal) return slot;
  Slot out;
  out.kind = Slot::Kind::kReal;
  out.value = slot.value;
  return out;
}

bool same(const Slot& a, const Slot& b) {
  return static_cast<const bound::Slot&>(a) == static_cast<const bound::Slot&>(b) &&
         a.value == b.value && a.choices == b.choices;
}

std::size_t place_of(const Slot& slot, const std::vector<Slot>& slots) {
  const auto found = std::find_if(slots.begin(), slots.end(),
                                  [&](const Slot& other) { return same(other, slot); });
  return static_cast<std::size_t>(found - slots.begin());
}

}  // namespace

PlanPart held_part(const PlanPart& part) {
  PlanPart out = rows_and_groups(part);
  const auto hold = [&](const Slot& slot) {
    Slot held = held_slot(slot);
    if (place_of(held, out.slots) == out.slots.size()) out.slots.push_back(std::move(held));
  };
  for (const Slot& slot : part.survey->slots) hold(slot);
  for (const Slot& slot : part.slots) hold(slot);
  return out;
}

std::optional<std::vector<std::size_t>> held_places(const PlanPart& held, const PlanPart& part) {
  std::vector<std::size_t> out;
  for (const Slot& slot : part.slots) {
    out.push_back(place_of(held_slot(slot), held.slots));
    if (out.back() == held.slots.size()) return std::nullopt;
  }
  return out;
}

}  // namespace discreet::plan
