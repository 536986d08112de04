// GROUP BY inside a query: exact, but only ever within one unit (or over public tables).
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/reveal.h"
#include "discreet/sql/row_cost.h"

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

bool only_over_public(Fold fold) { return fold >= Fold::kVarPop; }

// In the order of the folds, as they are told.
string folds_known(const AggregateForms& forms, bool is_private) {
  AggregateForms known;
  for (const AggregateForm* form : forms)
    if (form->fold && !(is_private && only_over_public(*form->fold))) known.push_back(form);
  std::stable_sort(known.begin(), known.end(), [](const AggregateForm* a, const AggregateForm* b) {
    return *a->fold < *b->fold;
  });
  return list_of(known, [](const AggregateForm&) { return true; }) + " are";
}

// Which fold a call is, before DISTINCT.
const AggregateForm* fold_named(const AggregateForms& forms, const Term& term) {
  const AggregateForm* form =
      term.args.empty() ? find_form(forms, term.name, AggregateForm::Of::kRows) : nullptr;
  if (!form) form = find_form(forms, term.name, false);
  return form && form->fold && find_spelling(*form, term.name)->folds ? form : nullptr;
}

// One aggregate over a scope's rows, and what is known of its values.
Result<std::pair<Folded, Column>> aggregate(const Context& at, const Term& term,
                                            const Scope& scope) {
  if (!term.order.empty())
    return at.refuse(term.place, "an aggregate in a subquery with 'order_bys' is not understood");
  const string& name = term.name;
  Folded one;
  Binder rows(at, scope);
  std::vector<Term> args = term.args;
  const bool is_private = scope.relation->is_private;
  const AggregateForm* form = fold_named(at.aggregates(), term);
  if (!form || (is_private && only_over_public(*form->fold)))
    return at.refuse(term.place, fmt::format("'{}' inside a subquery is not understood", name),
                     folds_known(at.aggregates(), is_private));
  one.fold = *form->fold;
  if (form->of != AggregateForm::Of::kRows) {
    if (form->share) {
      one.quantile = Rational(1, 2);
      if (!find_spelling(*form, name)->median) {
        const Expr share = args.size() == 2 ? constant(args[1]) : Expr();
        if (!share.range || share.range->low < 0 || share.range->high > 1)
          return at.refuse(term.place,
                           fmt::format("{} takes an expression and a literal share", name),
                           "QUANTILE(cost, 0.9)");
        one.quantile = share.range->low;
        args.pop_back();
      }
    }
    if (args.size() != 1)
      return at.refuse(term.place, fmt::format("{} takes one expression", name));
    if (at.has_aggregate(args)) return at.refuse(term.place, "an aggregate inside an aggregate");
    auto arg = TRY(rows.bind(args[0]));
    one.arg = std::move(arg);
    const bool any_type =
        one.fold == Fold::kCount || one.fold == Fold::kMin || one.fold == Fold::kMax;
    if (one.fold == Fold::kSum && one.arg.type == Type::kBool) one.arg = as_number(one.arg);
    if (!any_type && !is_number(one.arg.type))
      return at.refuse(term.place, fmt::format("{} takes a number", name));
  }
  if (term.distinct && one.fold != Fold::kMin && one.fold != Fold::kMax) {
    const AggregateForm* distinct = find_form(at.aggregates(), name, true);
    if (one.fold == Fold::kCountRows || !distinct || !distinct->fold)
      return at.refuse(term.place, fmt::format("{}(DISTINCT …) is not understood", name));
    one.fold = *distinct->fold;
  }
  // Like the names of groups, texts are told apart by their beginnings.
  const bool keeps =
      one.fold == Fold::kCountDistinct || one.fold == Fold::kMin || one.fold == Fold::kMax;
  if (is_private && keeps && may_be_long(one.arg) && !one.arg.is_key && !one.arg.domain)
    one.arg = short_name(std::move(one.arg));
  if (!term.filter.empty()) {
    auto condition = TRY(rows.condition(term.filter[0]));
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
  tell(column, scope.relation->rows_tell);
  return std::pair{std::move(one), std::move(column)};
}

}  // namespace

Result<RelationPtr> From::grouped(const Query& select, const Scope& scope) {
  auto items = TRY(select_items(at_, select, scope));
  auto groups = TRY(group_terms(at_, select, items, scope));
  auto fold = TRY(folded_by(select, groups, scope));
  const std::size_t shown = items.size();
  std::vector<Sort> sort;
  if (!fold->is_private) {
    auto found = TRY(sorting(select, items));
    sort = std::move(found);
  }
  // Aggregates become columns of the fold; what is left is a projection over it.
  const auto intercept = [&](const Term& part) { return over_groups(part, scope, *fold); };
  std::vector<Expr> exprs;
  std::vector<string> names;
  Scope over;  // the fold's columns are only reached through the intercept
  over.relation = fold;
  Binder outer(at_, over, intercept);
  for (const Item& item : items) {
    auto expr = TRY(outer.bind(item.term));
    exprs.push_back(std::move(expr));
    names.push_back(item.name);
  }
  std::optional<Expr> having;
  if (select.having) {
    auto condition = TRY(outer.condition(*select.having));
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
    for (Expr& expr : exprs) see_marks(expr, *out);
  }
  out = projected(out, std::move(exprs), names);
  if (select.distinct) {
    if (out->is_private || shown != out->columns.size())
      return at_.refuse(select.place, "DISTINCT with GROUP BY is not understood");
    out = distinct(std::move(out));
  }
  return limited(select, std::move(out), std::move(sort), shown);
}

// The scope's rows by the grouping expressions, with no aggregate yet.
Result<std::shared_ptr<Relation>> From::folded_by(const Query& select,
                                                  const std::vector<Term>& groups,
                                                  const Scope& scope) const {
  auto fold = std::make_shared<Relation>();
  fold->kind = Relation::Kind::kFold;
  fold->inputs = {scope.relation};
  fold->is_private = scope.relation->is_private;
  fold->has_unit = scope.relation->has_unit;
  fold->unit_type = scope.relation->unit_type;
  fold->rows_tell = scope.relation->rows_tell;
  fold->chosen_by = scope.relation->chosen_by;
  Binder rows(at_, scope);
  bool by_key = false;
  for (const Term& group : groups) {
    auto expr = TRY(rows.bind(group));
    by_key |= expr.is_key;
    fold->columns.push_back(
        column_of(expr, *scope.relation, fmt::format("g{}", fold->exprs.size())));
    fold->exprs.push_back(std::move(expr));
  }
  if (fold->is_private && !by_key)
    return at_.refuse(groups.empty() ? select.place : groups[0].place,
                      fmt::format("an aggregate in a subquery adds up different people's rows "
                                  "unless it is grouped by the {}'s key",
                                  catalog_.unit),
                      "add the key to its GROUP BY; only the outermost aggregate is released");
  if (!groups.empty())
    fold->rows_per_unit = groups.size() == 1 && by_key && fold->is_private
                              ? std::optional<std::int64_t>(1)
                              : std::nullopt;
  fold->rows_proved = fold->rows_per_unit.has_value();
  return fold;
}

std::optional<Result<Expr>> From::over_groups(const Term& part, const Scope& scope,
                                              Relation& fold) const {
  if (part.kind == Term::Kind::kLiteral) return std::nullopt;
  if (at_.is_aggregate(part)) {
    auto one = TRY(aggregate(at_, part, scope));
    fold.folds.push_back(std::move(one.first));
    fold.columns.push_back(std::move(one.second));
    return expr_of(fold, fold.columns.size() - 1);
  }
  if (at_.has_aggregate(part)) return std::nullopt;
  auto expr = TRY(Binder(at_, scope).bind(part));
  const auto found = std::find(fold.exprs.begin(), fold.exprs.end(), expr);
  if (found != fold.exprs.end())
    return expr_of(fold, static_cast<std::size_t>(found - fold.exprs.begin()));
  if (part.kind == Term::Kind::kColumn)
    return at_.refuse(
        part.place, fmt::format("'{}' must be in GROUP BY or in an aggregate", part.names.back()));
  if (part.kind != Term::Kind::kLifted) return std::nullopt;
  const Lifted& lifted = scope.lifted[part.lifted];
  if (!lifted.constant)
    return at_.refuse(lifted.term.place,
                      "this subquery depends on rows, which the groups have left behind",
                      "put it into WHERE, GROUP BY or an aggregate");
  Expr later = lifted.expr;
  later.column = kLater + part.lifted;
  return later;
}

}  // namespace discreet::sql
