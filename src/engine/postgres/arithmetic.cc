// Arithmetic of doubles as IEEE has it: PostgreSQL raises an error where a result of finite numbers
// is infinite, or is zero and should not be.
//
// Numbers of middling size, which nearly all are, are calculated with as they are. For the others
// the result is calculated first on a scale, a power of two away, where it can neither overflow nor
// vanish; rounding is the same there, so it tells exactly what the result would be.
#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/engine/postgres/dialect.h"

namespace discreet::engine::postgres {

using sql::Op;
using std::string;
using Operand = pushdown::Dialect::Operand;

namespace {

// What is known of a number's size before any row is read: |x| is at most `most`, and where it
// isn't zero at least `least`. (A declared range is a promise about rows, and no row may make a
// query fail: only types and literals count here.)
struct Size {
  double least = 0, most = std::numeric_limits<double>::infinity();
};

Size size_of(const sql::Expr& expr) {
  if (expr.op == Op::kLiteral && !expr.literal.null && sql::is_number(expr.literal.type)) {
    const double size = std::abs(expr.literal.as_number());
    if (std::isfinite(size)) return {size, size};
  }
  if (expr.type == policy::Type::kInt) return {1, 0x1p63};
  return {};
}

string infinity(const char* sign) { return fmt::format("{} * 'Infinity'::float8", sign); }

// a ± b: only where both are huge.
string sum(char sign, const Operand& a, const Operand& b) {
  string plain = fmt::format("({} {} {})", a.text, sign, b.text);
  // A finite number and one below half of the largest's last place make nothing infinite.
  constexpr double kHarmless = 0x1p969;
  if (size_of(*a.expr).most < kHarmless || size_of(*b.expr).most < kHarmless) return plain;
  return let(
      {a.text, b.text},
      fmt::format("CASE WHEN abs({{0}}) < {0} OR abs({{1}}) < {0} OR abs({{0}}) = 'Infinity' OR "
                  "abs({{1}}) = 'Infinity' OR {{0}} = 'NaN' OR {{1}} = 'NaN' THEN {{0}} {1} {{1}} "
                  "WHEN abs({{0}} * 0.5 {1} {{1}} * 0.5) >= {2} THEN {3} ELSE {{0}} {1} {{1}} END",
                  real(kHarmless), sign, real(0x1p1023), infinity("sign({0})")));
}

string product(const Operand& a, const Operand& b) {
  const Size x = size_of(*a.expr), y = size_of(*b.expr);
  string plain = fmt::format("({} * {})", a.text, b.text);
  constexpr double kSmall = 0x1p-500, kLarge = 0x1p500;
  const auto middling = [&](const Size& size) {
    return size.least >= kSmall && size.most <= kLarge;
  };
  if (middling(x) && middling(y)) return plain;
  // A number of at most 1, or of at least 1, can't make a product overflow, or vanish.
  const string middle = fmt::format(
      "(abs({{0}}) BETWEEN {0} AND {1} OR {{0}} = 0) AND (abs({{1}}) BETWEEN {0} AND {1} OR {{1}} "
      "= 0)",
      real(kSmall), real(kLarge));
  return let(
      {a.text, b.text},
      fmt::format(
          "CASE WHEN {0} THEN {{0}} * {{1}} "
          "WHEN {{0}} = 0 OR {{1}} = 0 OR abs({{0}}) = 'Infinity' OR abs({{1}}) = 'Infinity' OR "
          "{{0}} = 'NaN' "
          "OR {{1}} = 'NaN' THEN {{0}} * {{1}} "
          "WHEN abs({{0}}) >= 1 AND abs({{1}}) >= 1 THEN CASE WHEN abs(({{0}} * {1}) * ({{1}} * "
          "{1})) >= 1 "
          "THEN {2} ELSE {{0}} * {{1}} END "
          "WHEN abs({{0}}) < 1 AND abs({{1}}) < 1 AND (abs({{0}}) < {3} OR abs({{1}}) < {3}) THEN "
          "CASE WHEN abs(({{0}} * {4}) * ({{1}} * {4})) <= 0.5 THEN '0'::float8 ELSE {{0}} * {{1}} "
          "END "
          "ELSE {{0}} * {{1}} END",
          middle, real(0x1p-512), infinity("sign({0}) * sign({1})"), real(0x1p-500),
          real(0x1p537)));
}

string quotient(const Operand& a, const Operand& b) {
  const Size x = size_of(*a.expr), y = size_of(*b.expr);
  constexpr double kSmall = 0x1p-500, kLarge = 0x1p500;
  const auto middling = [&](const Size& size) {
    return size.least >= kSmall && size.most <= kLarge;
  };
  if (middling(x) && middling(y)) return fmt::format("({} / nullif({}, 0))", a.text, b.text);
  const string middle = fmt::format(
      "(abs({{0}}) BETWEEN {0} AND {1} OR {{0}} = 0) AND abs({{1}}) BETWEEN {0} AND {1}",
      real(kSmall), real(kLarge));
  return let({a.text, b.text},
             fmt::format("CASE WHEN {0} THEN {{0}} / {{1}} WHEN {{1}} = 0 THEN NULL "
                         "WHEN {{0}} = 0 OR abs({{0}}) = 'Infinity' OR abs({{1}}) = 'Infinity' OR "
                         "{{0}} = 'NaN' OR {{1}} = "
                         "'NaN' THEN {{0}} / {{1}} "
                         "WHEN abs({{0}}) >= {1} AND abs({{1}}) <= {2} THEN {3} "
                         "WHEN abs({{0}}) >= {4} AND abs({{1}}) <= 1 THEN CASE WHEN abs(({{0}} * "
                         "{5}) / ({{1}} * {6})) >= 1 "
                         "THEN {3} ELSE {{0}} / {{1}} END "
                         "WHEN abs({{0}}) <= {7} AND abs({{1}}) >= 1 THEN CASE WHEN abs(({{0}} * "
                         "{8}) / ({{1}} * {9})) <= "
                         "0.5 THEN '0'::float8 ELSE {{0}} / {{1}} END "
                         "ELSE {{0}} / {{1}} END",
                         middle, real(0x1p500), real(0x1p-530), infinity("sign({0}) * sign({1})"),
                         real(0x1p-51), real(0x1p-512), real(0x1p512), real(0x1p-50), real(0x1p537),
                         real(0x1p-537)));
}

}  // namespace

Result<string> Dialect::arithmetic(Op op, const Operand& a, const Operand& b) const {
  if (op == Op::kAdd) return sum('+', a, b);
  if (op == Op::kSubtract) return sum('-', a, b);
  if (op == Op::kMultiply) return product(a, b);
  if (op == Op::kDivide) return quotient(a, b);
  // The remainder of doubles has no counterpart here; of whole numbers, as doubles, it has: those
  // above 2^53 are rounded, and 2^63 is one more than a bigint holds.
  const auto whole = [](const Operand& one) {
    return one.expr->type == policy::Type::kInt ||
           (one.expr->op == Op::kLiteral && !one.expr->literal.null &&
            std::abs(one.expr->literal.as_number()) < 0x1p53 &&
            std::trunc(one.expr->literal.as_number()) == one.expr->literal.as_number());
  };
  if (!whole(a) || !whole(b))
    return not_here("the remainder (%) of numbers that aren't whole", "CAST both to BIGINT");
  const auto exactly = [](const string& text) {
    return let({text},
               "CASE WHEN {0} < '9223372036854775808'::float8 THEN CAST(CAST({0} AS bigint) AS "
               "numeric) ELSE 9223372036854775808 END");
  };
  // NULL is no less than anything: it would be 2^63.
  return let(
      {a.text, b.text},
      fmt::format("CASE WHEN {{0}} IS NOT NULL AND {{1}} <> 0 THEN CAST(mod({}, {}) AS float8) END",
                  exactly("{0}"), exactly("{1}")));
}

}  // namespace discreet::engine::postgres
