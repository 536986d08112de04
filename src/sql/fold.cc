// GROUP BY inside a query: exact, but only ever within one unit (or over public tables).
#include <fmt/format.h>

#include <algorithm>

#include "discreet/sql/from.h"
#include "discreet/sql/names.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/select_list.h"

namespace discreet::sql {

using std::string;

Result<RelationPtr> From::grouped(const Json& node, const Scope& scope) {
  auto items = select_items(at_, node, scope);
  if (!items) return forward_error(items);
  auto groups = group_nodes(at_, node, *items, scope);
  if (!groups) return forward_error(groups);
  auto fold = std::make_shared<Relation>();
  fold->kind = Relation::Kind::kFold;
  fold->inputs = {scope.relation};
  fold->is_private = scope.relation->is_private;
  fold->has_unit = scope.relation->has_unit;
  fold->unit_type = scope.relation->unit_type;
  std::vector<string> printed;
  const std::vector<string> places = places_of(*scope.relation);
  Binder rows(text_, scope);
  bool by_key = false;
  for (const Json& group : *groups) {
    auto expr = rows.bind(group);
    if (!expr) return forward_error(expr);
    by_key |= expr->is_key;
    fold->columns.push_back(column_of(*expr, *scope.relation, fmt::format("g{}", printed.size())));
    printed.push_back(print(*expr, places));
    fold->exprs.push_back(std::move(*expr));
  }
  if (fold->is_private && !by_key)
    return at_.refuse(groups->empty() ? node["select_list"][0] : (*groups)[0],
                      fmt::format("an aggregate in a subquery adds up different people's rows "
                                  "unless it is grouped by the {}'s key",
                                  catalog_.unit),
                      "add the key to its GROUP BY; only the outermost aggregate is released");
  if (!groups->empty())
    fold->rows_per_unit = groups->size() == 1 && by_key && fold->is_private
                              ? std::optional<std::int64_t>(1)
                              : std::nullopt;
  fold->rows_proved = fold->rows_per_unit.has_value();
  // Aggregates become columns of the fold; what is left is a projection over it.
  std::vector<string> folded;
  const auto intercept = [&](const Json& part) -> std::optional<Result<Expr>> {
    const auto over_fold = [&](std::size_t i) { return expr_of(*fold, i); };
    if (!has_aggregate(part)) {
      Binder plain(text_, scope);
      auto expr = plain.bind(part);
      if (!expr)
        return part.value("class", "") == "CONSTANT"
                   ? std::nullopt
                   : std::optional<Result<Expr>>(forward_error(expr));
      const auto found = std::find(printed.begin(), printed.end(), print(*expr, places));
      if (found != printed.end())
        return over_fold(static_cast<std::size_t>(found - printed.begin()));
      if (part.value("class", "") == "COLUMN_REF")
        return at_.refuse(part, fmt::format("'{}' must be in GROUP BY or in an aggregate",
                                            part["column_names"].back().get<string>()));
      return std::nullopt;
    }
    const string name = lower(text_field(part, "function_name"));
    if (part.value("class", "") != "FUNCTION" || !is_aggregate_name(name)) return std::nullopt;
    if (auto ok = at_.only(part, {"function_name", "children", "distinct", "filter", "schema"},
                           "an aggregate");
        !ok)
      return forward_error(ok);
    Folded one;
    const bool star = name == "count_star" || (name == "count" && part["children"].empty());
    const auto& kinds = std::initializer_list<std::pair<const char*, Fold>>{
        {"count", Fold::kCount}, {"sum", Fold::kSum}, {"avg", Fold::kMean},
        {"mean", Fold::kMean},   {"min", Fold::kMin}, {"max", Fold::kMax}};
    if (star) {
      one.fold = Fold::kCountRows;
    } else {
      const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const auto& pair) { return name == pair.first; });
      if (kind == kinds.end() || part["children"].size() != 1)
        return at_.refuse(part, fmt::format("'{}' inside a subquery is not understood", name),
                          "COUNT, SUM, AVG, MIN and MAX are");
      one.fold = kind->second;
      if (has_aggregate(part["children"]))
        return at_.refuse(part, "an aggregate inside an aggregate");
      Binder plain(text_, scope);
      auto arg = plain.bind(part["children"][0]);
      if (!arg) return forward_error(arg);
      one.arg = std::move(*arg);
      if ((one.fold == Fold::kSum || one.fold == Fold::kMean) && !is_number(one.arg.type))
        return at_.refuse(part, fmt::format("{} takes a number", name));
    }
    if (part.value("distinct", false)) {
      if (one.fold != Fold::kCount)
        return at_.refuse(part, fmt::format("{}(DISTINCT …) is not understood", name));
      one.fold = Fold::kCountDistinct;
    }
    if (!part["filter"].is_null()) {
      Binder plain(text_, scope);
      auto condition = plain.condition(part["filter"]);
      if (!condition) return forward_error(condition);
      if (one.fold == Fold::kCountRows) {
        one.fold = Fold::kCount;
        one.arg = literal(Value::integer(1));
      }
      auto range = one.arg.range;
      const Type type = one.arg.type;
      one.arg = call(Op::kCase, type,
                     {std::move(*condition), std::move(one.arg), literal(Value::none(type))});
      one.arg.range = range;
    }
    Column column;
    column.name = name;
    column.type = one.fold == Fold::kSum || one.fold == Fold::kMean  ? Type::kDouble
                  : one.fold == Fold::kMin || one.fold == Fold::kMax ? one.arg.type
                                                                     : Type::kInt;
    column.nonnegative =
        column.type == Type::kInt && one.fold != Fold::kMin && one.fold != Fold::kMax;
    if (one.fold == Fold::kMean || one.fold == Fold::kMin || one.fold == Fold::kMax) {
      column.range = one.arg.range;
      column.uses_key = one.arg.uses_key;
      column.hidden = one.arg.uses_hidden;
    }
    fold->columns.push_back(column);
    fold->folds.push_back(std::move(one));
    return over_fold(fold->columns.size() - 1);
  };
  std::vector<Expr> exprs;
  std::vector<string> names;
  Scope over;  // the fold's columns are only reached through the intercept
  over.relation = fold;
  Binder outer(text_, over, intercept);
  for (const Item& item : *items) {
    auto expr = outer.bind(item.node);
    if (!expr) return forward_error(expr);
    exprs.push_back(std::move(*expr));
    names.push_back(item.name);
  }
  std::optional<Expr> having;
  if (!node["having"].is_null()) {
    auto condition = outer.condition(node["having"]);
    if (!condition) return forward_error(condition);
    having = std::move(*condition);
  }
  RelationPtr out = fold;
  if (having) out = filtered(out, std::move(*having));
  for (const Json& modifier : node["modifiers"])
    if (modifier.value("type", "") == "DISTINCT_MODIFIER")
      return at_.refuse(node["select_list"][0], "DISTINCT with GROUP BY is not understood");
  return projected(out, std::move(exprs), names);
}

}  // namespace discreet::sql
