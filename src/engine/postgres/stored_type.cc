#include "discreet/engine/postgres/stored_type.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/print.h"

namespace discreet::engine::postgres {

using std::string;
using T = policy::Type;

namespace {

constexpr const char* kAsWhole = "CAST({0} AS bigint)";
constexpr const char* kAsText = "(CAST({0} AS text) COLLATE \"C\")";
constexpr const char* kShortest = "(CAST(trim_scale({0}) AS text) COLLATE \"C\")";
// Functions want up to eight bytes of memory a byte, and PostgreSQL has no more than 1 GB for one
// value: one long text would make a statement fail. Its length stands before it and is read without
// it.
constexpr const char* kText =
    "(CASE WHEN octet_length({0}) <= 1048576 THEN CAST({0} AS text) END COLLATE \"C\")";
// Halves away from zero; what a bigint doesn't hold is NULL (NaN is above everything).
constexpr const char* kWhole =
    "CASE WHEN round({0}) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN "
    "CAST(round({0}) AS bigint) END";
// Up to 308 digits before the point and 300 after it are within the doubles.
constexpr const char* kWide =
    "CASE WHEN {0} = 0 OR abs({0}) BETWEEN 1e-307 AND 1e308 OR {0} IN ('NaN', 'Infinity', "
    "'-Infinity') THEN "
    "CAST({0} AS float8) WHEN abs({0}) < 1 THEN '0'::float8 ELSE sign({0})::float8 * "
    "'Infinity'::float8 END";
// What is outside of the years 1 to 9999 is NULL, infinity among it.
constexpr const char* kDay =
    "CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {0} END";
constexpr const char* kMoment =
    "CASE WHEN {0} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN "
    "{0} END";
constexpr const char* kZoned =
    "CASE WHEN {0} BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 "
    "23:59:59.999999+00' "
    "THEN {0} AT TIME ZONE 'UTC' END";

}  // namespace

const std::vector<StoredType>& stored_types() {
  static const std::vector<StoredType> types = {
      {16, "boolean", T::kBool, "{0}"},
      {21, "smallint", T::kInt, kAsWhole},
      {23, "integer", T::kInt, kAsWhole},
      {20, "bigint", T::kInt, "{0}"},
      {700, "real", T::kDouble, "CAST({0} AS float8)"},
      {701, "double precision", T::kDouble, "{0}"},
      {1700, "numeric(p,s)", T::kDouble, "CAST({0} AS float8)", kWhole, kAsText},
      // 7 and 7.00 are one number, and one person.
      {kAnyNumeric, "numeric", T::kDouble, kWide, kWhole, kShortest},
      {25, "text", T::kText, kText},
      {1043, "character varying", T::kText, kText},
      {1042, "character", T::kText, kText},
      {kEnum, "an enum", T::kText, kAsText},
      {2950, "uuid", T::kText, kAsText},
      {1082, "date", T::kDate, kDay},
      {1114, "timestamp", T::kTimestamp, kMoment},
      {1184, "timestamp with time zone", T::kTimestamp, kZoned},
  };
  return types;
}

std::optional<StoredType> stored_type(int number) {
  const auto& types = stored_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const StoredType& one) { return one.number == number; });
  return found == types.end() ? std::nullopt : std::optional(*found);
}

string stored_type_names() {
  string out;
  for (const StoredType& one : stored_types()) out += (out.empty() ? "" : ", ") + string(one.name);
  return out;
}

bool is_dear(const policy::StoredColumn& column) {
  constexpr int kPadded = 1042;  // character(n): cast and trimmed as a whole
  return column.exact || column.type != column.seen || column.stored == kPadded;
}

Result<string> read_column(const policy::StoredColumn& column, const Dialect& dialect) {
  const auto stored = stored_type(column.stored);
  if (!stored) return not_here(fmt::format("the column '{}'", column.name));
  const string name = pushdown::quote_name(column.name);
  const auto printed = [&](const char* sql) { return fmt::format(fmt::runtime(sql), name); };
  if (column.names_unit) return printed(kShortest);
  if (column.type == T::kInt && stored->as_whole) return printed(stored->as_whole);
  if (column.type == T::kText && stored->as_text) return printed(stored->as_text);
  if (column.type == stored->seen) return printed(stored->read);
  return dialect.cast("(" + printed(stored->read) + ")", stored->seen, column.type);
}

}  // namespace discreet::engine::postgres
