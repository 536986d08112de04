// Joins that keep every row with one owner.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/from.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/reveal.h"
#include "discreet/sql/rows_of.h"

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

tl::unexpected<Error> From::unowned(const Place& place) const {
  return at_.refuse(
      place,
      fmt::format("two private tables are joined, but not on the {}'s key or a declared link",
                  catalog_.unit),
      "add ON left.KEY = right.KEY, so that every joined row has one owner");
}

namespace {

bool keeps_left_only(JoinKind join) { return join == JoinKind::kSemi || join == JoinKind::kAnti; }

std::vector<Column> columns_of_both(const Relation& left, const Relation& right) {
  std::vector<Column> out = left.columns;
  out.insert(out.end(), right.columns.begin(), right.columns.end());
  return out;
}

// Both sides side by side, not matched yet.
Joined side_by_side(const Joined& left, const Joined& right, JoinKind join) {
  const Relation& l = *left.scope.relation;
  const Relation& r = *right.scope.relation;
  const std::size_t middle = l.columns.size();
  auto both = std::make_shared<Relation>();
  both->kind = Relation::Kind::kJoin;
  both->join = join;
  both->columns = columns_of_both(l, r);
  // Columns of a side that may be missing are no longer the key.
  for (std::size_t i = 0; i < both->columns.size(); ++i)
    if (i < middle ? may_lack_left(join) : may_lack_right(join)) both->columns[i].is_key = false;
  both->inputs = {left.scope.relation, right.scope.relation};
  both->is_private = l.is_private || r.is_private;
  both->has_unit = l.has_unit || r.has_unit;
  for (const Relation* side : {&l, &r}) {
    both->rows_tell |= side->rows_tell;
    both->chosen_by |= side->chosen_by;
  }
  both->unit_type = l.has_unit ? l.unit_type : r.unit_type;
  Joined out;
  out.scope.names = left.scope.names;
  for (Scope::Name name : right.scope.names) {
    name.index += middle;
    out.scope.names.push_back(name);
  }
  out.pending = left.pending;
  for (Pending pending : right.pending) {
    pending.left += middle;
    pending.middle += middle;
    pending.right += middle;
    out.pending.push_back(pending);
  }
  out.scope.relation = both;
  return out;
}

// The one name that a USING column has on a side.
std::optional<std::size_t> shared_name(const Scope& scope, const string& name, std::size_t middle,
                                       bool of_left) {
  std::size_t count = 0, at = 0;
  for (std::size_t i = 0; i < scope.names.size(); ++i) {
    const Scope::Name& one = scope.names[i];
    if ((one.index < middle) != of_left || one.qualified_only || !same_name(one.column, name))
      continue;
    ++count;
    at = i;
  }
  return count == 1 ? std::optional(at) : std::nullopt;
}

}  // namespace

// What a join of these may not be, whatever its condition.
Status From::may_join(const FromItem& item, const Joined& left, const Joined& right) const {
  const Relation& l = *left.scope.relation;
  const Relation& r = *right.scope.relation;
  constexpr std::size_t kMostColumns = 10'000;
  const std::size_t columns = l.columns.size() + r.columns.size();
  if (columns > kMostColumns)
    return at_.refuse(
        item.place, fmt::format("the join has {} columns, more than an engine can take", columns));
  if (keeps_left_only(item.join) && !l.is_private && r.is_private)
    return at_.refuse(item.place, "this join would choose public rows by what people's rows hold",
                      "put the private table on the left");
  if (keeps_left_only(item.join) && !right.pending.empty()) return unowned(right.pending[0].place);
  if (l.is_private != r.is_private &&
      ((may_lack_right(item.join) && !l.is_private) || (may_lack_left(item.join) && !r.is_private)))
    return at_.refuse(
        item.place, "an outer join that keeps rows of the public side makes rows without an owner",
        "use an inner join, or keep the private side");
  if (l.has_unit && r.has_unit && !same_units(catalog_, l, r))
    return at_.refuse(item.place,
                      fmt::format("the two tables' {} keys are of different types", catalog_.unit),
                      "the policy's owner can give both the same type: columns.KEY = { type = … }");
  return {};
}

// USING and NATURAL: equal names, the left one stands for both.
Result<std::vector<Expr>> From::shared_columns(const FromItem& item, const Joined& left,
                                               const Joined& right, Scope& scope) const {
  std::vector<string> shared = item.shared;
  if (item.match == FromItem::Match::kNatural) {
    for (const Scope::Name& a : left.scope.names)
      for (const Scope::Name& b : right.scope.names)
        if (same_name(a.column, b.column) && !a.qualified_only && !b.qualified_only)
          shared.push_back(a.column);
    if (shared.empty()) return at_.refuse(item.place, "a NATURAL join finds no common column");
  }
  if (!shared.empty() && item.join == JoinKind::kFull)
    return at_.refuse(item.place, "a FULL join with USING is not understood", "write ON");
  const std::size_t middle = left.scope.relation->columns.size();
  const std::vector<Column>& columns = scope.relation->columns;
  std::vector<Expr> out;
  for (const string& name : shared) {
    const auto a = shared_name(scope, name, middle, true);
    const auto b = shared_name(scope, name, middle, false);
    if (!a || !b)
      return at_.refuse(item.place,
                        fmt::format("USING ({}): the column must be once on each side", name));
    const std::size_t ca = scope.names[*a].index, cb = scope.names[*b].index;
    if (columns[ca].type != columns[cb].type &&
        !(is_number(columns[ca].type) && is_number(columns[cb].type)))
      return at_.refuse(item.place,
                        fmt::format("USING ({}): the two columns are of different types", name));
    out.push_back(call(Op::kEqual, Type::kBool,
                       {column(ca, columns[ca].type), column(cb, columns[cb].type)}));
    scope.names[item.join == JoinKind::kRight ? *a : *b].qualified_only = true;
  }
  return out;
}

Result<Joined> From::join(const FromItem& item, const Ctes& ctes) {
  const Deeper deeper(depth_);
  if (depth_ > kDeepest) return at_.refuse(item.place, "the joins are nested too deeply");
  auto left = TRY(this->item(item.sides[0], ctes));
  auto right = TRY(this->item(item.sides[1], ctes));
  TRY(may_join(item, left, right));
  const Relation& l = *left.scope.relation;
  const Relation& r = *right.scope.relation;
  const std::size_t middle = l.columns.size();
  Joined joined = side_by_side(left, right, item.join);
  auto conditions = TRY(shared_columns(item, left, right, joined.scope));
  if (item.condition) {
    Binder binder(at_, joined.scope);
    auto bound = TRY(binder.condition(*item.condition));
    conditions.push_back(std::move(bound));
  }
  auto out = std::make_shared<Relation>(*joined.scope.relation);
  if (!conditions.empty())
    out->condition =
        conditions.size() == 1 ? conditions[0] : call(Op::kAnd, Type::kBool, conditions);
  if (l.is_private && r.is_private) {
    const Pending pending{0, middle, out->columns.size(), item.place};
    // The owners are compared with the key columns as they were before the join could leave them
    // out.
    if (!out->condition || !joins_owners(*out->condition, columns_of_both(l, r), pending)) {
      if (item.join != JoinKind::kInner) return unowned(item.place);
      joined.pending.push_back(pending);
    }
  }
  mark_revealed(*out);
  if (keeps_left_only(item.join)) {
    out->columns.resize(middle);
    out->rows_per_unit = l.rows_per_unit;
    out->rows_proved = l.rows_proved;
    joined.scope.names = left.scope.names;
  }
  joined.scope.relation = out;
  return joined;
}

}  // namespace discreet::sql
