#include "discreet/sql/relation.h"

#include <fmt/format.h>

#include "discreet/sql/reveal.h"

namespace discreet::sql {

using std::string;

std::vector<string> places_of(const Relation& relation, const char* prefix) {
  std::vector<string> out;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    out.push_back(fmt::format("{}{}", prefix, i));
  return out;
}

Column column_of(const Expr& expr, const Relation& input, string name) {
  Column out;
  out.name = std::move(name);
  out.type = expr.type;
  out.range = expr.range;
  out.domain = expr.domain;
  out.nonnegative = expr.nonnegative;
  out.is_key = expr.is_key;
  out.uses_key = expr.uses_key;
  out.hidden = expr.uses_hidden;
  if (expr.op == Op::kColumn) {
    out.stored_private = input.columns[expr.column].stored_private;
    out.origin = input.columns[expr.column].origin;
  }
  return out;
}

Expr expr_of(const Relation& relation, std::size_t index) {
  const Column& meant = relation.columns[index];
  Expr out = column(index, meant.type);
  out.range = meant.range;
  out.domain = meant.domain;
  out.nonnegative = meant.nonnegative;
  out.is_key = meant.is_key;
  out.uses_key = meant.uses_key;
  out.uses_hidden = meant.hidden;
  return out;
}

RelationPtr filtered(RelationPtr input, Expr condition) {
  auto out = std::make_shared<Relation>(*input);
  out->kind = Relation::Kind::kFilter;
  out->inputs = {std::move(input)};
  out->condition = std::move(condition);
  out->exprs.clear();
  out->folds.clear();
  mark_revealed(*out);
  return out;
}

RelationPtr projected(RelationPtr input, std::vector<Expr> exprs,
                      const std::vector<string>& names) {
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kProject;
  for (std::size_t i = 0; i < exprs.size(); ++i)
    out->columns.push_back(column_of(exprs[i], *input, names[i]));
  out->is_private = input->is_private;
  out->has_unit = input->has_unit;
  out->unit_type = input->unit_type;
  out->rows_per_unit = input->rows_per_unit;
  out->rows_proved = input->rows_proved;
  out->rows_tell = input->rows_tell;
  out->chosen_by = input->chosen_by;
  out->inputs = {std::move(input)};
  out->exprs = std::move(exprs);
  return out;
}

namespace {

// A join that keeps each row of the left once, so that all promises about them hold on.
RelationPtr keeping(JoinKind kind, RelationPtr left, RelationPtr right,
                    std::optional<Expr> condition) {
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kJoin;
  out->join = kind;
  out->columns = left->columns;
  out->columns.insert(out->columns.end(), right->columns.begin(), right->columns.end());
  out->is_private = left->is_private;
  out->has_unit = left->has_unit;
  out->unit_type = left->unit_type;
  out->rows_per_unit = left->rows_per_unit;
  out->rows_proved = left->rows_proved;
  out->rows_tell = left->rows_tell;
  out->chosen_by = left->chosen_by;
  out->condition = std::move(condition);
  out->inputs = {std::move(left), std::move(right)};
  mark_revealed(*out);
  return out;
}

// Distinct values have one match only where they are compared as what they are: hundreds of whole
// numbers near 2^62 equal one double.
bool compares_alike(const Expr& condition) {
  if (condition.op == Op::kAnd)
    return std::all_of(condition.args.begin(), condition.args.end(), compares_alike);
  return condition.op == Op::kEqual && condition.args[0].type == condition.args[1].type;
}

}  // namespace

RelationPtr beside(RelationPtr left, RelationPtr one) {
  return keeping(JoinKind::kInner, std::move(left), std::move(one), {});
}

RelationPtr matched(RelationPtr left, RelationPtr right, Expr condition) {
  const bool once = compares_alike(condition);
  RelationPtr out =
      keeping(JoinKind::kLeft, std::move(left), std::move(right), std::move(condition));
  if (once) return out;
  // No row is promised to have one match: what they bring is bounded like any other join.
  auto bounded = std::make_shared<Relation>(*out);
  bounded->rows_per_unit.reset();
  bounded->rows_proved = false;
  return bounded;
}

Expr as_number(Expr truth) {
  Expr out = call(Op::kCast, Type::kInt, {std::move(truth)});
  out.range = Interval{0, 1};
  return out;
}

Expr only_where(Expr condition, Expr value) {
  const Type type = value.type;
  auto range = value.range;
  auto domain = value.domain;
  Expr out =
      call(Op::kCase, type, {std::move(condition), std::move(value), literal(Value::none(type))});
  out.range = range;
  out.domain = domain;
  return out;
}

RelationPtr distinct(RelationPtr input) {
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kFold;
  out->columns = input->columns;
  for (std::size_t i = 0; i < input->columns.size(); ++i)
    out->exprs.push_back(column(i, input->columns[i].type));
  out->is_private = input->is_private;
  out->has_unit = input->has_unit;
  out->unit_type = input->unit_type;
  out->rows_tell = input->rows_tell;
  out->chosen_by = input->chosen_by;
  out->inputs = {std::move(input)};
  return out;
}

}  // namespace discreet::sql
