#include "discreet/plan/post.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>

#include "discreet/base/try.h"

namespace discreet::plan {
namespace {

using Range = std::pair<double, double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

std::optional<Range> range_of(const Cell& cell) {
  if (cell.interval) return cell.interval;
  return std::nullopt;
}

// A number without an interval is exact only if it is a literal or a key: those carry a point.
Cell point(Value value) {
  Cell out;
  if (!value.null && (is_number(value.type) || value.type == Type::kBool))
    out.interval = Range{value.as_number(), value.as_number()};
  out.value = std::move(value);
  return out;
}

Range times(const Range& a, const Range& b) {
  const auto product = [](double x, double y) {
    return x == 0 || y == 0 ? 0.0 : x * y;
  };  // 0 · inf is 0 here: the 0 is exact
  const double p[] = {product(a.first, b.first), product(a.first, b.second),
                      product(a.second, b.first), product(a.second, b.second)};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

std::optional<Range> arithmetic(Op op, const std::optional<Range>& a,
                                const std::optional<Range>& b) {
  if (!a || !b) return std::nullopt;
  if (op == Op::kAdd) return Range{a->first + b->first, a->second + b->second};
  if (op == Op::kSubtract) return Range{a->first - b->second, a->second - b->first};
  if (op == Op::kMultiply) return times(*a, *b);
  if (op != Op::kDivide) return std::nullopt;
  if (b->first <= 0 && b->second >= 0) return Range{-kInf, kInf};
  return times(*a, {1 / b->second, 1 / b->first});
}

Value number(double value) {
  return std::isnan(value) ? Value::none(Type::kDouble) : Value::number(value);
}

double calculate(Op op, double a, double b) {
  if (op == Op::kAdd) return a + b;
  if (op == Op::kSubtract) return a - b;
  if (op == Op::kMultiply) return a * b;
  return op == Op::kDivide ? a / b : std::fmod(a, b);
}

Value truth(std::optional<bool> value) {
  return value ? Value::boolean(*value) : Value::none(Type::kBool);
}

std::optional<bool> known(const Value& value) {
  return value.null ? std::nullopt : std::optional<bool>(value.whole != 0);
}

bool monotone_call(Function f) {
  return f == Function::kSqrt || f == Function::kLn || f == Function::kExp ||
         f == Function::kFloor || f == Function::kCeil || f == Function::kRound ||
         f == Function::kLog10 || f == Function::kLog2;
}

double apply(Function f, double x, const std::vector<Cell>& args) {
  if (f == Function::kAbs) return std::abs(x);
  if (f == Function::kSqrt) return std::sqrt(x);
  if (f == Function::kLn) return x > 0 ? std::log(x) : std::numeric_limits<double>::quiet_NaN();
  if (f == Function::kLog10)
    return x > 0 ? std::log10(x) : std::numeric_limits<double>::quiet_NaN();
  if (f == Function::kLog2) return x > 0 ? std::log2(x) : std::numeric_limits<double>::quiet_NaN();
  if (f == Function::kExp) return std::exp(x);
  if (f == Function::kFloor) return std::floor(x);
  if (f == Function::kCeil) return std::ceil(x);
  if (f == Function::kSign) return x > 0 ? 1 : x < 0 ? -1 : 0;
  if (f == Function::kPower) return std::pow(x, args[1].value.as_number());
  if (f == Function::kRound) {
    const double scale = args.size() > 1 ? std::pow(10.0, args[1].value.as_number()) : 1.0;
    return std::round(x * scale) / scale;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Cell evaluate_call(const Expr& expr, const std::vector<Cell>& args) {
  const Function f = expr.function;
  if (f == Function::kNullIf)
    return !args[0].value.null && !args[1].value.null && args[0].value == args[1].value
               ? Cell{Value::none(args[0].value.type), {}}
               : args[0];
  if (f == Function::kLeast || f == Function::kGreatest) {
    Cell out{Value::none(Type::kDouble), {}};
    bool first = true;
    for (const Cell& arg : args) {
      if (arg.value.null) continue;
      const double x = arg.value.as_number();
      const bool is_least = f == Function::kLeast;
      if (first) {
        out = {number(x), arg.interval};
        first = false;
        continue;
      }
      const double y = out.value.as_number();
      out.value = number(is_least ? std::min(x, y) : std::max(x, y));
      if (out.interval && arg.interval)
        out.interval = is_least ? Range{std::min(out.interval->first, arg.interval->first),
                                        std::min(out.interval->second, arg.interval->second)}
                                : Range{std::max(out.interval->first, arg.interval->first),
                                        std::max(out.interval->second, arg.interval->second)};
      else
        out.interval.reset();
    }
    return out;
  }
  Cell out;
  out.value = args[0].value.null ? Value::none(Type::kDouble)
                                 : number(apply(f, args[0].value.as_number(), args));
  if (out.value.null) return out;
  if (args[0].interval) {
    auto [low, high] = *args[0].interval;
    if (monotone_call(f)) {
      if (f == Function::kSqrt) low = std::max(low, 0.0);
      double a = apply(f, low, args), b = apply(f, high, args);
      if (std::isnan(a)) a = -kInf;
      if (std::isnan(b)) b = kInf;
      out.interval = Range{a, b};
    } else if (f == Function::kAbs) {
      out.interval = low >= 0    ? Range{low, high}
                     : high <= 0 ? Range{-high, -low}
                                 : Range{0, std::max(-low, high)};
    }
  }
  return out;
}

// Whether evaluate() knows everything in it.
bool evaluates(const Expr& expr) {
  using F = Function;
  constexpr F kKnown[] = {F::kAbs,   F::kSqrt,  F::kLn,       F::kLog10, F::kLog2,
                          F::kExp,   F::kFloor, F::kCeil,     F::kRound, F::kSign,
                          F::kPower, F::kLeast, F::kGreatest, F::kNullIf};
  const auto is_amount = [](Type type) { return is_number(type) || type == Type::kBool; };
  if (expr.op == Op::kLike || expr.op == Op::kILike || expr.op == Op::kShift) return false;
  if (expr.op == Op::kCall &&
      std::find(std::begin(kKnown), std::end(kKnown), expr.function) == std::end(kKnown))
    return false;
  if (expr.op == Op::kCast && expr.args[0].type != expr.type &&
      !(is_amount(expr.args[0].type) && is_number(expr.type)))
    return false;
  return std::all_of(expr.args.begin(), expr.args.end(), evaluates);
}

}  // namespace

Cell evaluate(const Expr& expr, const std::vector<Cell>& columns) {
  if (expr.op == Op::kColumn) return columns[expr.column];
  if (expr.op == Op::kLiteral) return point(expr.literal);
  if (expr.op == Op::kAnd || expr.op == Op::kOr) {
    const bool stop = expr.op == Op::kOr;
    bool unknown = false;
    for (const Expr& arg : expr.args) {
      const auto one = known(evaluate(arg, columns).value);
      if (one == stop) return {Value::boolean(stop), {}};
      unknown |= !one.has_value();
    }
    return {unknown ? Value::none(Type::kBool) : Value::boolean(!stop), {}};
  }
  if (expr.op == Op::kCase) {
    std::size_t i = 0;
    while (i + 1 < expr.args.size() && known(evaluate(expr.args[i], columns).value) != true) i += 2;
    return evaluate(expr.args[i + 1 < expr.args.size() ? i + 1 : i], columns);
  }
  std::vector<Cell> args;
  for (const Expr& arg : expr.args) args.push_back(evaluate(arg, columns));
  const bool any_null =
      std::any_of(args.begin(), args.end(), [](const Cell& cell) { return cell.value.null; });
  const auto compare = [&](auto&& test) {
    return Cell{
        any_null ? Value::none(Type::kBool) : Value::boolean(test(args[0].value <=> args[1].value)),
        {}};
  };
  switch (expr.op) {
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo: {
      if (any_null) return {Value::none(Type::kDouble), {}};
      const double a = args[0].value.as_number(), b = args[1].value.as_number();
      const bool has_none = b == 0 && (expr.op == Op::kDivide || expr.op == Op::kModulo);
      Cell out{has_none ? Value::none(Type::kDouble) : number(calculate(expr.op, a, b)), {}};
      out.interval = arithmetic(expr.op, range_of(args[0]), range_of(args[1]));
      return out;
    }
    case Op::kNegate: {
      if (any_null) return {Value::none(Type::kDouble), {}};
      Cell out{number(-args[0].value.as_number()), {}};
      if (args[0].interval)
        out.interval = Range{-args[0].interval->second, -args[0].interval->first};
      return out;
    }
    case Op::kEqual:
      return compare([](auto order) { return std::is_eq(order); });
    case Op::kNotEqual:
      return compare([](auto order) { return std::is_neq(order); });
    case Op::kLess:
      return compare([](auto order) { return std::is_lt(order); });
    case Op::kLessEqual:
      return compare([](auto order) { return std::is_lteq(order); });
    case Op::kGreater:
      return compare([](auto order) { return std::is_gt(order); });
    case Op::kGreaterEqual:
      return compare([](auto order) { return std::is_gteq(order); });
    case Op::kDistinct:
      return {Value::boolean(args[0].value != args[1].value), {}};
    case Op::kNotDistinct:
      return {Value::boolean(args[0].value == args[1].value), {}};
    case Op::kNot: {
      const auto one = known(args[0].value);
      return {truth(one ? std::optional<bool>(!*one) : std::nullopt), {}};
    }
    case Op::kIsNull:
      return {Value::boolean(args[0].value.null), {}};
    case Op::kIsNotNull:
      return {Value::boolean(!args[0].value.null), {}};
    case Op::kIn: {
      if (args[0].value.null) return {Value::none(Type::kBool), {}};
      bool null = false;
      for (std::size_t i = 1; i < args.size(); ++i) {
        null |= args[i].value.null;
        if (!args[i].value.null && args[i].value == args[0].value)
          return {Value::boolean(true), {}};
      }
      return {null ? Value::none(Type::kBool) : Value::boolean(false), {}};
    }
    case Op::kBetween: {  // one side can be false where the other is unknown
      const auto in_order = [&](const Cell& a, const Cell& b) -> std::optional<bool> {
        if (a.value.null || b.value.null) return std::nullopt;
        return a.value <= b.value;
      };
      const auto above = in_order(args[1], args[0]), below = in_order(args[0], args[2]);
      if (above == false || below == false) return {Value::boolean(false), {}};
      return {truth(above && below ? std::optional<bool>(true) : std::nullopt), {}};
    }
    case Op::kCoalesce:
      for (const Cell& arg : args)
        if (!arg.value.null) return arg;
      return {Value::none(expr.type), {}};
    case Op::kCast: {
      if (any_null) return {Value::none(expr.type), {}};
      if (expr.type == expr.args[0].type) return args[0];
      const double x = args[0].value.as_number();
      if (expr.type == Type::kDouble) return {number(x), args[0].interval};
      if (!(std::abs(x) < 9e18)) return {Value::none(Type::kInt), {}};
      return {Value::integer(static_cast<std::int64_t>(std::nearbyint(x))), args[0].interval};
    }
    case Op::kCall:
      return evaluate_call(expr, args);
    case Op::kColumn:  // done above
    case Op::kLiteral:
    case Op::kAnd:
    case Op::kOr:
    case Op::kCase:
    case Op::kLike:  // left to a calculator (evaluates())
    case Op::kILike:
    case Op::kShift:
      break;
  }
  return {Value::none(expr.type), {}};
}

Result<std::vector<Cell>> evaluate_all(const Expr& expr, const std::vector<std::vector<Cell>>& rows,
                                       const sql::Calculator& calculator) {
  std::vector<Cell> out;
  if (evaluates(expr)) {
    for (const std::vector<Cell>& row : rows) out.push_back(evaluate(expr, row));
    return out;
  }
  std::vector<std::vector<Value>> values;
  values.reserve(rows.size());
  for (const std::vector<Cell>& row : rows) {
    values.emplace_back();
    for (const Cell& cell : row) values.back().push_back(cell.value);
  }
  for (Value& value : TRY(calculator.values(expr, values))) out.push_back({std::move(value), {}});
  return out;
}

}  // namespace discreet::plan
