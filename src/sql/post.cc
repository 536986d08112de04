#include "discreet/sql/post.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <compare>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/sql/parse.h"

namespace discreet::sql {
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
  switch (op) {
    case Op::kAdd:
      return Range{a->first + b->first, a->second + b->second};
    case Op::kSubtract:
      return Range{a->first - b->second, a->second - b->first};
    case Op::kMultiply:
      return times(*a, *b);
    case Op::kDivide:
      if (b->first <= 0 && b->second >= 0) return Range{-kInf, kInf};
      return times(*a, {1 / b->second, 1 / b->first});
    default:
      return std::nullopt;
  }
}

Value number(double value) {
  return std::isnan(value) ? Value::none(Type::kDouble) : Value::number(value);
}

Value truth(std::optional<bool> value) {
  return value ? Value::boolean(*value) : Value::none(Type::kBool);
}

std::optional<bool> known(const Value& value) {
  return value.null ? std::nullopt : std::optional<bool>(value.whole != 0);
}

bool monotone_call(const std::string& name) {
  return name == "sqrt" || name == "ln" || name == "exp" || name == "floor" || name == "ceil" ||
         name == "ceiling" || name == "round" || name == "log10" || name == "log2";
}

double apply(const std::string& name, double x, const std::vector<Cell>& args) {
  if (name == "abs") return std::abs(x);
  if (name == "sqrt") return std::sqrt(x);
  if (name == "ln") return x > 0 ? std::log(x) : std::numeric_limits<double>::quiet_NaN();
  if (name == "log10") return x > 0 ? std::log10(x) : std::numeric_limits<double>::quiet_NaN();
  if (name == "log2") return x > 0 ? std::log2(x) : std::numeric_limits<double>::quiet_NaN();
  if (name == "exp") return std::exp(x);
  if (name == "floor") return std::floor(x);
  if (name == "ceil" || name == "ceiling") return std::ceil(x);
  if (name == "sign") return x > 0 ? 1 : x < 0 ? -1 : 0;
  if (name == "pow" || name == "power") return std::pow(x, args[1].value.as_number());
  if (name == "round") {
    const double scale = args.size() > 1 ? std::pow(10.0, args[1].value.as_number()) : 1.0;
    return std::round(x * scale) / scale;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

Cell evaluate_call(const Expr& expr, const std::vector<Cell>& args) {
  const std::string& name = expr.name;
  if (name == "nullif")
    return !args[0].value.null && !args[1].value.null && args[0].value == args[1].value
               ? Cell{Value::none(args[0].value.type), {}}
               : args[0];
  if (name == "least" || name == "greatest") {
    Cell out{Value::none(Type::kDouble), {}};
    bool first = true;
    for (const Cell& arg : args) {
      if (arg.value.null) continue;
      const double x = arg.value.as_number();
      const bool is_least = name == "least";
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
                                 : number(apply(name, args[0].value.as_number(), args));
  if (out.value.null) return out;
  if (args[0].interval) {
    auto [low, high] = *args[0].interval;
    if (monotone_call(name)) {
      if (name == "sqrt") low = std::max(low, 0.0);
      double a = apply(name, low, args), b = apply(name, high, args);
      if (std::isnan(a)) a = -kInf;
      if (std::isnan(b)) b = kInf;
      out.interval = Range{a, b};
    } else if (name == "abs") {
      out.interval = low >= 0    ? Range{low, high}
                     : high <= 0 ? Range{-high, -low}
                                 : Range{0, std::max(-low, high)};
    }
  }
  return out;
}

std::optional<std::string> from_hex(const std::optional<std::string>& hex) {
  if (!hex) return std::nullopt;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  std::string out;
  for (std::size_t i = 0; i + 1 < hex->size(); i += 2)
    out += static_cast<char>(digit((*hex)[i]) * 16 + digit((*hex)[i + 1]));
  return out;
}

}  // namespace

std::string not_released(const Expr& expr) {
  switch (expr.op) {
    case Op::kLike:
      return "LIKE";
    case Op::kShift:
      return "date arithmetic";
    case Op::kCall: {
      static const std::vector<std::string> kKnown = {
          "abs",     "sqrt",  "ln",   "log10", "log2",  "exp",   "floor",    "ceil",
          "ceiling", "round", "sign", "pow",   "power", "least", "greatest", "nullif"};
      if (std::find(kKnown.begin(), kKnown.end(), expr.name) == kKnown.end())
        return "the function '" + expr.name + "'";
      break;
    }
    case Op::kCast:
      if (!(is_number(expr.args[0].type) || expr.args[0].type == Type::kBool) ||
          !is_number(expr.type)) {
        if (expr.args[0].type != expr.type) return "this CAST";
      }
      break;
    default:
      break;
  }
  for (const Expr& arg : expr.args)
    if (auto word = not_released(arg); !word.empty()) return word;
  return {};
}

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
      Cell out;
      switch (expr.op) {
        case Op::kAdd:
          out.value = number(a + b);
          break;
        case Op::kSubtract:
          out.value = number(a - b);
          break;
        case Op::kMultiply:
          out.value = number(a * b);
          break;
        case Op::kDivide:
          out.value = b == 0 ? Value::none(Type::kDouble) : number(a / b);
          break;
        default:
          out.value = b == 0 ? Value::none(Type::kDouble) : number(std::fmod(a, b));
      }
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
    default:
      return {Value::none(expr.type), {}};
  }
}

Result<std::vector<Cell>> evaluate_all(const Expr& expr,
                                       const std::vector<std::vector<Cell>>& rows) {
  std::vector<Cell> out;
  if (not_released(expr).empty()) {
    for (const std::vector<Cell>& row : rows) out.push_back(evaluate(expr, row));
    return out;
  }
  constexpr std::size_t kAtOnce = 1000;
  std::vector<std::string> places;
  for (std::size_t i = 0; !rows.empty() && i < rows[0].size(); ++i)
    places.push_back(fmt::format("c{}", i));
  for (std::size_t from = 0; from < rows.size(); from += kAtOnce) {
    std::string values;
    for (std::size_t i = from; i < std::min(from + kAtOnce, rows.size()); ++i) {
      values += fmt::format("{}({}", i == from ? "" : ", ", i);
      for (const Cell& cell : rows[i]) values += ", " + print(cell.value);
      values += ")";
    }
    // In hex: what comes back is a C string too, and a text may hold a NUL.
    auto calculated = TRY(calculate(fmt::format(
        "SELECT hex(CAST({} AS VARCHAR)) FROM (VALUES {}) AS t(i{}{}) ORDER BY i",
        print(expr, places), values, places.empty() ? "" : ", ", fmt::join(places, ", "))));
    for (const auto& row : calculated)
      out.push_back(
          {Value::read(from_hex(row[0]), expr.type).value_or(Value::none(expr.type)), {}});
  }
  return out;
}

}  // namespace discreet::sql
