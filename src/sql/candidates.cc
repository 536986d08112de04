#include "discreet/sql/candidates.h"

#include <algorithm>
#include <limits>
#include <set>

namespace discreet::sql {
namespace {

constexpr std::int64_t kSecond = 1'000'000, kDay = 86'400 * kSecond;

// The time that a function cuts a moment to.
std::int64_t cut_of(const Expr& expr) {
  using F = Function;
  if (expr.op == Op::kCast) return expr.type == Type::kDate ? kDay : 0;
  if (expr.op != Op::kCall) return 0;
  constexpr F kOfDays[] = {F::kYear,      F::kQuarter, F::kMonth,     F::kWeek,    F::kDay,
                           F::kDayOfWeek, F::kIsoDay,  F::kDayOfYear, F::kDayName, F::kMonthName};
  const F f = expr.function;
  if (std::find(std::begin(kOfDays), std::end(kOfDays), f) != std::end(kOfDays)) return kDay;
  if (f == F::kHour) return 3600 * kSecond;
  if (f == F::kMinute) return 60 * kSecond;
  if (f == F::kSecond) return kSecond;
  if (f != F::kStartOf) return 0;
  const std::string& unit = expr.args[0].literal.string;
  return unit == "second"   ? kSecond
         : unit == "minute" ? 60 * kSecond
         : unit == "hour"   ? 3600 * kSecond
                            : kDay;
}

// In the unit of ranges: days, or seconds.
struct Ends {
  std::optional<Rational> low, high;
  void from(const Rational& value) {
    if (!low || value > *low) low = value;
  }
  void to(const Rational& value) {
    if (!high || value < *high) high = value;
  }
};

bool is_column(const Expr& expr, std::size_t column) {
  return expr.op == Op::kColumn && expr.column == column;
}

// A literal, as an end of the range of a column of this type.
std::optional<Rational> end_of(const Expr& expr, Type type) {
  if (expr.op != Op::kLiteral || expr.literal.null || expr.type != type || !expr.range)
    return std::nullopt;
  return expr.range->low;
}

// 5 < x is x > 5.
Op turned(Op op) {
  if (op == Op::kLess) return Op::kGreater;
  if (op == Op::kLessEqual) return Op::kGreaterEqual;
  if (op == Op::kGreater) return Op::kLess;
  if (op == Op::kGreaterEqual) return Op::kLessEqual;
  return op;
}

// What a condition says of the ends of a date or timestamp.
void narrow(const Expr& condition, const Expr& column, Ends& ends) {
  // The next moment there is: rows between it and the end can't be.
  const Rational next = column.type == Type::kDate ? Rational(1) : Rational(1, kSecond);
  if (condition.op == Op::kBetween && is_column(condition.args[0], column.column)) {
    if (auto low = end_of(condition.args[1], column.type)) ends.from(*low);
    if (auto high = end_of(condition.args[2], column.type)) ends.to(*high);
    return;
  }
  if (condition.args.size() != 2) return;
  const bool left = is_column(condition.args[0], column.column);
  if (!left && !is_column(condition.args[1], column.column)) return;
  const auto end = end_of(condition.args[left ? 1 : 0], column.type);
  if (!end) return;
  const Op op = left ? condition.op : turned(condition.op);
  if (op == Op::kGreaterEqual || op == Op::kEqual) ends.from(*end);
  if (op == Op::kLessEqual || op == Op::kEqual) ends.to(*end);
  if (op == Op::kGreater) ends.from(*end + next);
  if (op == Op::kLess) ends.to(*end - next);
}

Integer floor_of(const Rational& value) {
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), value.get_num_mpz_t(), value.get_den_mpz_t());
  return out;
}

// All days, or multiples of the step, of the range.
std::optional<std::vector<Value>> moments(const Expr& column, const std::vector<Expr>& conditions,
                                          std::int64_t step, std::size_t most) {
  if (column.type == Type::kTimestamp && step == 0) return std::nullopt;
  Ends ends;
  if (column.range) ends = {column.range->low, column.range->high};
  for (const Expr& condition : conditions) narrow(condition, column, ends);
  if (!ends.low || !ends.high) return std::nullopt;
  // Days or steps since 1970; only the years 1 to 9999 can be.
  const Rational unit =
      column.type == Type::kDate ? Rational(1) : Rational(step) / Rational(kSecond);
  const Rational a_day = column.type == Type::kDate ? Rational(1) : Rational(86'400);
  ends.from(Rational(policy::days_from(1, 1, 1)) * a_day);
  ends.to(Rational(policy::days_from(10'000, 1, 1)) * a_day - Rational(1, kSecond));
  const Integer first = floor_of(Rational(*ends.low / unit));
  const Integer last = floor_of(Rational(*ends.high / unit));
  std::vector<Value> out;
  if (*ends.low > *ends.high) return out;
  if (last - first >= Integer(most)) return std::nullopt;
  for (std::int64_t i = first.get_si(); i <= last.get_si(); ++i)
    out.push_back(column.type == Type::kDate ? Value::date(i) : Value::timestamp(i * step));
  return out;
}

// As a value of the column's type.
std::optional<Value> as_type(const Value& value, Type type) {
  if (value.null) return std::nullopt;
  if (value.type == type) return value;
  if (type == Type::kDouble && value.type == Type::kInt) return Value::number(value.as_number());
  return std::nullopt;
}

// column = 'x', column IN ('x', 'y')
std::optional<std::vector<Value>> named(const Expr& column, const std::vector<Expr>& conditions) {
  for (const Expr& condition : conditions) {
    if (condition.op != Op::kEqual && condition.op != Op::kIn) continue;
    const bool left = is_column(condition.args[0], column.column);
    if (!left && (condition.op == Op::kIn || !is_column(condition.args[1], column.column)))
      continue;
    std::vector<Value> out;
    std::set<Value> seen;
    bool all = true;
    for (std::size_t i = 0; i < condition.args.size(); ++i) {
      if (i == (left ? 0U : 1U)) continue;
      const Expr& other = condition.args[i];
      if (other.op == Op::kLiteral && other.literal.null) continue;  // equal to nothing
      const auto value =
          other.op == Op::kLiteral ? as_type(other.literal, column.type) : std::nullopt;
      all = all && value;
      if (value && seen.insert(*value).second) out.push_back(*value);
    }
    if (all) return out;
  }
  return std::nullopt;
}

}  // namespace

std::int64_t step_of(const Expr& expr, std::size_t column) {
  std::int64_t out = std::numeric_limits<std::int64_t>::max();  // where it doesn't look at all
  if (is_column(expr, column)) return 0;
  for (const Expr& arg : expr.args)
    out = std::min(out, is_column(arg, column) && arg.type == Type::kTimestamp
                            ? cut_of(expr)
                            : step_of(arg, column));
  return out;
}

std::optional<Candidates> candidates_of(const Expr& column, const std::vector<Expr>& conditions,
                                        std::int64_t step, std::size_t most) {
  if (column.domain) {
    if (column.domain->size() > most) return std::nullopt;
    return Candidates{*column.domain, true, false};
  }
  if (column.type == Type::kBool)
    return Candidates{{Value::boolean(false), Value::boolean(true)}, true, false};
  if (auto values = named(column, conditions); values && values->size() <= most)
    return Candidates{std::move(*values), false, false};
  if (!policy::is_time(column.type)) return std::nullopt;
  auto values = moments(column, conditions, step, most);
  if (!values) return std::nullopt;
  return Candidates{std::move(*values), false, column.type == Type::kTimestamp};
}

}  // namespace discreet::sql
