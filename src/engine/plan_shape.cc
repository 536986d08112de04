#include "discreet/engine/plan_shape.h"

#include <algorithm>
#include <cmath>

namespace discreet::engine {

bound::Column::Kind key_column(sql::Type type) {
  return type == sql::Type::kText     ? bound::Column::Kind::kText
         : type == sql::Type::kDouble ? bound::Column::Kind::kReal
                                      : bound::Column::Kind::kWhole;
}

bound::Column::Kind slot_column(const sql::Slot& slot) {
  if (slot.kind == sql::Slot::Kind::kFlag || slot.kind == sql::Slot::Kind::kChoice)
    return bound::Column::Kind::kWhole;
  return slot.kind == sql::Slot::Kind::kHash ? bound::Column::Kind::kText
                                             : bound::Column::Kind::kReal;
}

bound::Shape shape_of(const sql::PlanPart& part) {
  using T = bound::Total::Kind;
  using S = sql::Statistic::Kind;
  bound::Shape out;
  out.text_units = part.select.input->unit_type == sql::Type::kText;
  out.keys = part.select.keys.size();
  out.max_groups = static_cast<std::uint32_t>(part.max_groups);
  out.max_rows = static_cast<std::uint32_t>(part.rows_per_group);
  for (const sql::Slot& slot : part.slots) {
    bound::Slot one;
    one.low = slot.low;
    one.high = slot.high;
    one.leaves = slot.leaves;
    one.inverse_step = std::ldexp(1.0, -slot.exponent);
    switch (slot.kind) {
      case sql::Slot::Kind::kNumber:
        one.kind = bound::Slot::Kind::kNumber;
        break;
      case sql::Slot::Kind::kFlag:
        one.kind = bound::Slot::Kind::kFlag;
        break;
      case sql::Slot::Kind::kHash:
        one.kind = bound::Slot::Kind::kHash;
        break;
      case sql::Slot::Kind::kLeaf:
        one.bottom = to_double(slot.bounds.low);
        one.width = std::max(to_double(Rational(slot.bounds.high - slot.bounds.low)), 1e-300);
        [[fallthrough]];
      case sql::Slot::Kind::kChoice:
        one.kind = bound::Slot::Kind::kLeaf;
        break;
    }
    out.slots.push_back(one);
  }
  for (const sql::Statistic& statistic : part.statistics) {
    bound::Total one;
    one.slot = statistic.slot;
    one.center = statistic.center;
    one.shift = statistic.shift;
    one.low = statistic.low;
    one.high = statistic.high;
    constexpr T kKinds[] = {T::kRows,       T::kCount,     T::kSum,        T::kSquares,
                            T::kUnits,      T::kDistinct,  T::kGroupCount, T::kGroupSum,
                            T::kGroupMeans, T::kGroupMean, T::kHistogram};
    one.kind = kKinds[static_cast<std::size_t>(statistic.kind)];
    const bool whole = statistic.kind == S::kGroupCount || statistic.kind == S::kGroupSum ||
                       statistic.kind == S::kGroupMeans || statistic.kind == S::kGroupMean;
    if (whole && one.slot) out.slots[*one.slot].whole_groups = true;
    if (whole && !one.slot) out.counts_whole_rows = true;
    out.totals.push_back(one);
  }
  return out;
}

void key_bytes(bound::KeyBytes& out, const sql::Value& value) {
  if (value.null) {
    out.null();
  } else if (value.type == sql::Type::kText) {
    out.text(value.string);
  } else if (value.type == sql::Type::kDouble) {
    out.real(value.real);
  } else {
    out.whole(value.whole);
  }
}

void close_groups(const sql::PlanPart& part, bound::Groups& groups) {
  const auto& domains = part.select.domains;
  std::vector<std::size_t> at(domains.size());
  for (;;) {
    bound::KeyBytes key;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      sql::Value value = (*domains[i])[at[i]];
      if (!value.null && part.select.keys[i].type == sql::Type::kDouble)
        value = sql::Value::number(value.as_number());
      key_bytes(key, value);
    }
    groups.number(key.view());
    std::size_t i = domains.size();
    while (i > 0 && ++at[i - 1] == domains[i - 1]->size()) at[--i] = 0;
    if (i == 0) break;
  }
  groups.close();
}

}  // namespace discreet::engine
