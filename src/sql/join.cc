// Joins that keep every row with one owner.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/reveal.h"

namespace discreet::sql {

using std::string;

bool From::joins_owners(const Expr& condition, const std::vector<Column>& columns,
                        const Pending& pending) const {
  if (condition.op == Op::kAnd)
    return std::any_of(condition.args.begin(), condition.args.end(),
                       [&](const Expr& part) { return joins_owners(part, columns, pending); });
  if (condition.op != Op::kEqual || condition.args[0].op != Op::kColumn ||
      condition.args[1].op != Op::kColumn)
    return false;
  std::size_t a = condition.args[0].column, b = condition.args[1].column;
  if (a > b) std::swap(a, b);
  if (a < pending.left || a >= pending.middle || b < pending.middle || b >= pending.right)
    return false;
  if (columns[a].is_key && columns[b].is_key) return true;
  for (const Table& table : catalog_.tables) {
    if (!table.rule.link) continue;
    const string from = table.rule.name + "." + table.rule.link->column,
                 to = table.rule.link->table + "." + table.rule.link->target;
    if ((same_name(columns[a].origin, from) && same_name(columns[b].origin, to)) ||
        (same_name(columns[a].origin, to) && same_name(columns[b].origin, from)))
      return true;
  }
  return false;
}

tl::unexpected<Error> From::unowned(const Json& node) const {
  return at_.refuse(
      node,
      fmt::format("two private tables are joined, but not on the {}'s key or a declared link",
                  catalog_.unit),
      "add ON left.KEY = right.KEY, so that every joined row has one owner");
}

Result<Source> From::join(const Json& node, const Ctes& ctes) {
  TRY(at_.only(node, {"left", "right", "condition", "join_type", "ref_type", "using_columns"},
               "a join"));
  const Deeper deeper(depth_);
  if (depth_ > kDeepest) return at_.refuse(node, "the joins are nested too deeply");
  auto left = TRY(item(node["left"], ctes));
  auto right = TRY(item(node["right"], ctes));
  const Relation& l = *left.scope.relation;
  const Relation& r = *right.scope.relation;
  const std::size_t middle = l.columns.size();
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kJoin;
  out->columns = l.columns;
  out->columns.insert(out->columns.end(), r.columns.begin(), r.columns.end());
  constexpr std::size_t kMostColumns = 10'000;
  if (out->columns.size() > kMostColumns)
    return at_.refuse(node, fmt::format("the join has {} columns, more than an engine can take",
                                        out->columns.size()));
  const string kind = node.value("join_type", ""), ref = node.value("ref_type", "");
  if (kind == "INNER") {
    out->join = JoinKind::kInner;
  } else if (kind == "LEFT") {
    out->join = JoinKind::kLeft;
  } else if (kind == "RIGHT") {
    out->join = JoinKind::kRight;
  } else if (kind == "OUTER" || kind == "FULL") {
    out->join = JoinKind::kFull;
  } else if (kind == "SEMI") {
    out->join = JoinKind::kSemi;
  } else if (kind == "ANTI") {
    out->join = JoinKind::kAnti;
  } else {
    return at_.refuse(node, fmt::format("a {} join is not understood", kind),
                      "INNER, LEFT, RIGHT, FULL, SEMI and ANTI joins are");
  }
  const bool keeps_left_only = out->join == JoinKind::kSemi || out->join == JoinKind::kAnti;
  if (keeps_left_only && !l.is_private && r.is_private)
    return at_.refuse(node, "this join would choose public rows by what people's rows hold",
                      "put the private table on the left");
  if (keeps_left_only && !right.pending.empty()) return unowned(right.pending[0].node);
  if (ref != "REGULAR" && ref != "CROSS" && ref != "NATURAL")
    return at_.refuse(node, fmt::format("a {} join is not understood", ref));
  if (l.is_private != r.is_private) {
    const bool keeps_left = out->join == JoinKind::kLeft || out->join == JoinKind::kFull;
    const bool keeps_right = out->join == JoinKind::kRight || out->join == JoinKind::kFull;
    if ((keeps_left && !l.is_private) || (keeps_right && !r.is_private))
      return at_.refuse(
          node, "an outer join that keeps rows of the public side makes rows without an owner",
          "use an inner join, or keep the private side");
  }
  // Columns of a side that may be missing are no longer the key.
  for (std::size_t i = 0; i < out->columns.size(); ++i)
    if ((i < middle && (out->join == JoinKind::kRight || out->join == JoinKind::kFull)) ||
        (i >= middle && (out->join == JoinKind::kLeft || out->join == JoinKind::kFull)))
      out->columns[i].is_key = false;
  Source source;
  source.scope.names = left.scope.names;
  for (Scope::Name name : right.scope.names) {
    name.index += middle;
    source.scope.names.push_back(name);
  }
  source.pending = left.pending;
  for (Pending pending : right.pending) {
    pending.left += middle;
    pending.middle += middle;
    pending.right += middle;
    source.pending.push_back(pending);
  }
  out->inputs = {left.scope.relation, right.scope.relation};
  out->is_private = l.is_private || r.is_private;
  out->has_unit = l.has_unit || r.has_unit;
  out->rows_tell_key = l.rows_tell_key || r.rows_tell_key;
  out->rows_tell_hidden = l.rows_tell_hidden || r.rows_tell_hidden;
  out->unit_type = l.has_unit ? l.unit_type : r.unit_type;
  if (l.has_unit && r.has_unit && l.unit_type != r.unit_type)
    return at_.refuse(node,
                      fmt::format("the two tables' {} keys are of different types", catalog_.unit),
                      "the policy's owner can give both the same type: columns.KEY = { type = … }");
  // USING and NATURAL: equal names, the left one stands for both.
  std::vector<string> shared;
  if (ref == "NATURAL") {
    for (const Scope::Name& a : left.scope.names)
      for (const Scope::Name& b : right.scope.names)
        if (same_name(a.column, b.column) && !a.qualified_only && !b.qualified_only)
          shared.push_back(a.column);
    if (shared.empty()) return at_.refuse(node, "a NATURAL join finds no common column");
  } else {
    shared = node["using_columns"].get<std::vector<string>>();
  }
  source.scope.relation = out;
  std::vector<Expr> conditions;
  if (!shared.empty() && out->join == JoinKind::kFull)
    return at_.refuse(node, "a FULL join with USING is not understood", "write ON");
  for (const string& name : shared) {
    const auto find = [&](bool of_left) {
      std::size_t count = 0, at = 0;
      for (std::size_t i = 0; i < source.scope.names.size(); ++i) {
        const Scope::Name& one = source.scope.names[i];
        if ((one.index < middle) != of_left || one.qualified_only || !same_name(one.column, name))
          continue;
        ++count;
        at = i;
      }
      return count == 1 ? std::optional(at) : std::nullopt;
    };
    const auto a = find(true), b = find(false);
    if (!a || !b)
      return at_.refuse(node,
                        fmt::format("USING ({}): the column must be once on each side", name));
    const std::size_t ca = source.scope.names[*a].index, cb = source.scope.names[*b].index;
    if (out->columns[ca].type != out->columns[cb].type &&
        !(is_number(out->columns[ca].type) && is_number(out->columns[cb].type)))
      return at_.refuse(node,
                        fmt::format("USING ({}): the two columns are of different types", name));
    conditions.push_back(
        call(Op::kEqual, Type::kBool,
             {column(ca, out->columns[ca].type), column(cb, out->columns[cb].type)}));
    source.scope.names[out->join == JoinKind::kRight ? *a : *b].qualified_only = true;
  }
  if (!node["condition"].is_null()) {
    Binder binder(at_, source.scope);
    auto bound = TRY(binder.condition(node["condition"]));
    conditions.push_back(std::move(bound));
  }
  if (!conditions.empty())
    out->condition =
        conditions.size() == 1 ? conditions[0] : call(Op::kAnd, Type::kBool, conditions);
  if (l.is_private && r.is_private) {
    const Pending pending{0, middle, out->columns.size(), node};
    // The owners are compared with the key columns as they were before the join could leave them
    // out.
    std::vector<Column> before = l.columns;
    before.insert(before.end(), r.columns.begin(), r.columns.end());
    if (!out->condition || !joins_owners(*out->condition, before, pending)) {
      if (out->join != JoinKind::kInner) return unowned(node);
      source.pending.push_back(pending);
    }
  }
  mark_revealed(*out);
  if (keeps_left_only) {
    out->columns.resize(middle);
    out->rows_per_unit = l.rows_per_unit;
    out->rows_proved = l.rows_proved;
    source.scope.names = left.scope.names;
  }
  return source;
}

}  // namespace discreet::sql
