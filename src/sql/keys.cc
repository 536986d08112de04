#include "discreet/sql/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>

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

std::optional<Value> read(const std::optional<std::string>& text, Type type) {
  if (!text) return Value::none(type);
  switch (type) {
    case Type::kBool:
      return Value::boolean(*text == "true");
    case Type::kInt:
      return Value::integer(std::strtoll(text->c_str(), nullptr, 10));
    case Type::kDouble:
      return Value::number(std::strtod(text->c_str(), nullptr));
    case Type::kText:
      return Value::text(*text);
    case Type::kDate:
      return Value::date_of(*text);
    case Type::kTimestamp:
      return Value::timestamp_of(*text);
  }
  return std::nullopt;
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
  // Every combination of declared values, through the expression, in a database that holds nothing.
  std::vector<std::string> places(columns.empty() ? 0 : columns.rbegin()->first + 1);
  std::string from;
  for (const auto& [index, column] : columns) {
    std::string values;
    for (const Value& value : *column->domain)
      values += fmt::format("{}({})", values.empty() ? "" : ", ", print(value));
    places[index] = fmt::format("t{}.v", index);
    from += fmt::format("{}(VALUES {}) AS t{}(v)", from.empty() ? " FROM " : ", ", values, index);
  }
  auto rows =
      calculate(fmt::format("SELECT DISTINCT CAST({} AS VARCHAR){}", print(expr, places), from));
  if (!rows) return forward_error(rows);
  std::vector<Value> out;
  for (const auto& row : *rows) {
    auto value = read(row[0], expr.type);
    if (!value) return Domain();
    out.push_back(std::move(*value));
  }
  std::sort(out.begin(), out.end());
  return Domain(std::move(out));
}

}  // namespace discreet::sql
