#include "discreet/sql/keys.h"

#include <algorithm>
#include <set>

#include "discreet/base/try.h"
#include "discreet/sql/candidates.h"

namespace discreet::sql {
namespace {

using Row = std::vector<Value>;

// The candidates of the columns that a key is made of.
struct Known {
  Columns columns;
  std::vector<Candidates> candidates;  // in their order
  bool derived = false;
};

// Nothing where one of them is not known, or all together are too many.
std::optional<Known> known_columns(const Facts& key) {
  Known out;
  collect_columns(key.expr, out.columns);
  std::size_t count = 1;
  for (const auto& [index, column] : out.columns) {
    auto found =
        candidates_of(*column, key.conditions, step_of(key.expr, index), kMostPublicGroups / count);
    if (!found) return std::nullopt;
    count *= found->values.size() + 1;
    if (count > kMostPublicGroups) return std::nullopt;
    out.derived |= !found->declared;
    out.candidates.push_back(std::move(*found));
  }
  return out;
}

// Every combination of the values and NULL (COALESCE(ward, 'none') has a value for it).
std::vector<Row> combinations(const Known& known) {
  std::vector<Row> out = {{}};
  std::size_t i = 0;
  for (const auto& [index, column] : known.columns) {
    std::vector<Value> values;
    for (const Value& value : known.candidates[i++].values)
      if (!value.null) values.push_back(value);
    values.push_back(Value::none(column->type));
    std::vector<Row> longer;
    longer.reserve(out.size() * values.size());
    for (const Row& row : out)
      for (const Value& value : values) {
        longer.push_back(row);
        longer.back().push_back(value);
      }
    out = std::move(longer);
  }
  return out;
}

// A condition on moments of which midnights, say, stand for the rest must cut them the same way.
bool can_be_tested(const Expr& condition, const Facts& key, const Known& known) {
  Columns used;
  collect_columns(condition, used);
  return !used.empty() && std::all_of(used.begin(), used.end(), [&](const auto& one) {
    const auto found = known.columns.find(one.first);
    if (found == known.columns.end()) return false;
    const Candidates& values =
        known.candidates[static_cast<std::size_t>(std::distance(known.columns.begin(), found))];
    return !values.stand_for_more || step_of(condition, one.first) >= step_of(key.expr, one.first);
  });
}

// The rows for which all conditions are TRUE. One that can't be calculated excludes nothing.
std::vector<Row> passing(std::vector<Row> rows, const std::vector<Expr>& conditions,
                         const Calculator& calculator) {
  for (const Expr& condition : conditions) {
    const auto truth = calculator.values(condition, rows);
    if (!truth) continue;
    std::vector<Row> kept;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!(*truth)[i].null && (*truth)[i].whole != 0) kept.push_back(std::move(rows[i]));
    rows = std::move(kept);
  }
  return rows;
}

// From what its columns can be.
Result<std::optional<KeyValues>> computed(const Facts& key, const Calculator& calculator) {
  const auto known = known_columns(key);
  if (!known) return std::optional<KeyValues>();
  std::vector<Expr> conditions;
  for (const Expr& condition : key.conditions)
    if (can_be_tested(condition, key, *known))
      conditions.push_back(renumbered(condition, known->columns));
  KeyValues out{{}, known->derived};
  if (key.expr.op == Op::kColumn) {
    std::vector<Row> rows;
    for (const Value& value : known->candidates[0].values) rows.push_back({value});
    for (Row& row : passing(std::move(rows), conditions, calculator))
      out.values.push_back(std::move(row[0]));
    return std::optional(std::move(out));
  }
  const std::vector<Row> rows = passing(combinations(*known), conditions, calculator);
  auto values = TRY(calculator.values(renumbered(key.expr, known->columns), rows));
  std::set<Value> found;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A NULL is a value only where it was not one before: NULLIF(ward, 'A').
    const bool whole =
        std::none_of(rows[i].begin(), rows[i].end(), [](const Value& one) { return one.null; });
    if (whole || !values[i].null) found.insert(std::move(values[i]));
  }
  out.values.assign(found.begin(), found.end());
  return std::optional(std::move(out));
}

// The condition over the key itself as column 0.
Expr over_key(const Expr& condition, const Expr& key, bool& only) {
  if (condition == key) return column(0, key.type);
  if (condition.op == Op::kColumn) only = false;
  Expr out = condition;
  for (Expr& arg : out.args) arg = over_key(arg, key, only);
  return out;
}

// WHERE month(day) IN (1, 2) GROUP BY month(day)
void keep_passing(const Facts& key, const Calculator& calculator, std::vector<Value>& values) {
  std::vector<Expr> conditions;
  for (const Expr& condition : key.conditions) {
    bool only = true;
    Expr over = over_key(condition, key.expr, only);
    if (only && !(over == condition)) conditions.push_back(std::move(over));
  }
  if (conditions.empty()) return;
  std::vector<Row> rows;
  for (Value& value : values) rows.push_back({std::move(value)});
  values.clear();
  for (Row& row : passing(std::move(rows), conditions, calculator))
    values.push_back(std::move(row[0]));
}

}  // namespace

Result<std::optional<KeyValues>> values_of(const Facts& key, const Calculator& calculator) {
  const Expr& expr = key.expr;
  if (expr.op == Op::kColumn) return computed(key, calculator);
  std::optional<KeyValues> out;
  if (expr.domain) {
    out = KeyValues{*expr.domain, false};
  } else if (expr.type == Type::kBool) {
    out = KeyValues{{Value::boolean(false), Value::boolean(true)}, false};
  }
  // A CASE has its literals whatever its columns are; of the calendar's parts some can't be.
  if (!out || (expr.op == Op::kCall && expr.domain)) {
    auto found = TRY(computed(key, calculator));
    if (!out) {
      out = std::move(found);
    } else if (found) {
      std::erase_if(out->values, [&](const Value& value) {
        return std::find(found->values.begin(), found->values.end(), value) == found->values.end();
      });
    }
  }
  if (out) keep_passing(key, calculator, out->values);
  return out;
}

}  // namespace discreet::sql
