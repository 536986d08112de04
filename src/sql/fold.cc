// GROUP BY inside a query: exact, but only ever within one unit (or over public tables).
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"

namespace discreet::sql {

using std::string;

namespace {

// Subqueries that are the same for all rows are joined to the groups once those are known; until
// then they stand at these places.
constexpr std::size_t kLater = 1'000'000;

void put(Expr& expr, const std::vector<Expr>& later) {
  if (expr.op == Op::kColumn && expr.column >= kLater) expr = later[expr.column - kLater];
  for (Expr& arg : expr.args) put(arg, later);
}

struct Kind {
  const char* name;
  Fold fold;
};
constexpr Kind kKinds[] = {
    {"count", Fold::kCount},
    {"sum", Fold::kSum},
    {"avg", Fold::kMean},
    {"mean", Fold::kMean},
    {"min", Fold::kMin},
    {"max", Fold::kMax},
    {"median", Fold::kQuantile},
    {"quantile", Fold::kQuantile},
    {"quantile_cont", Fold::kQuantile},
    {"percentile_cont", Fold::kQuantile},
    {"var_pop", Fold::kVarPop},
    {"var_samp", Fold::kVarSamp},
    {"variance", Fold::kVarSamp},
    {"stddev_pop", Fold::kStddevPop},
    {"stddev_samp", Fold::kStddevSamp},
    {"stddev", Fold::kStddevSamp},
};

// One aggregate over a scope's rows, and what is known of its values.
Result<std::pair<Folded, Column>> aggregate(const Context& at, const Json& node,
                                            const Scope& scope) {
  TRY(at.only(node, {"function_name", "children", "distinct", "filter", "schema"},
              "an aggregate in a subquery"));
  const string name = lower(text_field(node, "function_name"));
  Folded one;
  Binder rows(at, scope);
  Json args = node["children"];
  if (name != "count_star" && !(name == "count" && args.empty())) {
    const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const Kind& known) { return name == known.name; });
    const bool is_private = scope.relation->is_private;
    if (kind == std::end(kKinds) || (is_private && kind->fold >= Fold::kVarPop))
      return at.refuse(node, fmt::format("'{}' inside a subquery is not understood", name),
                       is_private
                           ? "COUNT, SUM, AVG, MIN, MAX, MEDIAN and QUANTILE are"
                           : "COUNT, SUM, AVG, MIN, MAX, MEDIAN, QUANTILE, VAR and STDDEV are");
    one.fold = kind->fold;
    if (one.fold == Fold::kQuantile) {
      one.quantile = Rational(1, 2);
      if (name != "median") {
        auto share = args.size() == 2 ? constant(at, args[1]) : Result<Expr>(Expr());
        if (!share || !share->range || share->range->low < 0 || share->range->high > 1)
          return at.refuse(node, fmt::format("{} takes an expression and a literal share", name),
                           "QUANTILE(cost, 0.9)");
        one.quantile = share->range->low;
        args.erase(args.end() - 1);
      }
    }
    if (args.size() != 1) return at.refuse(node, fmt::format("{} takes one expression", name));
    if (has_aggregate(args)) return at.refuse(node, "an aggregate inside an aggregate");
    auto arg = TRY(rows.bind(args[0]));
    one.arg = std::move(arg);
    const bool any_type =
        one.fold == Fold::kCount || one.fold == Fold::kMin || one.fold == Fold::kMax;
    if (one.fold == Fold::kSum && one.arg.type == Type::kBool) one.arg = as_number(one.arg);
    if (!any_type && !is_number(one.arg.type))
      return at.refuse(node, fmt::format("{} takes a number", name));
  }
  if (node.value("distinct", false)) {
    if (one.fold != Fold::kCount && one.fold != Fold::kMin && one.fold != Fold::kMax)
      return at.refuse(node, fmt::format("{}(DISTINCT …) is not understood", name));
    if (one.fold == Fold::kCount) one.fold = Fold::kCountDistinct;
  }
  if (!node["filter"].is_null()) {
    auto condition = TRY(rows.condition(node["filter"]));
    if (one.fold == Fold::kCountRows) {
      one.fold = Fold::kCount;
      one.arg = literal(Value::integer(1));
    }
    one.arg = only_where(std::move(condition), std::move(one.arg));
  }
  Column column;
  column.name = name;
  const bool counts = one.fold <= Fold::kCountDistinct;
  const bool picks = one.fold == Fold::kMin || one.fold == Fold::kMax;
  column.type = counts ? Type::kInt : picks ? one.arg.type : Type::kDouble;
  column.nonnegative = counts;
  if (picks || one.fold == Fold::kMean || one.fold == Fold::kQuantile) column.range = one.arg.range;
  // A unit's sum, like its least or its mean, tells the value itself where the unit has one row.
  // How often a column is there doesn't; how often a condition on it holds does.
  if (!counts || one.arg.op != Op::kColumn) {
    column.uses_key = one.arg.uses_key;
    column.hidden = one.arg.uses_hidden;
  }
  column.uses_key |= scope.relation->rows_tell_key;
  column.hidden |= scope.relation->rows_tell_hidden;
  return std::pair{std::move(one), std::move(column)};
}

}  // namespace

Result<RelationPtr> From::grouped(const Json& node, const Scope& scope) {
  auto items = TRY(select_items(at_, node, scope));
  auto groups = TRY(group_nodes(at_, node, items, scope));
  auto fold = std::make_shared<Relation>();
  fold->kind = Relation::Kind::kFold;
  fold->inputs = {scope.relation};
  fold->is_private = scope.relation->is_private;
  fold->has_unit = scope.relation->has_unit;
  fold->unit_type = scope.relation->unit_type;
  fold->rows_tell_key = scope.relation->rows_tell_key;
  fold->rows_tell_hidden = scope.relation->rows_tell_hidden;
  Binder rows(at_, scope);
  bool by_key = false;
  for (const Json& group : groups) {
    auto expr = TRY(rows.bind(group));
    by_key |= expr.is_key;
    fold->columns.push_back(
        column_of(expr, *scope.relation, fmt::format("g{}", fold->exprs.size())));
    fold->exprs.push_back(std::move(expr));
  }
  if (fold->is_private && !by_key)
    return at_.refuse(groups.empty() ? node["select_list"][0] : groups[0],
                      fmt::format("an aggregate in a subquery adds up different people's rows "
                                  "unless it is grouped by the {}'s key",
                                  catalog_.unit),
                      "add the key to its GROUP BY; only the outermost aggregate is released");
  if (!groups.empty())
    fold->rows_per_unit = groups.size() == 1 && by_key && fold->is_private
                              ? std::optional<std::int64_t>(1)
                              : std::nullopt;
  fold->rows_proved = fold->rows_per_unit.has_value();
  std::size_t shown = items.size();
  std::vector<Sort> sort;
  if (!fold->is_private) {
    auto found = TRY(sorting(node, items));
    sort = std::move(found);
  }
  // Aggregates become columns of the fold; what is left is a projection over it.
  const auto intercept = [&](const Json& part) -> std::optional<Result<Expr>> {
    const string kind = part.value("class", "");
    if (kind == "CONSTANT") return std::nullopt;
    if (!has_aggregate(part)) {
      auto expr = TRY(Binder(at_, scope).bind(part));
      const auto found = std::find(fold->exprs.begin(), fold->exprs.end(), expr);
      if (found != fold->exprs.end())
        return expr_of(*fold, static_cast<std::size_t>(found - fold->exprs.begin()));
      if (kind == "COLUMN_REF")
        return at_.refuse(part, fmt::format("'{}' must be in GROUP BY or in an aggregate",
                                            part["column_names"].back().get<string>()));
      if (kind != "LIFTED") return std::nullopt;
      const auto index = part["index"].get<std::size_t>();
      if (!scope.lifted[index].constant)
        return at_.refuse(scope.lifted[index].node,
                          "this subquery depends on rows, which the groups have left behind",
                          "put it into WHERE, GROUP BY or an aggregate");
      Expr later = scope.lifted[index].expr;
      later.column = kLater + index;
      return later;
    }
    if (kind != "FUNCTION" || !is_aggregate_name(lower(text_field(part, "function_name"))))
      return std::nullopt;
    auto one = TRY(aggregate(at_, part, scope));
    fold->folds.push_back(std::move(one.first));
    fold->columns.push_back(std::move(one.second));
    return expr_of(*fold, fold->columns.size() - 1);
  };
  std::vector<Expr> exprs;
  std::vector<string> names;
  Scope over;  // the fold's columns are only reached through the intercept
  over.relation = fold;
  Binder outer(at_, over, intercept);
  for (const Item& item : items) {
    auto expr = TRY(outer.bind(item.node));
    exprs.push_back(std::move(expr));
    names.push_back(item.name);
  }
  std::optional<Expr> having;
  if (!node["having"].is_null()) {
    auto condition = TRY(outer.condition(node["having"]));
    having = std::move(condition);
  }
  RelationPtr out = fold;
  std::vector<Expr> later;
  for (const Lifted& one : scope.lifted) {
    later.push_back(one.expr);
    if (!one.constant) continue;
    out = beside(out, one.constant);
    later.back() = expr_of(*out, out->columns.size() - 1);
  }
  for (Expr& expr : exprs) put(expr, later);
  if (having) {
    put(*having, later);
    out = filtered(out, std::move(*having));
  }
  out = projected(out, std::move(exprs), names);
  for (const Json& modifier : node["modifiers"])
    if (modifier.value("type", "") == "DISTINCT_MODIFIER") {
      if (out->is_private || shown != out->columns.size())
        return at_.refuse(node["select_list"][0], "DISTINCT with GROUP BY is not understood");
      out = distinct(std::move(out));
    }
  return limited(node, std::move(out), std::move(sort), shown);
}

}  // namespace discreet::sql
