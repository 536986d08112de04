#include "discreet/engine/postgres/dialect.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/engine/postgres/stored_type.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/rows.h"

namespace discreet::engine::postgres {

using policy::Type;
using policy::Value;
using std::string;
using Strings = std::vector<string>;

tl::unexpected<Error> not_here(const string& what, const string& hint) {
  return fail(Code::kRefused, fmt::format("{} can't be asked of the engine postgres", what), hint);
}

string real(double value) {
  const string text = std::isnan(value)   ? "NaN"
                      : std::isinf(value) ? (value < 0 ? "-Infinity" : "Infinity")
                                          : fmt::format("{}", value);
  return fmt::format("'{}'::float8", text);
}

string let(const Strings& args, std::string_view body) {
  constexpr std::size_t kShort = 40;  // a column, a literal, a cast of one
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  string columns;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].size() <= kShort) {
      store.push_back(args[i]);
      continue;
    }
    columns += fmt::format("{}{} AS a{}", columns.empty() ? "" : ", ", args[i], i);
    store.push_back(fmt::format("v.a{}", i));
  }
  const string text = fmt::vformat(fmt::string_view(body.data(), body.size()), store);
  if (columns.empty()) return fmt::format("({})", text);
  // OFFSET 0: else the planner puts the argument back wherever it stands.
  return fmt::format("(SELECT {} FROM (SELECT {} OFFSET 0) AS v)", text, columns);
}

std::string_view Dialect::type(Type type) const {
  constexpr std::string_view kNames[] = {"boolean", "bigint", "float8",
                                         "text",    "date",   "timestamp"};
  return kNames[static_cast<std::size_t>(type)];
}

Result<string> Dialect::literal(const Value& value) const {
  if (value.null) return fmt::format("CAST(NULL AS {})", type(value.type));
  switch (value.type) {
    case Type::kBool:
      return string(value.whole != 0 ? "TRUE" : "FALSE");
    case Type::kInt:
      return fmt::format("'{}'::bigint", value.whole);
    case Type::kDouble:
      return real(value.real);
    case Type::kText:
      if (value.string.find('\0') != string::npos)
        return not_here("a text with a NUL in it", "PostgreSQL has no such texts");
      return pushdown::quote_text(value.string) + "::text";
    case Type::kDate:
      return fmt::format("DATE '{}'", value.show());
    case Type::kTimestamp:
      return fmt::format("TIMESTAMP '{}'", value.show());
  }
  return not_here("such a value");
}

Result<string> Dialect::scan(const sql::Relation& relation) const {
  const policy::Table& table = *catalog_.table(relation.table);
  const auto& source = std::get<policy::ServerTable>(table.rule.from);
  string rows = TRY(pushdown::scan_sql(
      relation, table,
      pushdown::quote_name(source.schema) + "." + pushdown::quote_name(source.table), *this,
      [&](const policy::StoredColumn& column) { return read_column(column, *this); }));
  if (std::any_of(table.stored.begin(), table.stored.end(), is_dear)) rows += kept_apart();
  return rows;
}

// Of a power of two of shares: the fifth parameter is how many there are less one, the sixth which
// it is. Any hash does, but one of its own: by the secret's a share would have a part of the
// choices.
string Dialect::in_share(const string& unit, Type type, bool one_table) const {
  if (!one_table) return "";
  return fmt::format("({}({}{}, 0) & $5::bigint) = $6::bigint",
                     type == Type::kText ? "hashtextextended" : "hashint8extended", unit,
                     type == Type::kText ? " COLLATE \"C\"" : "");
}

string Dialect::ordered(const string& expr, Type type) const {
  return type == Type::kText ? fmt::format("({} COLLATE \"C\")", expr) : expr;
}

string Dialect::compared(std::string_view symbol, Type type, const string& a,
                         const string& b) const {
  const bool by_order = symbol.front() == '<' || symbol.front() == '>';
  if (type == Type::kText && by_order && symbol != "<>")
    return fmt::format("({} {} {})", ordered(a, type), symbol, b);
  return fmt::format("({} {} {})", a, symbol, b);
}

string Dialect::among(const string& value, Type /*type*/, const Strings& list) const {
  return fmt::format("({} IN ({}))", value, pushdown::joined(list));
}

// PostgreSQL recurses once a %, of which there are few, and nothing but the last one is ever tried
// again: text × piece (sql/patterns.h).
Result<string> Dialect::like(const string& text, const string& pattern, bool any_case) const {
  if (!any_case) return fmt::format("({} LIKE {} ESCAPE '')", ordered(text, Type::kText), pattern);
  return fmt::format("({} LIKE {} ESCAPE '')", lowered(text), lowered(pattern));
}

// A moment moved by so much is looked at first: what would leave the years 1 to 9999 is NULL.
string Dialect::shifted(const sql::Expr& shift, const string& moment) const {
  const std::int64_t count = shift.literal.whole;
  const bool is_date = shift.type == Type::kDate;
  const std::int64_t first = policy::days_from(1, 1, 1), end = policy::days_from(10'000, 1, 1);
  const auto day = [&](std::int64_t days) {
    return fmt::format("{} '{}'", is_date ? "DATE" : "TIMESTAMP",
                       Value::date(std::min(std::max(days, first), end - 1)).show());
  };
  const auto guarded = [&](const string& low, const string& high, bool any, const char* how) {
    if (!any) return fmt::format("CAST(NULL AS {})", type(shift.type));
    return let({moment},
               fmt::format("CASE WHEN {{0}} >= {} AND {{0}} {} THEN CAST({{0}} + INTERVAL "
                           "'{} {}' AS {}) END",
                           low, high, count, how, type(shift.type)));
  };
  // Below the first day after the last one, or (where that is beyond the calendar) up to its last.
  const auto below = [&](std::int64_t days) {
    if (days < end) return fmt::format("< {}", day(days));
    return is_date ? fmt::format("<= {}", day(end - 1))
                   : string("<= TIMESTAMP '9999-12-31 23:59:59.999999'");
  };
  switch (shift.unit) {
    case sql::Unit::kDays:
      return guarded(day(first - count), below(end - count), std::abs(count) < end - first, "days");
    case sql::Unit::kMonths: {
      // Months since year 0; those from (1, January) to (9999, December) are there.
      const auto first_of = [&](std::int64_t month) {
        const std::int64_t clamped =
            std::min<std::int64_t>(std::max<std::int64_t>(month, 12), 120'000);
        return policy::days_from(clamped / 12, static_cast<unsigned>(clamped % 12) + 1, 1);
      };
      const bool any = std::abs(count) < 120'000;
      return guarded(any ? day(first_of(12 - count)) : "",
                     any ? below(first_of(120'000 - count)) : "", any, "months");
    }
    case sql::Unit::kSeconds:
      break;
  }
  constexpr std::int64_t kMicros = 1'000'000;
  const std::int64_t from = first * 86'400 * kMicros, to = end * 86'400 * kMicros - 1;
  const std::int64_t low = std::max(from, from - count * kMicros),
                     high = std::min(to, to - count * kMicros);
  if (low > high) return fmt::format("CAST(NULL AS {})", type(shift.type));
  return guarded(fmt::format("TIMESTAMP '{}'", Value::timestamp(low).show()),
                 fmt::format("<= TIMESTAMP '{}'", Value::timestamp(high).show()), true, "seconds");
}

string Dialect::travelling(const string& expr, Type type) const {
  switch (type) {
    case Type::kBool:
      return fmt::format("CAST(CAST({} AS integer) AS bigint)", expr);
    case Type::kDate:
      return fmt::format("CAST({} - DATE '1970-01-01' AS bigint)", expr);
    case Type::kTimestamp:
      return fmt::format("CAST(extract(epoch FROM {}) * 1000000 AS bigint)", expr);
    case Type::kDouble:
      return fmt::format("({} + '0'::float8)", expr);
    case Type::kInt:
    case Type::kText:
      break;
  }
  return expr;
}

string Dialect::as_real(const string& expr, Type type) const {
  if (type == Type::kDouble) return expr;
  if (type == Type::kTimestamp)
    return fmt::format("(CAST({} AS float8) / 1000000)", travelling(expr, type));
  return fmt::format("CAST({} AS float8)",
                     is_time(type) || type == Type::kBool ? travelling(expr, type) : expr);
}

string Dialect::number(const string& value) const {
  return fmt::format("nullif({}, 'NaN'::float8)", value);
}

string Dialect::hash_whole(const string& value, const string& key) const {
  return fmt::format("hashfloat8extended(CAST({} AS float8), {})", value, key);
}
string Dialect::hash_halves(const string& value, const string& key) const {
  return hash_whole(fmt::format("({} >> 32)", value),
                    hash_whole(fmt::format("(({} & 4294967295) + 1)", value), key));
}
string Dialect::hash_real(const string& value, const string& key) const {
  return fmt::format("hashfloat8extended({}, {})", value, key);
}
string Dialect::hash_text(const string& value, const string& key) const {
  return fmt::format("hashtextextended({} COLLATE \"C\", {})", value, key);
}
string Dialect::exclusive_or(const string& a, const string& b) const {
  return fmt::format("({} # {})", a, b);
}
string Dialect::secret(std::size_t n) const { return fmt::format("${}::bigint", n + 1); }

string Dialect::wide(const string& whole) const {
  return fmt::format("CAST({} AS numeric)", whole);
}
string Dialect::floor_quotient(const string& a, const string& b) const {
  return fmt::format("(div({0}, {1}) - CASE WHEN mod({0}, {1}) < 0 THEN 1 ELSE 0 END)", a, b);
}

}  // namespace discreet::engine::postgres
