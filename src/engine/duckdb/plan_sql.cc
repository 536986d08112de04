#include "discreet/engine/duckdb/plan_sql.h"

#include <fmt/format.h>

#include "discreet/bound/wide.h"
#include "discreet/plan/group_keys.h"

namespace discreet::engine::duckdb {

using std::string;

string travelling(const string& expr, policy::Type type) {
  switch (type) {
    case policy::Type::kBool:
      return fmt::format("CAST({} AS BIGINT)", expr);
    case policy::Type::kDate:
      return fmt::format("CAST(date_diff('day', DATE '1970-01-01', {}) AS BIGINT)", expr);
    case policy::Type::kTimestamp:
      return fmt::format("epoch_us({})", expr);
    case policy::Type::kInt:
    case policy::Type::kDouble:
    case policy::Type::kText:
      break;
  }
  return expr;
}

namespace {

string slot_sql(const plan::Slot& slot, const std::vector<string>& places) {
  const string value = print(slot.value, places);
  switch (slot.kind) {
    case plan::Slot::Kind::kFlag:
      return fmt::format("CASE WHEN {} IS NOT NULL THEN CAST(1 AS BIGINT) END",
                         slot.value.type == policy::Type::kDouble
                             ? fmt::format("discreet_number({})", value)
                             : value);
    case plan::Slot::Kind::kHash:
    case plan::Slot::Kind::kWord:
      return slot.value.type == policy::Type::kDouble
                 ? fmt::format("CAST(discreet_number({}) + 0 AS VARCHAR)", value)
                 : fmt::format("CAST({} AS VARCHAR)", value);
    case plan::Slot::Kind::kChoice: {
      string list;
      for (const policy::Value& choice : slot.choices)
        list += (list.empty() ? "" : ", ") + print(choice);
      return fmt::format("CAST(list_position([{}], {}) - 1 AS BIGINT)", list, value);
    }
    case plan::Slot::Kind::kNumber:
    case plan::Slot::Kind::kLeaf:
    case plan::Slot::Kind::kScale:
    case plan::Slot::Kind::kReal:
      break;
  }
  if (slot.value.type == policy::Type::kDate)
    return fmt::format("CAST(date_diff('day', DATE '1970-01-01', {}) AS DOUBLE)", value);
  if (slot.value.type == policy::Type::kTimestamp)
    return fmt::format("CAST(epoch_us({}) AS DOUBLE) / 1000000", value);
  return slot.value.type == policy::Type::kDouble ? value
                                                  : fmt::format("CAST({} AS DOUBLE)", value);
}

// What the engine's own aggregation adds up for a number; nothing for those that need the rows of a
// unit together.
std::optional<string> total_sql(const plan::Statistic& one) {
  using S = plan::Statistic::Kind;
  const string slot = one.slot ? fmt::format("g{}", *one.slot) : "";
  switch (one.kind) {
    case S::kRows:
      return "CAST(count(*) AS HUGEINT)";
    case S::kCount:
    case S::kUnits:
      return one.slot ? fmt::format("CAST(count({}) AS HUGEINT)", slot)
                      : "CAST(count(*) AS HUGEINT)";
    case S::kSum:
      return one.center == 0
                 ? fmt::format("CAST(coalesce(sum({}), 0) AS HUGEINT)", slot)
                 : fmt::format(
                       "CAST(coalesce(sum({}), 0) - count({}) * CAST({} AS HUGEINT) AS HUGEINT)",
                       slot, slot, one.center);
    case S::kSquares: {  // rounded to its own grid
      const bound::Wide half = one.shift > 0 ? bound::Wide{1} << (one.shift - 1) : 0;
      const bound::Wide unit = bound::Wide{1} << one.shift;
      return fmt::format(
          "CAST(coalesce(sum(((CAST({0} AS HUGEINT) - {1}) * (CAST({0} AS HUGEINT) - {1}) + {2}) "
          "// {3}), 0) AS HUGEINT)",
          slot, one.center, static_cast<std::int64_t>(half), static_cast<std::int64_t>(unit));
    }
    case S::kDistinct:
    case S::kGroupCount:
    case S::kGroupSum:
    case S::kGroupMeans:
    case S::kGroupMean:
    case S::kHistogram:
    case S::kEach:
      break;
  }
  return std::nullopt;
}

}  // namespace

string rows_sql(const plan::PlanPart& part, const DuckdbDialect& dialect, bool with_unit) {
  std::vector<string> places;
  for (std::size_t i = 0; i < part.select.input->columns.size(); ++i)
    places.push_back(fmt::format("c{}", i));
  string items = with_unit ? "u" : "";
  for (std::size_t i = 0; i < part.select.keys.size(); ++i)
    items += fmt::format(
        "{}{} AS k{}", items.empty() ? "" : ", ",
        travelling(print(plan::grouped_by(part, i), places), part.select.keys[i].type), i);
  for (std::size_t i = 0; i < part.slots.size(); ++i)
    items +=
        fmt::format("{}{} AS s{}", items.empty() ? "" : ", ", slot_sql(part.slots[i], places), i);
  if (items.empty()) items = "1 AS one";
  string from = fmt::format("({})", print(*part.select.input, dialect));
  // Public keys among private ones: other values form no group. (Where all are public the table of
  // groups is closed instead.)
  string where;
  if (!part.all_public)
    for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
      if (!part.select.domains[i]) continue;
      string list, null;
      for (const policy::Value& value : *part.select.domains[i]) {
        if (value.null) {
          null = fmt::format(" OR {} IS NULL", print(part.select.keys[i], places));
        } else {
          list += fmt::format("{}{}", list.empty() ? "" : ", ", print(value));
        }
      }
      where += fmt::format("{}({} IN ({}){})", where.empty() ? " WHERE " : " AND ",
                           print(part.select.keys[i], places), list.empty() ? "NULL" : list, null);
    }
  return fmt::format("SELECT {} FROM {}{}", items, from, where);
}

string direct_sql(const plan::PlanPart& part, const DuckdbDialect& dialect,
                  const std::vector<string>& grids) {
  string items = "count(*)", groups;
  for (std::size_t i = 0; i < part.select.keys.size(); ++i) {
    groups += fmt::format("{}k{}", groups.empty() ? "" : ", ", i);
    items += fmt::format(", k{}", i);
  }
  for (const plan::Statistic& one : part.statistics) {
    const auto total = total_sql(one);
    if (!total) return {};
    items += ", " + *total;
  }
  string rows;
  for (std::size_t i = 0; i < part.select.keys.size(); ++i)
    rows += fmt::format("{}k{}", rows.empty() ? "" : ", ", i);
  for (std::size_t i = 0; i < part.slots.size(); ++i)
    rows += part.slots[i].kind == plan::Slot::Kind::kFlag
                ? fmt::format("{}s{} AS g{}", rows.empty() ? "" : ", ", i, i)
                : fmt::format("{}{}(s{}) AS g{}", rows.empty() ? "" : ", ", grids[i], i, i);
  if (rows.empty()) rows = "1 AS one";
  return fmt::format("SELECT {} FROM (SELECT {} FROM ({})){}", items, rows,
                     rows_sql(part, dialect, false), groups.empty() ? "" : " GROUP BY " + groups);
}

}  // namespace discreet::engine::duckdb
