#include "discreet/sql/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "discreet/base/try.h"
#include "discreet/sql/parse.h"

namespace discreet::sql {
namespace {

// Columns with declared values; false where another column stands in it.
bool collect(const Expr& expr, std::map<std::size_t, const Expr*>& columns) {
  if (expr.op == Op::kColumn) {
    columns[expr.column] = &expr;
    return expr.domain.has_value();
  }
  return std::all_of(expr.args.begin(), expr.args.end(),
                     [&](const Expr& arg) { return collect(arg, columns); });
}

}  // namespace

Result<std::optional<std::vector<Value>>> domain_of(const Expr& expr) {
  using Domain = std::optional<std::vector<Value>>;
  if (expr.domain) return expr.domain;
  if (expr.type == Type::kBool) return Domain({Value::boolean(false), Value::boolean(true)});
  std::map<std::size_t, const Expr*> columns;
  if (!collect(expr, columns)) return Domain();
  std::size_t combinations = 1;
  for (const auto& [index, column] : columns) {
    combinations *= column->domain->size();
    if (combinations > kMostPublicGroups) return Domain();
  }
  // Every combination of declared values and NULL (COALESCE(ward, 'none') has a value for it),
  // through the expression, in a database that holds nothing.
  std::vector<std::string> places(columns.empty() ? 0 : columns.rbegin()->first + 1);
  std::string from, known;
  for (const auto& [index, column] : columns) {
    std::string values;
    for (const Value& value : *column->domain)
      values += fmt::format("{}({})", values.empty() ? "" : ", ", print(value));
    values += fmt::format("{}({})", values.empty() ? "" : ", ", print(Value::none(column->type)));
    known += fmt::format("{}t{}.v IS NOT NULL", known.empty() ? "" : " AND ", index);
    places[index] = fmt::format("t{}.v", index);
    from += fmt::format("{}(VALUES {}) AS t{}(v)", from.empty() ? " FROM " : ", ", values, index);
  }
  const std::string value = print(expr, places);
  // A NULL is a value only where it was not one before: NULLIF(ward, 'A').
  const std::string where =
      known.empty() ? "" : fmt::format(" WHERE ({}) OR {} IS NOT NULL", known, value);
  auto rows =
      TRY(calculate(fmt::format("SELECT DISTINCT CAST({} AS VARCHAR){}{}", value, from, where)));
  std::vector<Value> out;
  for (const auto& row : rows) {
    auto value = Value::read(row[0], expr.type);
    if (!value) return Domain();
    out.push_back(std::move(*value));
  }
  std::sort(out.begin(), out.end());
  return Domain(std::move(out));
}

}  // namespace discreet::sql
