#include "discreet/sql/facts.h"

#include <algorithm>
#include <functional>

namespace discreet::sql {
namespace {

// Larger expressions are not followed: what they are made from may be used twice at each level.
constexpr std::size_t kLargest = 2000;

std::size_t size_of(const Expr& expr) {
  std::size_t out = 1;
  for (const Expr& arg : expr.args) out += size_of(arg);
  return out;
}

// Nor are more conditions gathered: fewer exclude fewer values.
constexpr std::size_t kMostConditions = 100;

void gather(const Expr& condition, std::vector<Expr>& out) {
  if (condition.op == Op::kAnd)
    for (const Expr& arg : condition.args) gather(arg, out);
  else if (out.size() < kMostConditions)
    out.push_back(condition);
}

using Below = std::function<std::optional<Expr>(const Expr& column)>;

// The expression over what its columns are made from; nothing where one of them has no such thing.
std::optional<Expr> put(const Expr& expr, const Below& below) {
  if (expr.op == Op::kColumn) return below(expr);
  Expr out = expr;
  for (Expr& arg : out.args) {
    auto made = put(arg, below);
    if (!made) return std::nullopt;
    arg = std::move(*made);
  }
  return out;
}

// What is known of a column is known of what it is made from.
Expr with_knowledge(Expr made, const Expr& column) {
  if (!made.range) made.range = column.range;
  if (!made.domain) made.domain = column.domain;
  return made;
}

bool go(Facts& facts, const RelationPtr& input, const Below& below) {
  auto expr = put(facts.expr, below);
  if (!expr || size_of(*expr) > kLargest) return false;
  std::vector<Expr> conditions;
  for (const Expr& condition : facts.conditions)
    if (auto made = put(condition, below); made && size_of(*made) <= kLargest)
      conditions.push_back(std::move(*made));
  facts.expr = with_knowledge(std::move(*expr), facts.expr);
  facts.conditions = std::move(conditions);
  facts.relation = input;
  return true;
}

// Those of one side of a join, by their numbers there.
Below side(std::size_t begin, std::size_t end) {
  return [=](const Expr& column) -> std::optional<Expr> {
    if (column.column < begin || column.column >= end) return std::nullopt;
    Expr out = column;
    out.column -= begin;
    return out;
  };
}

// Columns of a private side that every row has equal to one of the public side are that one.
std::optional<Expr> of_public_side(const Facts& facts, std::size_t begin, std::size_t end) {
  return put(facts.expr, [&](const Expr& column) -> std::optional<Expr> {
    const auto there = [&](std::size_t i) { return i >= begin && i < end; };
    if (there(column.column)) return column;
    for (const Expr& one : facts.conditions) {
      if (one.op != Op::kEqual || one.args[0].op != Op::kColumn || one.args[1].op != Op::kColumn ||
          one.args[0].type != one.args[1].type)
        continue;
      for (const std::size_t i : {0, 1})
        if (one.args[i].column == column.column && there(one.args[1 - i].column))
          return one.args[1 - i];
    }
    return std::nullopt;
  });
}

bool through_join(Facts& facts) {
  const RelationPtr kept = facts.relation;
  const Relation& join = *kept;
  const std::size_t middle = join.inputs[0]->columns.size();
  const std::size_t ends[] = {0, middle, middle + join.inputs[1]->columns.size()};
  const auto take = [&](std::size_t i) {
    if (!go(facts, join.inputs[i], side(ends[i], ends[i + 1]))) return false;
    facts.path.push_back(i);
    return true;
  };
  // A side that may be missing; only a public one is looked up then.
  const bool lacks_left = join.join == JoinKind::kRight || join.join == JoinKind::kFull;
  const bool lacks_right = join.join == JoinKind::kLeft || join.join == JoinKind::kFull;
  const std::vector<Expr> before = facts.conditions;
  if ((join.join == JoinKind::kInner || join.join == JoinKind::kSemi) && join.condition)
    gather(*join.condition, facts.conditions);
  if (join.join == JoinKind::kInner)
    for (const std::size_t i : {0, 1}) {
      if (join.inputs[i]->is_private) continue;
      auto there = of_public_side(facts, ends[i], ends[i + 1]);
      if (!there) continue;
      facts.expr = with_knowledge(std::move(*there), facts.expr);
      return take(i);
    }
  const bool keeps_right = join.join == JoinKind::kInner || join.join == JoinKind::kRight;
  if (!lacks_left && take(0)) return true;
  if (keeps_right && take(1)) return true;
  facts.conditions = before;
  if ((lacks_left && !join.inputs[0]->is_private && take(0)) ||
      (lacks_right && !join.inputs[1]->is_private && take(1)))
    return facts.may_lack = true;
  return false;
}

// One step down; false where it ends.
bool follow(Facts& facts) {
  const RelationPtr kept = facts.relation;
  const Relation& here = *kept;
  switch (here.kind) {
    case Relation::Kind::kFilter:
      gather(*here.condition, facts.conditions);
      return go(facts, here.inputs[0], [](const Expr& column) { return column; });
    case Relation::Kind::kProject:
    case Relation::Kind::kFold:
      return go(facts, here.inputs[0], [&](const Expr& column) -> std::optional<Expr> {
        if (column.column >= here.exprs.size()) return std::nullopt;  // an aggregate
        return with_knowledge(here.exprs[column.column], column);
      });
    case Relation::Kind::kJoin:
      return through_join(facts);
    case Relation::Kind::kScan:
    case Relation::Kind::kUnion:
    case Relation::Kind::kOne:
    case Relation::Kind::kTop:
      break;
  }
  return false;
}

}  // namespace

Facts facts_of(Expr expr, RelationPtr relation) {
  Facts out{std::move(expr), {}, std::move(relation), false, {}};
  while (out.relation->is_private && follow(out)) {
  }
  return out;
}

void collect_columns(const Expr& expr, Columns& out) {
  if (expr.op == Op::kColumn) out.emplace(expr.column, &expr);
  for (const Expr& arg : expr.args) collect_columns(arg, out);
}

Expr renumbered(Expr expr, const Columns& columns) {
  if (expr.op == Op::kColumn)
    expr.column =
        static_cast<std::size_t>(std::distance(columns.begin(), columns.find(expr.column)));
  for (Expr& arg : expr.args) arg = renumbered(std::move(arg), columns);
  return expr;
}

}  // namespace discreet::sql
