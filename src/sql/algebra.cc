#include "discreet/sql/algebra.h"

#include <cmath>

namespace discreet::sql {

namespace {

// Literals are equal where they are the same value of the same type; NaN is NaN, −0 isn't 0.
bool same_literal(const Value& a, const Value& b) {
  if (a.type != b.type || a.null != b.null) return false;
  if (a.null) return true;
  if (a.type != Type::kDouble) return a.whole == b.whole && a.string == b.string;
  if (std::isnan(a.real) || std::isnan(b.real)) return std::isnan(a.real) && std::isnan(b.real);
  return a.real == b.real && std::signbit(a.real) == std::signbit(b.real);
}

}  // namespace

bool operator==(const Expr& a, const Expr& b) {
  if (a.op != b.op || a.type != b.type || a.args.size() != b.args.size()) return false;
  if (a.op == Op::kColumn && a.column != b.column) return false;
  if (a.op == Op::kCall && a.function != b.function) return false;
  if (a.op == Op::kShift && a.unit != b.unit) return false;
  if ((a.op == Op::kLiteral || a.op == Op::kShift) && !same_literal(a.literal, b.literal))
    return false;
  return a.args == b.args;
}

Expr column(std::size_t index, Type type) {
  Expr expr;
  expr.op = Op::kColumn;
  expr.column = index;
  expr.type = type;
  return expr;
}

Expr literal(Value value) {
  Expr expr;
  expr.type = value.type;
  if (!value.null && is_number(value.type) && std::isfinite(value.as_number())) {
    const Rational exact(value.type == Type::kInt ? Rational(value.whole) : Rational(value.real));
    expr.range = Interval{exact, exact};
  }
  if (!value.null && value.type == Type::kDate) expr.range = Interval{value.whole, value.whole};
  if (!value.null && value.type == Type::kTimestamp) {
    Rational seconds(value.whole, 1'000'000);
    seconds.canonicalize();
    expr.range = Interval{seconds, seconds};
  }
  expr.domain = {value};
  expr.literal = std::move(value);
  return expr;
}

Expr call(Op op, Type type, std::vector<Expr> args) {
  Expr expr;
  expr.op = op;
  expr.type = type;
  for (const Expr& arg : args) {
    expr.uses_key |= arg.uses_key;
    expr.uses_hidden |= arg.uses_hidden;
    expr.weight += arg.weight;
  }
  if (op == Op::kBetween) expr.weight += args[0].weight;
  expr.args = std::move(args);
  return expr;
}

Expr short_name(Expr expr) {
  if (expr.type != Type::kText) return expr;
  Expr out = call(Op::kCall, Type::kText, {std::move(expr), literal(Value::integer(kLongestName))});
  out.function = Function::kLeft;
  return out;
}

Expr grouped_by(const Relation& fold, std::size_t key) {
  const Expr& expr = fold.exprs[key];
  const bool whole = !fold.is_private || fold.columns[key].is_key || expr.is_key || expr.domain;
  return whole ? expr : short_name(expr);
}

}  // namespace discreet::sql
