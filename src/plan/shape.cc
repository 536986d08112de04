#include "discreet/plan/shape.h"

#include "discreet/plan/group_keys.h"

namespace discreet::plan {

bound::Column::Kind key_column(policy::Type type) {
  switch (type) {
    case policy::Type::kText:
      return bound::Column::Kind::kText;
    case policy::Type::kDouble:
      return bound::Column::Kind::kReal;
    case policy::Type::kBool:
    case policy::Type::kInt:
    case policy::Type::kDate:
    case policy::Type::kTimestamp:
      break;
  }
  return bound::Column::Kind::kWhole;
}

bound::Column::Kind slot_column(const plan::Slot& slot) {
  switch (slot.kind) {
    case plan::Slot::Kind::kFlag:
    case plan::Slot::Kind::kChoice:
      return bound::Column::Kind::kWhole;
    case plan::Slot::Kind::kHash:
    case plan::Slot::Kind::kWord:
      return bound::Column::Kind::kText;
    case plan::Slot::Kind::kNumber:
    case plan::Slot::Kind::kLeaf:
    case plan::Slot::Kind::kScale:
      break;
  }
  return bound::Column::Kind::kReal;
}

bound::Shape shape_of(const plan::PlanPart& part) {
  bound::Shape out;
  out.text_units = part.select.input->unit_type == policy::Type::kText;
  out.keys = part.select.keys.size();
  // A unit is in no more groups than it keeps rows: where that is all that limits them, rows of all
  // its groups have the same chance.
  const bool by_rows = part.bounds.total && part.bounds.groups >= *part.bounds.total;
  out.max_groups = by_rows ? bound::kNoLimit : static_cast<std::uint32_t>(part.bounds.groups);
  out.max_rows = static_cast<std::uint32_t>(part.rows_per_group);
  if (part.bounds.total) out.max_total = static_cast<std::uint32_t>(*part.bounds.total);
  // Then the limit in all is one in each as well, and there is nothing to choose twice.
  if (out.max_total <= out.max_rows) out.max_rows = bound::kNoLimit;
  out.tallies.assign(part.left_out.begin(), part.left_out.end());
  out.slots.assign(part.slots.begin(), part.slots.end());
  out.totals.assign(part.statistics.begin(), part.statistics.end());
  return out;
}

bool close_groups(const plan::PlanPart& part, bound::Groups& groups) {
  std::uint32_t expected = 0;
  for (const std::vector<policy::Value>& values : plan::public_groups(part.select)) {
    bound::KeyBytes key;
    for (const policy::Value& value : values) plan::write_key(key, value);
    if (groups.number(key.view()) != expected++) return false;
  }
  groups.close();
  return true;
}

}  // namespace discreet::plan
