#include "discreet/plan/shape.h"

#include <algorithm>

#include "discreet/plan/group_keys.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/weights.h"

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
    case plan::Slot::Kind::kReal:
      break;
  }
  return bound::Column::Kind::kReal;
}

namespace {

// Rows that are drawn. A unit is in no more groups than it keeps rows: where that is all that
// limits them, rows of all its groups have the same chance.
void limit_drawn(const plan::PlanPart& part, bound::Shape& out) {
  const bool by_rows = part.bounds.total && part.bounds.groups >= *part.bounds.total;
  out.max_groups = by_rows ? bound::kNoLimit : static_cast<std::uint32_t>(part.bounds.groups);
  out.max_rows = static_cast<std::uint32_t>(part.rows_per_group);
  if (part.bounds.total) out.max_total = static_cast<std::uint32_t>(*part.bounds.total);
}

// Rows with weights. A unit is in all of its groups, however little it weighs there: what counts it
// once in a group has to limit those, to as many as the noise is for. Where nothing does, rows in
// all are limit enough.
void limit_weighted(const plan::PlanPart& part, bound::Shape& out) {
  const auto limit = [](const Integer& most) {
    return most < bound::kNoLimit ? static_cast<std::uint32_t>(most.get_ui()) : bound::kNoLimit;
  };
  const bool by_rows = part.bounds.total && part.bounds.groups >= *part.bounds.total;
  out.max_groups = releases_units(part) ? limit(part.bounds.most_groups())
                   : by_rows            ? bound::kNoLimit
                                        : limit(Integer(part.bounds.groups));
  // Of so few groups every unit has no more.
  if (part.all_public && plan::public_groups(part.select).size() <= out.max_groups)
    out.max_groups = bound::kNoLimit;
  out.max_rows = out.max_total = bound::kNoLimit;
  // Where only units count every row matters and none has to be left out. (What is left out may be
  // counted although the rows that decide groups are planned as units.)
  if (!counts_rows(part)) return;
  out.max_rows = static_cast<std::uint32_t>(part.rows_per_group);
  if (part.bounds.total) out.max_total = limit(Integer(*part.bounds.total));
  // In one group there is one limit.
  if (part.select.keys.empty()) out.max_total = std::min(out.max_total, out.max_rows);
}

}  // namespace

bound::Shape shape_of(const plan::PlanPart& part) {
  bound::Shape out;
  out.text_units = part.select.input->unit_type == policy::Type::kText;
  out.keys = part.select.keys.size();
  out.weight_bits = part.weight_bits;
  out.of_units_alone = part.of_units_alone();
  if (part.weight_bits) {
    limit_weighted(part, out);
  } else {
    limit_drawn(part, out);
  }
  // Then the limit in all is one in each as well, and there is nothing to choose twice.
  if (out.max_total <= out.max_rows) out.max_rows = bound::kNoLimit;
  out.tallies.assign(part.left_out.begin(), part.left_out.end());
  out.slots.assign(part.slots.begin(), part.slots.end());
  out.totals.assign(part.statistics.begin(), part.statistics.end());
  return out;
}

bool limits_groups(const plan::PlanPart& part) {
  const Integer most = part.bounds.most_groups();
  if (!part.weight_bits || shape_of(part).max_groups <= most) return true;
  return part.all_public && plan::public_groups(part.select).size() <= most;
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
