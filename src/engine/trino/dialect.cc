#include "discreet/engine/trino/dialect.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/rows.h"
#include "discreet/engine/trino/stored_type.h"

namespace discreet::engine::trino {

using policy::Type;
using policy::Value;
using std::string;
using Strings = std::vector<string>;

tl::unexpected<Error> not_here(const string& what, const string& hint) {
  return fail(Code::kRefused, fmt::format("{} can't be asked of the engine trino", what), hint);
}

string real(double value) {
  return fmt::format("DOUBLE '{}'", std::isnan(value)   ? "NaN"
                                    : std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity")
                                                        : fmt::format("{}", value));
}

std::size_t lambdas_in(const Strings& texts) {
  std::size_t depth = 0;
  for (const string& text : texts)
    while (text.find(fmt::format("v{}_ ->", depth)) != string::npos) ++depth;
  return depth;
}

string let(const Strings& args, std::string_view body) {
  constexpr std::size_t kShort = 40;  // a column, a literal, a cast of one
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  Strings fields;
  const std::size_t depth = lambdas_in(args);
  const bool lambda =
      std::any_of(args.begin(), args.end(), [](const string& arg) { return arg.size() > kShort; });
  // Whatever calls something is outside of a lambda: an aggregate can't stand in one.
  for (const string& arg : args) {
    if (arg.size() <= kShort && !(lambda && arg.find('(') != string::npos)) {
      store.push_back(arg);
      continue;
    }
    fields.push_back(arg);
    store.push_back(fmt::format("v{}_[{}]", depth, fields.size()));
  }
  const string text = fmt::vformat(fmt::string_view(body.data(), body.size()), store);
  if (fields.empty()) return fmt::format("({})", text);
  return fmt::format("(transform(ARRAY[ROW({})], v{}_ -> {})[1])", pushdown::joined(fields), depth,
                     text);
}

std::string_view Dialect::type(Type type) const {
  constexpr std::string_view kNames[] = {"BOOLEAN", "BIGINT", "DOUBLE",
                                         "VARCHAR", "DATE",   "TIMESTAMP(6)"};
  return kNames[static_cast<std::size_t>(type)];
}

Result<string> Dialect::literal(const Value& value) const {
  if (value.null) return fmt::format("CAST(NULL AS {})", type(value.type));
  switch (value.type) {
    case Type::kBool:
      return string(value.whole != 0 ? "TRUE" : "FALSE");
    case Type::kInt:
      return fmt::format("BIGINT '{}'", value.whole);
    case Type::kDouble:
      return real(value.real);
    case Type::kText:
      return pushdown::quote_text(value.string);
    case Type::kDate:
      return fmt::format("DATE '{}'", value.show());
    case Type::kTimestamp:
      return fmt::format("CAST(TIMESTAMP '{}' AS TIMESTAMP(6))", value.show());
  }
  return not_here("such a value");
}

namespace {

// No row, and columns as the table's. By chance, as far as Trino knows: what can't be otherwise it
// would leave out of the plan.
string nothing_like(const std::vector<policy::StoredColumn>& columns) {
  Strings items;
  for (const policy::StoredColumn& column : columns)
    items.push_back(fmt::format("CAST(CAST(chance AS VARCHAR) AS {}) AS {}",
                                stored_types()[static_cast<std::size_t>(column.stored) - 1].name,
                                pushdown::quote_name(column.name)));
  return fmt::format(
      "(SELECT {} FROM (VALUES rand()) AS r(chance) WHERE chance < DOUBLE '-1') AS t",
      pushdown::joined(items));
}

}  // namespace

Result<string> Dialect::scan(const sql::Relation& relation) const {
  const policy::Table& table = *catalog_.table(relation.table);
  const auto& source = std::get<policy::ServerTable>(table.rule.from);
  return pushdown::scan_sql(
      relation, table,
      share_.nothing
          ? nothing_like(table.stored)
          : pushdown::quote_name(trino_catalog_) + "." + pushdown::quote_name(source.schema) + "." +
                pushdown::quote_name(source.table),
      *this, [&](const policy::StoredColumn& column) { return read_column(column, *this); });
}

// By a hash of its own: by the secret's a share would have a part of the choices.
string Dialect::in_share(const string& unit, Type type, bool /*one_table*/) const {
  if (share_.of == 1) return "";
  const string bytes =
      fmt::format("{}({})", type == Type::kText ? "to_utf8" : "to_big_endian_64", unit);
  return fmt::format("(bitwise_and(from_big_endian_64(xxhash64({})), {}) = {})", bytes,
                     share_.of - 1, share_.which);
}

Result<string> Dialect::arithmetic(sql::Op op, const Operand& a, const Operand& b) const {
  const auto plain = [&](char sign) { return fmt::format("({} {} {})", a.text, sign, b.text); };
  const string nonzero = fmt::format("nullif({}, DOUBLE '0')", b.text);
  if (op == sql::Op::kAdd) return plain('+');
  if (op == sql::Op::kSubtract) return plain('-');
  if (op == sql::Op::kMultiply) return plain('*');
  if (op == sql::Op::kDivide) return fmt::format("({} / {})", a.text, nonzero);
  return fmt::format("mod({}, {})", a.text, nonzero);
}

namespace {

bool is_number_literal(const string& text) {
  return text.starts_with("DOUBLE '") && text.find('N') == string::npos &&
         text.find('\'', 8) + 1 == text.size();
}

// Of doubles, where NaN is the largest number and one: NULL where a side is.
string less(const string& a, const string& b) {
  if (is_number_literal(b)) return fmt::format("({} < {})", a, b);
  if (is_number_literal(a)) return let({b}, fmt::format("{0} < {{0}} OR is_nan({{0}})", a));
  return let({a, b}, "{0} < {1} OR (is_nan({1}) AND NOT is_nan({0}))");
}
string equal(const string& a, const string& b) {
  if (is_number_literal(a) || is_number_literal(b)) return fmt::format("({} = {})", a, b);
  return let({a, b}, "{0} = {1} OR (is_nan({0}) AND is_nan({1}))");
}

}  // namespace

string Dialect::compared(std::string_view symbol, Type type, const string& a,
                         const string& b) const {
  if (type == Type::kDouble) {
    if (symbol == "<") return less(a, b);
    if (symbol == ">") return less(b, a);
    if (symbol == "<=") return fmt::format("(NOT {})", less(b, a));
    if (symbol == ">=") return fmt::format("(NOT {})", less(a, b));
    if (symbol == "=") return equal(a, b);
    if (symbol == "<>") return fmt::format("(NOT {})", equal(a, b));
  }
  return fmt::format("({} {} {})", a, symbol, b);
}

string Dialect::among(const string& value, Type type, const Strings& list) const {
  if (type != Type::kDouble || std::all_of(list.begin(), list.end(), is_number_literal))
    return fmt::format("({} IN ({}))", value, pushdown::joined(list));
  // NaN is a number that equals itself here, and nothing there.
  Strings args = {value}, each;
  for (const string& one : list) {
    each.push_back(
        fmt::format("{{0}} = {{{0}}} OR (is_nan({{0}}) AND is_nan({{{0}}}))", args.size()));
    args.push_back(one);
  }
  return let(args, pushdown::joined(each, " OR "));
}

// Texts are sorted by their bytes, and NaN comes last, as they are.
string Dialect::ordered(const string& expr, Type /*type*/) const { return expr; }

// An automaton, made before the first row: the pattern's limits bound its states (sql/patterns.h),
// and a row takes one step a byte.
Result<string> Dialect::like(const string& text, const string& pattern, bool any_case) const {
  if (!any_case) return fmt::format("({} LIKE {})", text, pattern);
  return fmt::format("({} LIKE {})", lowered(text), lowered(pattern));
}

// A moment moved by so much is looked at first: what would leave the years 1 to 9999 is NULL.
string Dialect::shifted(const sql::Expr& shift, const string& moment) const {
  const std::int64_t count = shift.literal.whole;
  const bool is_date = shift.type == Type::kDate;
  const std::string_view name = type(shift.type);
  const char* unit = shift.unit == sql::Unit::kMonths ? "month"
                     : shift.unit == sql::Unit::kDays ? "day"
                                                      : "second";
  // Ten thousand years leave the calendar wherever they begin; Trino's own goes further than that
  // both ways, so that what is moved by less can be looked at.
  const std::int64_t farthest = shift.unit == sql::Unit::kMonths ? 120'000
                                : shift.unit == sql::Unit::kDays ? 3'660'000
                                                                 : 400'000'000'000;
  if (std::abs(count) >= farthest) return fmt::format("CAST(NULL AS {})", name);
  const string moved = fmt::format("date_add('{}', {}, {{0}})", unit, count);
  return let(
      {moment},
      fmt::format("CASE WHEN {0} BETWEEN {1} '0001-01-01{2}' AND {1} '9999-12-31{3}' THEN {0} END",
                  moved, is_date ? "DATE" : "TIMESTAMP", is_date ? "" : " 00:00:00.000000",
                  is_date ? "" : " 23:59:59.999999"));
}

string Dialect::travelling(const string& expr, Type type) const {
  switch (type) {
    case Type::kBool:
      return fmt::format("CAST({} AS BIGINT)", expr);
    case Type::kDate:
      return fmt::format("date_diff('day', DATE '1970-01-01', {})", expr);
    case Type::kTimestamp:
      // Whole seconds, and the six digits behind them.
      return let({expr},
                 "date_diff('second', TIMESTAMP '1970-01-01 00:00:00', date_trunc('second', {0})) "
                 "* 1000000 + CAST(substr(CAST(CAST({0} AS TIMESTAMP(6)) AS VARCHAR), -6) AS "
                 "BIGINT)");
    case Type::kDouble:
      return fmt::format("({} + DOUBLE '0')", expr);
    case Type::kInt:
    case Type::kText:
      break;
  }
  return expr;
}

string Dialect::as_real(const string& expr, Type type) const {
  if (type == Type::kDouble) return expr;
  if (type == Type::kTimestamp)
    return fmt::format("(CAST({} AS DOUBLE) / DOUBLE '1000000')", travelling(expr, type));
  return fmt::format("CAST({} AS DOUBLE)", is_time(type) ? travelling(expr, type) : expr);
}

string Dialect::number(const string& value) const {
  return let({value}, "CASE WHEN NOT is_nan({0}) THEN {0} END");
}

// Eight bytes of value, or a text's, and eight of key.
string Dialect::hash_whole(const string& value, const string& key) const {
  return fmt::format("from_big_endian_64(xxhash64(to_big_endian_64({}) || {}))", value, key);
}
string Dialect::hash_halves(const string& value, const string& key) const {
  return hash_whole(value, key);
}
string Dialect::hash_real(const string& value, const string& key) const {
  return fmt::format("from_big_endian_64(xxhash64(to_ieee754_64({} + DOUBLE '0') || {}))", value,
                     key);
}
string Dialect::hash_text(const string& value, const string& key) const {
  return fmt::format("from_big_endian_64(xxhash64(to_utf8({}) || {}))", value, key);
}
string Dialect::exclusive_or(const string& a, const string& b) const {
  return fmt::format("bitwise_xor({}, {})", a, b);
}
string Dialect::secret(std::size_t n) const { return fmt::format("X'{:016x}'", secret_.words[n]); }

// A bare literal has 64 bits at most.
string Dialect::wide(const string& whole) const {
  const bool digits = whole.find_first_not_of("-0123456789") == string::npos;
  return fmt::format("CAST({}{}{} AS DECIMAL(38,0))", digits ? "DECIMAL '" : "", whole,
                     digits ? "'" : "");
}
// What is left of a, between 0 and b − 1, is taken off: then the quotient has no rest to round.
string Dialect::floor_quotient(const string& a, const string& b) const {
  return let({a, b}, "({0} - mod(mod({0}, {1}) + {1}, {1})) / {1}");
}

}  // namespace discreet::engine::trino
