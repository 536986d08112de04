// What is known of a function's values before any row is read: their bounds, and where they are
// public, all of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "discreet/sql/functions.h"

namespace discreet::sql {
namespace {

// The most, and the least, an expression can be, where something says so: LEAST(x, 5) is at most 5
// whatever x is.
std::optional<Rational> end(const Expr& expr, bool upper);

bool is_extreme(const Expr& expr) {
  return expr.op == Op::kCall &&
         (expr.function == Function::kLeast || expr.function == Function::kGreatest);
}

bool never_null(const Expr& expr) {
  if (expr.op == Op::kLiteral) return !expr.literal.null;
  if (expr.op == Op::kCoalesce) return never_null(expr.args.back());
  return is_extreme(expr) && std::any_of(expr.args.begin(), expr.args.end(), never_null);
}

std::optional<Rational> end(const Expr& expr, bool upper) {
  if (expr.range) return upper ? expr.range->high : expr.range->low;
  if (expr.nonnegative && !upper) return Rational(0);
  if (expr.op == Op::kNegate) {
    auto inner = end(expr.args[0], !upper);
    return inner ? std::optional<Rational>(-*inner) : std::nullopt;
  }
  if (!is_extreme(expr)) return std::nullopt;
  // NULLs are passed over: only what is never NULL holds the result on the side that is chosen
  // from. Where there is no such thing, and on the other side, the farthest counts.
  // (Each argument is asked once: they are nested.)
  const bool chosen_side = (expr.function == Function::kLeast) == upper;
  bool all = true;
  std::optional<Rational> nearest, farthest;
  for (const Expr& arg : expr.args) {
    const auto one = end(arg, upper);
    all = all && one;
    if (!one) continue;
    if (chosen_side && never_null(arg) && (!nearest || (upper ? *one < *nearest : *one > *nearest)))
      nearest = one;
    if (!farthest || (upper ? *one > *farthest : *one < *farthest)) farthest = one;
  }
  if (nearest) return nearest;
  return all ? farthest : std::nullopt;
}

Rational rounded(double value) { return std::isfinite(value) ? Rational(value) : Rational(0); }

std::optional<Interval> monotone(const Interval& in, double (*f)(double)) {
  const double low = f(to_double(in.low)), high = f(to_double(in.high));
  if (!std::isfinite(low) || !std::isfinite(high) || std::abs(low) > 1e30 || std::abs(high) > 1e30)
    return std::nullopt;
  return Interval{rounded(low), rounded(high)};
}

std::optional<Interval> number_range(Function f, const Expr& expr) {
  if (f == Function::kLeast || f == Function::kGreatest) {
    const auto low = end(expr, false), high = end(expr, true);
    if (low && high && *low <= *high) return Interval{*low, *high};
    return std::nullopt;
  }
  if (f == Function::kSign || f == Function::kSin || f == Function::kCos) return Interval{-1, 1};
  if (expr.args.empty() || !expr.args[0].range) return std::nullopt;
  const Interval& in = *expr.args[0].range;
  if (f == Function::kAbs) {
    if (in.low >= 0) return in;
    if (in.high <= 0) return -in;
    return Interval{0, std::max<Rational>(-in.low, in.high)};
  }
  if (f == Function::kTrunc) return monotone(in, [](double x) { return std::trunc(x); });
  if (f == Function::kFloor) return monotone(in, [](double x) { return std::floor(x); });
  if (f == Function::kCeil) return monotone(in, [](double x) { return std::ceil(x); });
  if (f == Function::kRound) return Interval{in.low - 1, in.high + 1};
  if (f == Function::kExp) return monotone(in, [](double x) { return std::exp(x); });
  if (f == Function::kSqrt && in.high >= 0)
    return monotone(in, [](double x) { return std::sqrt(std::max(0.0, x)); });
  if (f == Function::kLn && in.low > 0) return monotone(in, [](double x) { return std::log(x); });
  if (f == Function::kLog10 && in.low > 0)
    return monotone(in, [](double x) { return std::log10(x); });
  if (f == Function::kLog2 && in.low > 0)
    return monotone(in, [](double x) { return std::log2(x); });
  if (f == Function::kPower) {
    const double n = expr.args[1].literal.as_number();
    if (n < 1 || n != std::floor(n) || n > 8) return std::nullopt;
    Interval out = in;
    for (int i = 1; i < static_cast<int>(n); ++i) out = out * in;
    if (static_cast<int>(n) % 2 == 0 && out.low < 0) out.low = 0;
    return out;
  }
  return std::nullopt;
}

std::optional<Interval> part_range(Function f) {
  if (f == Function::kQuarter) return Interval{1, 4};
  if (f == Function::kMonth) return Interval{1, 12};
  if (f == Function::kWeek) return Interval{1, 53};
  if (f == Function::kDay) return Interval{1, 31};
  if (f == Function::kDayOfWeek) return Interval{0, 6};
  if (f == Function::kIsoDay) return Interval{1, 7};
  if (f == Function::kSecond) return Interval{0, 59};
  if (f == Function::kDayOfYear) return Interval{1, 366};
  if (f == Function::kHour) return Interval{0, 23};
  if (f == Function::kMinute) return Interval{0, 59};
  return std::nullopt;
}

// Small parts of a date are public by the calendar, the year is not.
std::optional<std::vector<Value>> part_domain(Function f) {
  const auto range = part_range(f);
  if (!range || f == Function::kDayOfYear) return std::nullopt;
  std::vector<Value> out;
  for (long i = range->low.get_num().get_si(); i <= range->high.get_num().get_si(); ++i)
    out.push_back(Value::integer(i));
  return out;
}

// Names of days and months are public too, in the calendar's order.
std::vector<Value> calendar_names(Function f) {
  const std::vector<const char*> words =
      f == Function::kDayName
          ? std::vector<const char*>{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                     "Friday", "Saturday", "Sunday"}
          : std::vector<const char*>{"January",   "February", "March",    "April",
                                     "May",       "June",     "July",     "August",
                                     "September", "October",  "November", "December"};
  std::vector<Value> out;
  for (const char* word : words) out.push_back(Value::text(word));
  return out;
}

// How many units of time lie between two moments, from the moments' ranges; a unit is counted where
// its border is crossed, hence one more on each side of all but days between dates.
std::optional<Interval> difference_range(const std::string& unit, const Expr& from,
                                         const Expr& to) {
  if (!from.range || !to.range) return std::nullopt;
  const auto days = [](const Expr& expr) {
    return expr.type == Type::kDate ? *expr.range : *expr.range / Interval{86'400, 86'400};
  };
  const Interval between = days(to) - days(from);
  if (unit == "day" && from.type == Type::kDate && to.type == Type::kDate) return between;
  // Units in a day: of the longest, and of the shortest.
  const std::map<std::string, Interval> a_day = {{"year", {Rational(1, 366), Rational(1, 365)}},
                                                 {"quarter", {Rational(1, 92), Rational(1, 90)}},
                                                 {"month", {Rational(1, 31), Rational(1, 28)}},
                                                 {"week", {Rational(1, 7), Rational(1, 7)}},
                                                 {"day", {1, 1}},
                                                 {"hour", {24, 24}},
                                                 {"minute", {1440, 1440}},
                                                 {"second", {86'400, 86'400}}};
  return between * a_day.at(unit) + Interval{-1, 1};
}

// DATE_TRUNC goes back by at most a unit, the longest of which is a year.
Interval start_range(Type type, const Interval& in) {
  const Rational year = type == Type::kDate ? Rational(366) : Rational(366 * 86'400);
  return {in.low - year, in.high};
}

Interval year_range(const Expr& moment) {
  const long scale = moment.type == Type::kDate ? 1 : 86'400;
  const auto year = [&](const Rational& at) {
    const double days = std::floor(to_double(Rational(at / scale)));
    return Rational(policy::civil_from(static_cast<std::int64_t>(days)).year);
  };
  return {year(moment.range->low), year(moment.range->high)};
}

}  // namespace

void know_values(Expr& expr) {
  const Function f = expr.function;
  const std::vector<Expr>& args = expr.args;
  if (const auto part = part_range(f)) {
    expr.range = part;
    expr.domain = part_domain(f);
  } else if (f == Function::kYear) {
    if (args[0].range) expr.range = year_range(args[0]);
  } else if (f == Function::kDayName || f == Function::kMonthName) {
    expr.domain = calendar_names(f);
  } else if (f == Function::kUnitsBetween) {
    expr.range = difference_range(args[0].literal.string, args[1], args[2]);
  } else if (f == Function::kStartOf) {
    if (args[1].range) expr.range = start_range(expr.type, *args[1].range);
  } else if (f == Function::kNullIf) {
    expr.range = args[0].range;
  } else if (expr.type == Type::kDouble) {
    expr.range = number_range(f, expr);
  }
}

}  // namespace discreet::sql
