// Subqueries in expressions: EXISTS, IN and scalar ones, over public tables only.
//
// Such a subquery is a function of the row it stands at and of public tables, so a row keeps its
// owner. It becomes a join that leaves each row as it is and adds columns to it:
//
//   (SELECT AVG(price) FROM drugs)                    beside every row, the one row of the subquery
//   x IN (SELECT drug FROM drugs)                     LEFT JOIN the different drugs ON x = drug
//   EXISTS (SELECT … FROM drugs d WHERE d.drug = r.drug AND …)
//                                                     LEFT JOIN the different d.drug ON that
//   (SELECT price FROM drugs d WHERE d.drug = r.drug) LEFT JOIN them grouped by d.drug ON that
//
// What depends on the outer row (is correlated) must do so by equalities in its WHERE: those are
// the join's condition, and the grouping makes its match unique. That a scalar subquery has one row
// is looked up in the public tables before anything is spent (Question::singles).
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"

namespace discreet::sql {

using std::string;

namespace {

Expr truth(bool value) { return literal(Value::boolean(value)); }

Expr above(Expr left, std::int64_t right) {
  return call(Op::kGreater, Type::kBool, {std::move(left), literal(Value::integer(right))});
}

Expr when(std::vector<Expr> cases, Type type) { return call(Op::kCase, type, std::move(cases)); }

Expr is_not_null(Expr value) { return call(Op::kIsNotNull, Type::kBool, {std::move(value)}); }

Folded fold_of(Fold fold, Expr arg = {}) { return {fold, std::move(arg), {}}; }

// The rows of a public relation folded by some of its columns.
RelationPtr folded(RelationPtr input, std::vector<Expr> by, std::vector<Folded> folds) {
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kFold;
  for (const Expr& expr : by) out->columns.push_back(column_of(expr, *input, "k"));
  for (const Folded& one : folds) {
    Column column;
    column.type = one.fold == Fold::kMin ? one.arg.type : Type::kInt;
    if (one.fold == Fold::kMin) column.range = one.arg.range;
    out->columns.push_back(std::move(column));
  }
  out->exprs = std::move(by);
  out->folds = std::move(folds);
  out->inputs = {std::move(input)};
  return out;
}

// A number of rows and the least value at `count`: the value, if there is one row at most.
Expr single(const Relation& relation, std::size_t count) {
  Expr value = expr_of(relation, count + 1);
  auto range = value.range;
  const Type type = value.type;
  Expr out = when(
      {above(expr_of(relation, count), 1), literal(Value::none(type)), std::move(value)}, type);
  out.range = range;
  return out;
}

void conjuncts(const Term& term, std::vector<Term>& out) {
  if (term.kind != Term::Kind::kAnd) {
    out.push_back(term);
    return;
  }
  for (const Term& arg : term.args) conjuncts(arg, out);
}

bool is_count(const Context& at, const Term& term) {
  return std::any_of(
      at.aggregates().begin(), at.aggregates().end(), [&](const AggregateForm* form) {
        return form->gives == AggregateForm::Gives::kCount && is_aggregate({form}, term);
      });
}

bool has_count(const Context& at, const Term& term) {
  bool found = is_count(at, term);
  each_part(term, [&](const Term& part) { found = found || has_count(at, part); });
  return found;
}

// The columns of a relation, those from `first` on before the others.
RelationPtr turned(const RelationPtr& relation, std::size_t first) {
  std::vector<Expr> exprs;
  const std::size_t count = relation->columns.size();
  for (std::size_t i = 0; i < count; ++i) exprs.push_back(expr_of(*relation, (first + i) % count));
  return projected(relation, std::move(exprs), std::vector<string>(count));
}

}  // namespace

Status From::lift(Term& term, Scope& scope, const Ctes& ctes) {
  Status ok;
  each_part(term, [&](Term& part) {
    if (ok) ok = lift(part, scope, ctes);
  });
  if (!ok || !term.query) return ok;
  std::size_t index = 0;  // the same subquery again is the same value
  while (index < scope.lifted.size() && !(scope.lifted[index].term.kind == term.kind &&
                                          scope.lifted[index].term.args == term.args &&
                                          scope.lifted[index].term.query == term.query))
    ++index;
  if (index == scope.lifted.size()) {
    if (index == kMostSubqueries)
      return at_.refuse(
          term.place,
          fmt::format("a SELECT has more than {} subqueries in its expressions", kMostSubqueries),
          "join with them in FROM instead");
    auto one = TRY(subquery(term, scope, ctes));
    one.term = term;
    scope.lifted.push_back(std::move(one));
  }
  Term lifted;
  lifted.kind = Term::Kind::kLifted;
  lifted.place = term.place;
  lifted.alias = term.alias;
  lifted.lifted = index;
  term = std::move(lifted);
  return {};
}

Status From::lift(Query& select, Scope& scope, const Ctes& ctes) {
  for (Term& item : select.items) TRY(lift(item, scope, ctes));
  for (Term& group : select.groups) TRY(lift(group, scope, ctes));
  if (select.having) TRY(lift(*select.having, scope, ctes));
  return {};
}

Result<Lifted> From::subquery(const Term& term, Scope& scope, const Ctes& ctes) {
  const Query& inside = *term.query;
  const auto refuse_private = [&] {
    return at_.refuse(
        term.place,
        "a subquery in an expression (EXISTS, IN, scalar) over private tables could tell about "
        "single people",
        fmt::format("join in FROM, on the {}'s key: JOIN, SEMI JOIN, ANTI JOIN; subqueries over "
                    "public tables are answered",
                    catalog_.unit));
  };
  // It is asked for again wherever the query around it is tried another time.
  const auto known = inside_.find(&inside);
  Inside& tried = known != inside_.end() ? known->second : inside_[&inside];
  if (known == inside_.end()) tried.rows = query(inside, ctes);
  const Result<RelationPtr>& rows = tried.rows;
  if (!rows) {
    // Perhaps it speaks of the outer query.
    if (inside.kind != Query::Kind::kSelect) return tl::unexpected(rows.error());
    const Deeper deeper(depth_);
    if (depth_ > kDeepest) return at_.refuse(term.place, "the queries are nested too deeply");
    Ctes own{&ctes, tried.named};
    if (!tried.from) {
      Status named = with(inside, own);
      tried.from = named ? item(inside.from, own) : Result<Joined>(forward_error(named));
      tried.named = own.named;
    }
    if (!*tried.from) return tl::unexpected(tried.from->error());
    const Scope& from = (*tried.from)->scope;
    if (from.relation->is_private) return refuse_private();
    if (!scope.names.empty()) {
      auto found = correlated(term, scope, from, own);
      if (found || found.error().code != Code::kUsage) return found;
    }
    return tl::unexpected(rows.error());
  }
  if ((*rows)->is_private) return refuse_private();
  const bool exists = term.kind == Term::Kind::kExists;
  if (!exists && (*rows)->columns.size() != 1)
    return at_.refuse(term.place, fmt::format("this subquery has {} columns, one is expected",
                                              (*rows)->columns.size()));
  if (term.kind == Term::Kind::kInQuery) return in_subquery(term, *rows, scope);
  Lifted out;
  RelationPtr one;
  if (exists) {
    one = folded(*rows, {}, {fold_of(Fold::kCountRows)});
    one = projected(one, {above(expr_of(*one, 0), 0)}, {"exists"});
  } else {
    one = folded(*rows, {}, {fold_of(Fold::kCountRows), fold_of(Fold::kMin, expr_of(**rows, 0))});
    singles_.push_back({projected(one, {expr_of(*one, 0)}, {"rows"}), at_.position(term.place)});
    one = projected(one, {single(*one, 0)}, {"value"});
  }
  scope.relation = beside(scope.relation, one);
  out.expr = expr_of(*scope.relation, scope.relation->columns.size() - 1);
  out.constant = one;
  return out;
}

// x IN (SELECT …)
Result<Lifted> From::in_subquery(const Term& term, const RelationPtr& rows, Scope& scope) {
  auto wanted = TRY(Binder(at_, scope).bind(term.args[0]));
  const RelationPtr counts =
      folded(rows, {}, {fold_of(Fold::kCountRows), fold_of(Fold::kCount, expr_of(*rows, 0))});
  // As what they are compared as: only then has a row one match at most.
  Expr compared = expr_of(*rows, 0);
  if (compared.type != wanted.type && is_number(compared.type) && is_number(wanted.type))
    compared = call(Op::kCast, Type::kDouble, {std::move(compared)});
  const RelationPtr values =
      distinct(projected(filtered(rows, is_not_null(expr_of(*rows, 0))), {compared}, {""}));
  scope.relation = beside(scope.relation, counts);
  const std::size_t all = scope.relation->columns.size() - 2;
  Expr value = column(scope.relation->columns.size(), values->columns[0].type);
  Expr left = wanted;
  Type type = Type::kText;
  if (value.type == Type::kDouble && left.type == Type::kInt)
    left = call(Op::kCast, Type::kDouble, {std::move(left)});
  if (!unify({&left, &value}, type) || value.op != Op::kColumn)
    return at_.refuse(term.place,
                      fmt::format("{} can't be compared with {}", with_article(wanted.type),
                                  with_article(values->columns[0].type)),
                      "a CAST makes them alike");
  scope.relation = matched(scope.relation, values,
                           call(Op::kEqual, Type::kBool, {std::move(left), std::move(value)}));
  // As SQL has it: false where there are no rows, else unknown where x is NULL, or where a NULL
  // is among the rows and x isn't.
  const Relation& over = *scope.relation;
  Expr null = call(Op::kIsNull, Type::kBool, {wanted});
  Expr some_null = call(Op::kLess, Type::kBool, {expr_of(over, all + 1), expr_of(over, all)});
  Lifted out;
  out.expr = when({call(Op::kEqual, Type::kBool, {expr_of(over, all), literal(Value::integer(0))}),
                   truth(false), std::move(null), literal(Value::none(Type::kBool)),
                   is_not_null(expr_of(over, all + 2)), truth(true), std::move(some_null),
                   literal(Value::none(Type::kBool)), truth(false)},
                  Type::kBool);
  return out;
}

// The public rows that a correlated subquery reads, and the equalities by which it is one.
struct From::Correlation {
  Scope rows;
  std::vector<Term> keys;   // the rows' sides
  std::vector<Expr> outer;  // the outer query's
};

// A failure that is a usage error says only: it isn't correlated after all.
Status From::correlate(const Query& inside, const Scope& scope, const Ctes& ctes,
                       Correlation& out) {
  Scope& rows = out.rows;
  std::vector<Term> conditions;
  if (inside.where) conjuncts(*inside.where, conditions);
  std::optional<Expr> filter;
  for (Term& part : conditions) {
    auto own = lift(part, rows, ctes);
    auto condition = own ? Binder(at_, rows).condition(part) : Result<Expr>(forward_error(own));
    if (condition) {
      filter = filter ? call(Op::kAnd, Type::kBool, {std::move(*filter), std::move(*condition)})
                      : std::move(*condition);
      continue;
    }
    bool matches = false;
    if (part.kind == Term::Kind::kCompare && part.op == Op::kEqual)
      for (const std::size_t side : {0, 1}) {
        auto mine = Binder(at_, rows).bind(part.args[side]);
        auto theirs = Binder(at_, scope).bind(part.args[1 - side]);
        if (matches || !mine || !theirs || at_.has_aggregate(part)) continue;
        matches = true;
        out.keys.push_back(part.args[side]);
        out.outer.push_back(std::move(*theirs));
      }
    if (matches) continue;
    Scope both = scope;  // does it speak of both, or of something unknown?
    both.relation = beside(scope.relation, rows.relation);
    for (Scope::Name name : rows.names) {
      name.index += scope.relation->columns.size();
      both.names.push_back(std::move(name));
    }
    if (!Binder(at_, both).bind(part)) return fail(Code::kUsage, "");
    return at_.refuse(part.place,
                      "a subquery may depend on the outer query only by = in its WHERE, one side "
                      "the subquery's and one the outer's",
                      "join with it in FROM instead");
  }
  if (out.keys.empty()) return fail(Code::kUsage, "");
  if (filter) rows.relation = filtered(rows.relation, std::move(*filter));
  return {};
}

// The different keys, each with the subquery's value where it has one.
Result<RelationPtr> From::correlated_values(const Term& term, const Correlation& found) {
  const Query& inside = *term.query;
  const std::size_t keys = found.keys.size();
  std::vector<Expr> by;
  for (const Term& key : found.keys) by.push_back(*Binder(at_, found.rows).bind(key));
  if (term.kind == Term::Kind::kExists) return folded(found.rows.relation, by, {});
  if (inside.items.size() != 1 || inside.items[0].kind == Term::Kind::kStar)
    return at_.refuse(term.place, "this subquery has several columns, one is expected");
  const Term& item = inside.items[0];
  if (at_.has_aggregate(item)) {
    if (!is_count(at_, item) && has_count(at_, item))
      return at_.refuse(term.place, "COUNT in such a subquery stands by itself",
                        "calculate with it outside of the subquery");
    Query by_keys = inside;
    by_keys.groups = found.keys;
    by_keys.where.reset();
    by_keys.items.insert(by_keys.items.end(), found.keys.begin(), found.keys.end());
    const RelationPtr made = TRY(grouped(by_keys, found.rows));
    return turned(made, 1);
  }
  auto value = TRY(Binder(at_, found.rows).bind(item));
  const RelationPtr right =
      folded(found.rows.relation, by, {fold_of(Fold::kCountRows), fold_of(Fold::kMin, value)});
  Folded most = fold_of(Fold::kMax, expr_of(*right, keys));
  singles_.push_back({folded(right, {}, {std::move(most)}), at_.position(term.place)});
  std::vector<Expr> exprs;
  for (std::size_t i = 0; i < keys; ++i) exprs.push_back(expr_of(*right, i));
  exprs.push_back(single(*right, keys));
  return projected(right, std::move(exprs), std::vector<string>(keys + 1));
}

Result<Lifted> From::correlated(const Term& term, Scope& scope, const Scope& inner,
                                const Ctes& ctes) {
  const Query& inside = *term.query;
  Correlation found{inner, {}, {}};
  TRY(correlate(inside, scope, ctes, found));
  if (!inside.groups.empty() || inside.distinct || !inside.order.empty() || inside.limit ||
      inside.offset)
    return at_.refuse(term.place,
                      "a subquery that depends on the outer query can't have GROUP BY, DISTINCT, "
                      "ORDER BY or LIMIT",
                      "join with it in FROM instead");
  if (inside.having || term.kind == Term::Kind::kInQuery || inside.group_by_all)
    return at_.refuse(term.place, "an IN or HAVING that depends on the outer query is not answered",
                      "write EXISTS (SELECT 1 FROM … WHERE inner = outer)");
  const RelationPtr right = TRY(correlated_values(term, found));
  std::vector<Expr> conditions;
  const std::size_t before = scope.relation->columns.size();
  bool uses_key = false, uses_hidden = false;
  for (std::size_t i = 0; i < found.keys.size(); ++i) {
    Expr mine = column(before + i, right->columns[i].type);
    Expr& outer = found.outer[i];
    Type type = Type::kText;
    uses_key |= outer.uses_key;
    uses_hidden |= outer.uses_hidden;
    // Grouped as doubles, compared as doubles. (The other way round a row could match several.)
    if (mine.type == Type::kDouble && outer.type == Type::kInt)
      outer = call(Op::kCast, Type::kDouble, {std::move(outer)});
    if (!unify({&mine, &outer}, type) || mine.op != Op::kColumn || mine.type != outer.type)
      return at_.refuse(found.keys[i].place,
                        "the two sides of this comparison are of different types",
                        "a CAST makes them alike");
    conditions.push_back(call(Op::kEqual, Type::kBool, {std::move(outer), std::move(mine)}));
  }
  scope.relation =
      matched(scope.relation, right,
              conditions.size() == 1 ? conditions[0] : call(Op::kAnd, Type::kBool, conditions));
  Lifted out;
  if (term.kind == Term::Kind::kExists) {
    out.expr = is_not_null(expr_of(*scope.relation, before));
  } else {
    const bool counts = is_count(at_, inside.items[0]);
    out.expr = expr_of(*scope.relation, scope.relation->columns.size() - 1);
    if (counts) out.expr = call(Op::kCoalesce, Type::kInt, {out.expr, literal(Value::integer(0))});
    out.expr.nonnegative = counts;
  }
  out.expr.uses_key = uses_key;
  out.expr.uses_hidden = uses_hidden;
  return out;
}

}  // namespace discreet::sql
