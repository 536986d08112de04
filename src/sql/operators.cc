// What operators mean: arithmetic and its bounds, comparisons, logic, IN, BETWEEN, moments and
// intervals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/bind.h"
#include "discreet/sql/functions.h"
#include "discreet/sql/literals.h"

namespace discreet::sql {

using std::string;

namespace {

bool is_row(const Term& term) { return term.kind == Term::Kind::kCall && term.name == "row"; }

}  // namespace

std::optional<Interval> range_of(Op op, const Expr& a, const Expr& b) {
  if (!a.range || !b.range) return std::nullopt;
  std::optional<Interval> out;
  if (op == Op::kAdd) out = *a.range + *b.range;
  if (op == Op::kSubtract) out = *a.range - *b.range;
  if (op == Op::kMultiply) out = *a.range * *b.range;
  if (op == Op::kDivide && !contains_zero(*b.range)) out = *a.range / *b.range;
  if (op == Op::kModulo) {
    const Rational most = std::max<Rational>(abs(b.range->low), abs(b.range->high));
    out = Interval{a.range->low < 0 ? Rational(-most) : Rational(0),
                   a.range->high > 0 ? most : Rational(0)};
  }
  const Rational limit("1000000000000000000000000000000");  // 1e30
  if (out && (abs(out->low) > limit || abs(out->high) > limit)) return std::nullopt;
  return out;
}

// INTERVAL 90 DAY arrives as to_days(CAST(trunc(CAST(90 AS DOUBLE)) AS INTEGER)).
Result<Expr> Binder::shift(const Term& term, Expr moment, const Term& interval, bool back) {
  const string& name = interval.name;
  struct Spelling {
    const char* name;
    Unit unit;
    std::int64_t times;
  };
  constexpr Spelling kUnits[] = {
      {"to_days", Unit::kDays, 1},        {"to_weeks", Unit::kDays, 7},
      {"to_months", Unit::kMonths, 1},    {"to_quarters", Unit::kMonths, 3},
      {"to_years", Unit::kMonths, 12},    {"to_hours", Unit::kSeconds, 3600},
      {"to_minutes", Unit::kSeconds, 60}, {"to_seconds", Unit::kSeconds, 1}};
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                 [&](const Spelling& one) { return name == one.name; });
  const Term* count = interval.args.size() == 1 ? &interval.args[0] : nullptr;
  while (count && count->args.size() == 1 &&
         (count->kind == Term::Kind::kCast ||
          (count->kind == Term::Kind::kCall && count->name == "trunc")))
    count = &count->args[0];
  if (unit == std::end(kUnits) || !count || count->kind != Term::Kind::kLiteral)
    return at_.refuse(
        term.place,
        "an interval is a literal count of days, weeks, months, years, hours, minutes or seconds");
  const Expr number = constant(*count);
  double times = number.type == Type::kText ? 0 : number.literal.as_number();
  if (is_text_literal(number)) {
    auto read = parse_number(number.literal.string, Rounding::kDown);
    if (!read) return at_.refuse(term.place, "an interval's count is a whole number");
    times = to_double(*read);
  }
  constexpr double kMost = 100'000;
  if (times != std::floor(times) || std::abs(times) > kMost)
    return at_.refuse(term.place, "an interval's count is a whole number up to 100000");
  if (is_text_literal(moment)) {
    auto date = Value::date_of(moment.literal.string);
    if (date) moment = literal(*date);
  }
  if (!is_time(moment.type))
    return at_.refuse(term.place, "an interval is added to a date or timestamp");
  const bool fine = unit->unit == Unit::kSeconds;
  if (fine && moment.type == Type::kDate)
    moment = call(Op::kCast, Type::kTimestamp, {std::move(moment)});
  const Type type = moment.type;
  Expr out = call(Op::kShift, type, {std::move(moment)});
  out.unit = unit->unit;
  out.literal = Value::integer(static_cast<std::int64_t>(times) * unit->times * (back ? -1 : 1));
  if (out.args[0].range) {
    const double scale = type == Type::kTimestamp ? 86'400 : 1;
    const double days = unit->unit == Unit::kMonths
                            ? 31.0 * static_cast<double>(out.literal.whole) * scale
                        : fine ? static_cast<double>(out.literal.whole)
                               : static_cast<double>(out.literal.whole) * scale;
    out.range =
        hull(*out.args[0].range, *out.args[0].range + Interval{Rational(days), Rational(days)});
  }
  return out;
}

Result<Expr> Binder::arithmetic(const Term& term, const string& name, std::vector<Expr> args) {
  if (args.size() == 1 && (name == "-" || name == "+")) {
    if (!is_number(args[0].type))
      return at_.refuse(term.place, fmt::format("'{}' takes a number, found {}", name,
                                                with_article(args[0].type)));
    if (name == "+") return args[0];
    if (args[0].op == Op::kLiteral && args[0].type == Type::kInt)
      return literal(Value::integer(-args[0].literal.whole));
    auto range = args[0].range;
    Expr out = call(Op::kNegate, Type::kDouble, std::move(args));
    if (range) out.range = -*range;
    return out;
  }
  if (args.size() != 2) return at_.refuse(term.place, fmt::format("'{}' takes two numbers", name));
  if (name == "-" && is_time(args[0].type) && is_time(args[1].type)) {
    return make_call("date_diff",
                     {literal(Value::text("day")), std::move(args[1]), std::move(args[0])},
                     at_.calculator());
  }
  for (Expr& arg : args) {
    if (is_null_literal(arg)) arg = literal(Value::none(Type::kDouble));
    if (!is_number(arg.type))
      return at_.refuse(term.place,
                        fmt::format("'{}' takes numbers, found {}", name, with_article(arg.type)),
                        "a CAST(… AS DOUBLE) makes one");
  }
  const Op op = name == "+"                      ? Op::kAdd
                : name == "-"                    ? Op::kSubtract
                : name == "*"                    ? Op::kMultiply
                : (name == "%" || name == "mod") ? Op::kModulo
                                                 : Op::kDivide;
  // x * x is never negative.
  const bool square = op == Op::kMultiply && args[0].op == Op::kColumn &&
                      args[1].op == Op::kColumn && args[0].column == args[1].column;
  auto range = range_of(op, args[0], args[1]);
  if (square && range && range->low < 0) range->low = 0;
  Expr out = call(op, Type::kDouble, std::move(args));
  out.range = range;
  if (name == "//")
    return make_call("trunc", {std::move(out)}, at_.calculator());  // as whole numbers divide
  return out;
}

Result<Expr> Binder::compare(const Term& term, Op op, Expr left, Expr right) {
  Type type = left.type;
  const Type was_left = left.type, was_right = right.type;
  if (!unify({&left, &right}, type)) {
    if ((is_time(was_left) && was_right == Type::kText) ||
        (is_time(was_right) && was_left == Type::kText))
      return at_.refuse(term.place, "a date is written 'YYYY-MM-DD'", "such as DATE '2024-02-29'");
    return at_.refuse(term.place,
                      fmt::format("{} can't be compared with {}", with_article(was_left),
                                  with_article(was_right)),
                      "a CAST makes them alike");
  }
  return call(op, Type::kBool, {std::move(left), std::move(right)});
}

Result<Expr> Binder::logic(const Term& term) {
  std::vector<Expr> parts;
  for (const Term& arg : term.args) {
    auto part = TRY(condition(arg));
    parts.push_back(std::move(part));
  }
  return call(term.kind == Term::Kind::kAnd ? Op::kAnd : Op::kOr, Type::kBool, std::move(parts));
}

// (a, b) IN ((1, 2), (3, 4)) is a = 1 AND b = 2 OR a = 3 AND b = 4.
Result<Expr> Binder::row_in(const Term& term) {
  const std::vector<Term>& left = term.args[0].args;
  std::vector<Expr> either;
  for (std::size_t i = 1; i < term.args.size(); ++i) {
    const Term& row = term.args[i];
    if (!is_row(row) || row.args.size() != left.size())
      return at_.refuse(row.place, "the rows of IN are not of the same length");
    std::vector<Expr> both;
    for (std::size_t k = 0; k < left.size(); ++k) {
      auto a = TRY(bind(left[k]));
      auto b = TRY(bind(row.args[k]));
      auto equal = TRY(compare(row, Op::kEqual, std::move(a), std::move(b)));
      both.push_back(std::move(equal));
    }
    either.push_back(call(Op::kAnd, Type::kBool, std::move(both)));
  }
  return call(Op::kOr, Type::kBool, std::move(either));
}

Result<std::vector<Expr>> Binder::bind_alike(const Term& term, const char* what, Type& type) {
  std::vector<Expr> args;
  for (const Term& arg : term.args) {
    auto bound = TRY(bind(arg));
    args.push_back(std::move(bound));
  }
  std::vector<Expr*> all;
  for (Expr& arg : args) all.push_back(&arg);
  if (!unify(all, type))
    return at_.refuse(term.place, fmt::format("the values of {} are not all of one type", what));
  return args;
}

Result<Expr> Binder::in(const Term& term) {
  Expr out;
  if (is_row(term.args[0])) {
    out = TRY(row_in(term));
  } else {
    Type type = Type::kText;
    std::vector<Expr> args = TRY(bind_alike(term, "IN", type));
    out = call(Op::kIn, Type::kBool, std::move(args));
  }
  return term.kind == Term::Kind::kIn ? out : call(Op::kNot, Type::kBool, {std::move(out)});
}

Result<Expr> Binder::coalesce(const Term& term) {
  Type type = Type::kText;
  std::vector<Expr> args = TRY(bind_alike(term, "COALESCE", type));
  std::optional<Interval> range = args[0].range;
  for (const Expr& arg : args)
    range = range && arg.range ? std::optional(hull(*range, *arg.range)) : std::nullopt;
  Expr out = call(Op::kCoalesce, type, std::move(args));
  out.range = range;
  return out;
}

Result<Expr> Binder::between(const Term& term) {
  auto input = TRY(bind(term.args[0]));
  auto low = TRY(bind(term.args[1]));
  auto high = TRY(bind(term.args[2]));
  Type type = input.type;
  const Type was = type;
  if (!unify({&input, &low, &high}, type))
    return at_.refuse(term.place,
                      fmt::format("{} can't lie between {} and {}", with_article(was),
                                  with_article(low.type), with_article(high.type)),
                      "a CAST makes them alike; a date is written 'YYYY-MM-DD'");
  return call(Op::kBetween, Type::kBool, {std::move(input), std::move(low), std::move(high)});
}

}  // namespace discreet::sql
