#include "discreet/engine/plan_shape.h"

#include "discreet/sql/group_keys.h"

namespace discreet::engine {

bound::Column::Kind key_column(sql::Type type) {
  switch (type) {
    case sql::Type::kText:
      return bound::Column::Kind::kText;
    case sql::Type::kDouble:
      return bound::Column::Kind::kReal;
    case sql::Type::kBool:
    case sql::Type::kInt:
    case sql::Type::kDate:
    case sql::Type::kTimestamp:
      break;
  }
  return bound::Column::Kind::kWhole;
}

bound::Column::Kind slot_column(const sql::Slot& slot) {
  switch (slot.kind) {
    case sql::Slot::Kind::kFlag:
    case sql::Slot::Kind::kChoice:
      return bound::Column::Kind::kWhole;
    case sql::Slot::Kind::kHash:
      return bound::Column::Kind::kText;
    case sql::Slot::Kind::kNumber:
    case sql::Slot::Kind::kLeaf:
      break;
  }
  return bound::Column::Kind::kReal;
}

bound::Shape shape_of(const sql::PlanPart& part) {
  bound::Shape out;
  out.text_units = part.select.input->unit_type == sql::Type::kText;
  out.keys = part.select.keys.size();
  out.max_groups = static_cast<std::uint32_t>(part.max_groups);
  out.max_rows = static_cast<std::uint32_t>(part.rows_per_group);
  out.slots.assign(part.slots.begin(), part.slots.end());
  out.totals.assign(part.statistics.begin(), part.statistics.end());
  return out;
}

bool close_groups(const sql::PlanPart& part, bound::Groups& groups) {
  std::uint32_t expected = 0;
  for (const std::vector<sql::Value>& values : sql::public_groups(part.select)) {
    bound::KeyBytes key;
    for (const sql::Value& value : values) sql::write_key(key, value);
    if (groups.number(key.view()) != expected++) return false;
  }
  groups.close();
  return true;
}

}  // namespace discreet::engine
