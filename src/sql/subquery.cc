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
#include "discreet/policy/names.h"
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

void conjuncts(const Json& node, std::vector<Json>& out) {
  if (node.is_null()) return;
  if (node.value("class", "") != "CONJUNCTION" || node.value("type", "") != "CONJUNCTION_AND") {
    out.push_back(node);
    return;
  }
  for (const Json& child : node["children"]) conjuncts(child, out);
}

}  // namespace

Status From::lift(Json& tree, Scope& scope, const Ctes& ctes) {
  if (!tree.is_structured()) return {};
  const bool is_subquery = tree.is_object() && tree.value("class", "") == "SUBQUERY";
  for (auto& [key, part] : tree.items()) {
    if (is_subquery && key != "child") continue;
    TRY(lift(part, scope, ctes));
  }
  if (!is_subquery) return {};
  std::size_t index = 0;  // the same subquery again is the same value
  while (index < scope.lifted.size() &&
         !(scope.lifted[index].node["subquery"] == tree["subquery"] &&
           scope.lifted[index].node["child"] == tree["child"] &&
           scope.lifted[index].node["subquery_type"] == tree["subquery_type"]))
    ++index;
  if (index == scope.lifted.size()) {
    auto one = TRY(subquery(tree, scope, ctes));
    one.node = tree;
    scope.lifted.push_back(std::move(one));
  }
  tree = Json{{"class", "LIFTED"},
              {"index", index},
              {"alias", tree["alias"]},
              {"query_location", tree["query_location"]}};
  return {};
}

Result<Lifted> From::subquery(const Json& node, Scope& scope, const Ctes& ctes) {
  const string kind = node.value("subquery_type", "");
  const Json& inside = node["subquery"]["node"];
  const auto refuse_private = [&] {
    return at_.refuse(
        node,
        "a subquery in an expression (EXISTS, IN, scalar) over private tables could tell about "
        "single people",
        fmt::format("join in FROM, on the {}'s key: JOIN, SEMI JOIN, ANTI JOIN; subqueries over "
                    "public tables are answered",
                    catalog_.unit));
  };
  if (kind != "EXISTS" && kind != "SCALAR" &&
      !(kind == "ANY" && node.value("comparison_type", "") == "COMPARE_EQUAL"))
    return at_.refuse(node, "this comparison with a subquery is not understood",
                      "EXISTS, IN and scalar subqueries are");
  Result<RelationPtr> rows = query(inside, ctes);
  if (!rows) {
    // Perhaps it speaks of the outer query.
    if (inside.value("type", "") != "SELECT_NODE") return forward_error(rows);
    Ctes own{&ctes, {}};
    TRY(with(inside, own));
    auto source = TRY(item(inside["from_table"], own));
    if (source.scope.relation->is_private) return refuse_private();
    if (!scope.names.empty()) {
      auto found = correlated(node, scope, source.scope, own);
      if (found || found.error().code != Code::kUsage) return found;
    }
    return forward_error(rows);
  }
  if ((*rows)->is_private) return refuse_private();
  if (kind != "EXISTS" && (*rows)->columns.size() != 1)
    return at_.refuse(node, fmt::format("this subquery has {} columns, one is expected",
                                        (*rows)->columns.size()));
  Lifted out;
  if (kind == "ANY") {
    auto wanted = TRY(Binder(at_, scope).bind(node["child"]));
    const RelationPtr counts =
        folded(*rows, {}, {fold_of(Fold::kCountRows), fold_of(Fold::kCount, expr_of(**rows, 0))});
    // As what they are compared as: only then has a row one match at most.
    Expr compared = expr_of(**rows, 0);
    if (compared.type != wanted.type && is_number(compared.type) && is_number(wanted.type))
      compared = call(Op::kCast, Type::kDouble, {std::move(compared)});
    const RelationPtr values =
        distinct(projected(filtered(*rows, is_not_null(expr_of(**rows, 0))), {compared}, {""}));
    scope.relation = beside(scope.relation, counts);
    const std::size_t all = scope.relation->columns.size() - 2;
    Expr value = column(scope.relation->columns.size(), values->columns[0].type);
    Expr left = wanted;
    Type type = Type::kText;
    if (value.type == Type::kDouble && left.type == Type::kInt)
      left = call(Op::kCast, Type::kDouble, {std::move(left)});
    if (!unify({&left, &value}, type) || value.op != Op::kColumn)
      return at_.refuse(node,
                        fmt::format("a {} can't be compared with a {}", name_of(wanted.type),
                                    name_of(values->columns[0].type)),
                        "a CAST makes them alike");
    scope.relation = matched(scope.relation, values,
                             call(Op::kEqual, Type::kBool, {std::move(left), std::move(value)}));
    // As SQL has it: false where there are no rows, else unknown where x is NULL, or where a NULL
    // is among the rows and x isn't.
    const Relation& over = *scope.relation;
    Expr null = call(Op::kIsNull, Type::kBool, {wanted});
    Expr some_null = call(Op::kLess, Type::kBool, {expr_of(over, all + 1), expr_of(over, all)});
    out.expr =
        when({call(Op::kEqual, Type::kBool, {expr_of(over, all), literal(Value::integer(0))}),
              truth(false), std::move(null), literal(Value::none(Type::kBool)),
              is_not_null(expr_of(over, all + 2)), truth(true), std::move(some_null),
              literal(Value::none(Type::kBool)), truth(false)},
             Type::kBool);
    return out;
  }
  RelationPtr one;
  if (kind == "EXISTS") {
    one = folded(*rows, {}, {fold_of(Fold::kCountRows)});
    one = projected(one, {above(expr_of(*one, 0), 0)}, {"exists"});
  } else {
    one = folded(*rows, {}, {fold_of(Fold::kCountRows), fold_of(Fold::kMin, expr_of(**rows, 0))});
    singles_.push_back({projected(one, {expr_of(*one, 0)}, {"rows"}), at_.position(node)});
    one = projected(one, {single(*one, 0)}, {"value"});
  }
  scope.relation = beside(scope.relation, one);
  out.expr = expr_of(*scope.relation, scope.relation->columns.size() - 1);
  out.constant = one;
  return out;
}

// A failure that is a usage error says only: it isn't correlated after all.
Result<Lifted> From::correlated(const Json& node, Scope& scope, const Scope& inner,
                                const Ctes& ctes) {
  const string kind = node.value("subquery_type", "");
  Json inside = node["subquery"]["node"];
  Scope rows = inner;
  std::vector<Json> parts, keys;
  std::vector<Expr> outer;
  conjuncts(inside["where_clause"], parts);
  std::optional<Expr> filter;
  for (Json& part : parts) {
    auto own = lift(part, rows, ctes);
    auto condition = own ? Binder(at_, rows).condition(part) : Result<Expr>(forward_error(own));
    if (condition) {
      filter = filter ? call(Op::kAnd, Type::kBool, {std::move(*filter), std::move(*condition)})
                      : std::move(*condition);
      continue;
    }
    bool matches = false;
    if (part.value("type", "") == "COMPARE_EQUAL")
      for (const auto& [mine, other] : {std::pair{"left", "right"}, {"right", "left"}}) {
        auto key = Binder(at_, rows).bind(part[mine]);
        auto theirs = Binder(at_, scope).bind(part[other]);
        if (matches || !key || !theirs || has_aggregate(part)) continue;
        matches = true;
        keys.push_back(part[mine]);
        outer.push_back(std::move(*theirs));
      }
    if (matches) continue;
    Scope both = scope;  // does it speak of both, or of something unknown?
    both.relation = beside(scope.relation, rows.relation);
    for (Scope::Name name : rows.names) {
      name.index += scope.relation->columns.size();
      both.names.push_back(std::move(name));
    }
    if (!Binder(at_, both).bind(part)) return fail(Code::kUsage, "");
    return at_.refuse(part,
                      "a subquery may depend on the outer query only by = in its WHERE, one side "
                      "the subquery's and one the outer's",
                      "join with it in FROM instead");
  }
  if (keys.empty()) return fail(Code::kUsage, "");
  for (const char* clause : {"group_expressions", "modifiers"})
    if (!inside[clause].empty())
      return at_.refuse(node,
                        "a subquery that depends on the outer query can't have GROUP BY, DISTINCT, "
                        "ORDER BY or LIMIT",
                        "join with it in FROM instead");
  if (!inside["having"].is_null() || kind == "ANY" ||
      inside.value("aggregate_handling", "STANDARD_HANDLING") != "STANDARD_HANDLING")
    return at_.refuse(node, "an IN or HAVING that depends on the outer query is not answered",
                      "write EXISTS (SELECT 1 FROM … WHERE inner = outer)");
  if (filter) rows.relation = filtered(rows.relation, std::move(*filter));
  std::vector<Expr> by;
  for (const Json& key : keys) by.push_back(*Binder(at_, rows).bind(key));
  RelationPtr right;
  const bool scalar = kind == "SCALAR";
  const Json& items = inside["select_list"];
  bool counts = false;
  if (scalar && (items.size() != 1 || items[0].value("class", "") == "STAR"))
    return at_.refuse(node, "this subquery has several columns, one is expected");
  if (scalar && has_aggregate(items)) {
    const string name = lower(text_field(items[0], "function_name"));
    counts = name == "count" || name == "count_star";
    if (!counts && items[0].dump().find("\"count") != string::npos)
      return at_.refuse(node, "COUNT in such a subquery stands by itself",
                        "calculate with it outside of the subquery");
    inside["group_expressions"] = keys;
    inside["where_clause"] = nullptr;
    for (const Json& key : keys) inside["select_list"].push_back(key);
    auto made = TRY(grouped(inside, rows));
    right = made;
    std::vector<Expr> turned;  // the keys first, then the value
    std::vector<string> names(keys.size() + 1);
    for (std::size_t i = 0; i < keys.size(); ++i) turned.push_back(expr_of(*right, i + 1));
    turned.push_back(expr_of(*right, 0));
    right = projected(right, std::move(turned), names);
  } else if (scalar) {
    auto value = TRY(Binder(at_, rows).bind(items[0]));
    right = folded(rows.relation, by, {fold_of(Fold::kCountRows), fold_of(Fold::kMin, value)});
    Folded most = fold_of(Fold::kMax, expr_of(*right, keys.size()));
    singles_.push_back({folded(right, {}, {std::move(most)}), at_.position(node)});
    std::vector<Expr> exprs;
    std::vector<string> names(keys.size() + 1);
    for (std::size_t i = 0; i < keys.size(); ++i) exprs.push_back(expr_of(*right, i));
    exprs.push_back(single(*right, keys.size()));
    right = projected(right, std::move(exprs), names);
  } else {
    right = folded(rows.relation, by, {});
  }
  std::vector<Expr> conditions;
  const std::size_t before = scope.relation->columns.size();
  bool uses_key = false, uses_hidden = false;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Expr mine = column(before + i, right->columns[i].type);
    Type type = Type::kText;
    uses_key |= outer[i].uses_key;
    uses_hidden |= outer[i].uses_hidden;
    // Grouped as doubles, compared as doubles. (The other way round a row could match several.)
    if (mine.type == Type::kDouble && outer[i].type == Type::kInt)
      outer[i] = call(Op::kCast, Type::kDouble, {std::move(outer[i])});
    if (!unify({&mine, &outer[i]}, type) || mine.op != Op::kColumn || mine.type != outer[i].type)
      return at_.refuse(keys[i], "the two sides of this comparison are of different types",
                        "a CAST makes them alike");
    conditions.push_back(call(Op::kEqual, Type::kBool, {std::move(outer[i]), std::move(mine)}));
  }
  scope.relation =
      matched(scope.relation, right,
              conditions.size() == 1 ? conditions[0] : call(Op::kAnd, Type::kBool, conditions));
  Lifted out;
  if (!scalar) {
    out.expr = is_not_null(expr_of(*scope.relation, before));
  } else {
    out.expr = expr_of(*scope.relation, scope.relation->columns.size() - 1);
    if (counts) out.expr = call(Op::kCoalesce, Type::kInt, {out.expr, literal(Value::integer(0))});
    out.expr.nonnegative = counts;
  }
  out.expr.uses_key = uses_key;
  out.expr.uses_hidden = uses_hidden;
  return out;
}

}  // namespace discreet::sql
