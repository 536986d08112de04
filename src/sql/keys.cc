#include "discreet/sql/keys.h"

#include <algorithm>
#include <map>
#include <set>

#include "discreet/base/try.h"

namespace discreet::sql {
namespace {

using Domain = std::optional<std::vector<Value>>;
using Row = std::vector<Value>;

// Columns with declared values; false where another column stands in it.
bool collect(const Expr& expr, std::map<std::size_t, const Expr*>& columns) {
  if (expr.op == Op::kColumn) {
    columns[expr.column] = &expr;
    return expr.domain.has_value();
  }
  return std::all_of(expr.args.begin(), expr.args.end(),
                     [&](const Expr& arg) { return collect(arg, columns); });
}

// The same over rows that hold only these columns, in their order.
Expr renumbered(Expr expr, const std::map<std::size_t, const Expr*>& columns) {
  if (expr.op == Op::kColumn)
    expr.column =
        static_cast<std::size_t>(std::distance(columns.begin(), columns.find(expr.column)));
  for (Expr& arg : expr.args) arg = renumbered(std::move(arg), columns);
  return expr;
}

// Every combination of declared values and NULL (COALESCE(ward, 'none') has a value for it).
std::vector<Row> combinations(const std::map<std::size_t, const Expr*>& columns) {
  std::vector<Row> out = {{}};
  for (const auto& [index, column] : columns) {
    std::vector<Value> values = *column->domain;
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

}  // namespace

Result<Domain> domain_of(const Expr& expr, const Calculator& calculator) {
  if (expr.domain) return expr.domain;
  if (expr.type == Type::kBool) return Domain({Value::boolean(false), Value::boolean(true)});
  std::map<std::size_t, const Expr*> columns;
  if (!collect(expr, columns)) return Domain();
  std::size_t count = 1;
  for (const auto& [index, column] : columns) {
    count *= column->domain->size() + 1;
    if (count > kMostPublicGroups) return Domain();
  }
  const std::vector<Row> rows = combinations(columns);
  std::vector<Value> values = TRY(calculator.values(renumbered(expr, columns), rows));
  std::set<Value> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    // A NULL is a value only where it was not one before: NULLIF(ward, 'A').
    const bool known =
        std::none_of(rows[i].begin(), rows[i].end(), [](const Value& one) { return one.null; });
    if (known || !values[i].null) out.insert(std::move(values[i]));
  }
  return Domain(std::vector<Value>(out.begin(), out.end()));
}

}  // namespace discreet::sql
