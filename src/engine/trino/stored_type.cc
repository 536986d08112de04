#include "discreet/engine/trino/stored_type.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/print.h"

namespace discreet::engine::trino {

using std::string;
using T = policy::Type;

namespace {

constexpr const char* kAsWhole = "CAST({0} AS BIGINT)";
// A decimal without zeros at its end.
constexpr const char* kShortest =
    "CASE WHEN strpos(CAST({0} AS VARCHAR), '.') > 0 THEN trim(TRAILING '.' FROM trim(TRAILING '0' "
    "FROM CAST({0} AS VARCHAR))) ELSE CAST({0} AS VARCHAR) END";
// One zero; NaNs are one in Java.
constexpr const char* kReal = "(CAST({0} AS DOUBLE) + DOUBLE '0')";
// Bytes that are no UTF-8 are replaced before anything is compared: on their way out they would be,
// and two groups would look like one. Long ones are NULL: what a function makes of them could need
// more memory than a worker has.
constexpr const char* kText =
    "CASE WHEN length(to_utf8({0})) <= 1048576 THEN from_utf8(to_utf8({0})) END";
// What is outside of the years 1 to 9999 is NULL.
constexpr const char* kDay =
    "CASE WHEN {0} BETWEEN DATE '0001-01-01' AND DATE '9999-12-31' THEN {0} END";
constexpr const char* kMoment =
    "CASE WHEN TRY_CAST({0} AS TIMESTAMP(6)) BETWEEN TIMESTAMP '0001-01-01 00:00:00.000000' AND "
    "TIMESTAMP '9999-12-31 23:59:59.999999' THEN TRY_CAST({0} AS TIMESTAMP(6)) END";
constexpr const char* kZoned =
    "CASE WHEN TRY_CAST({0} AT TIME ZONE 'UTC' AS TIMESTAMP(6)) BETWEEN TIMESTAMP '0001-01-01 "
    "00:00:00.000000' AND TIMESTAMP '9999-12-31 23:59:59.999999' THEN TRY_CAST({0} AT TIME ZONE "
    "'UTC' AS TIMESTAMP(6)) END";

}  // namespace

const std::vector<StoredType>& stored_types() {
  static const std::vector<StoredType> types = {
      {"boolean", T::kBool, "{0}"},
      {"tinyint", T::kInt, kAsWhole},
      {"smallint", T::kInt, kAsWhole},
      {"integer", T::kInt, kAsWhole},
      {"bigint", T::kInt, "{0}"},
      {"real", T::kDouble, kReal},
      {"double", T::kDouble, kReal},
      {"decimal", T::kDouble, "CAST({0} AS DOUBLE)", "TRY_CAST({0} AS BIGINT)",
       "CAST({0} AS VARCHAR)"},
      {"varchar", T::kText, kText},
      // Blanks at its end only fill it up.
      {"char", T::kText, "from_utf8(to_utf8(trim(TRAILING ' ' FROM CAST({0} AS VARCHAR))))"},
      {"uuid", T::kText, "CAST({0} AS VARCHAR)"},
      {"date", T::kDate, kDay},
      {"timestamp", T::kTimestamp, kMoment},
      {"timestamp with time zone", T::kTimestamp, kZoned},
  };
  return types;
}

int number_of(std::string_view name) {
  // "timestamp(3) with time zone": what stands in brackets doesn't matter.
  string plain(name);
  const auto open = plain.find('('), close = plain.find(')');
  if (open != string::npos && close != string::npos && close > open)
    plain.erase(open, close - open + 1);
  const auto& types = stored_types();
  for (std::size_t i = 0; i < types.size(); ++i)
    if (types[i].name == plain) return static_cast<int>(i) + 1;
  return 0;
}

std::optional<StoredType> type_named(std::string_view name) {
  const int number = number_of(name);
  if (number == 0) return std::nullopt;
  return stored_types()[static_cast<std::size_t>(number) - 1];
}

string stored_type_names() {
  string out;
  for (const StoredType& one : stored_types()) out += (out.empty() ? "" : ", ") + string(one.name);
  return out;
}

Result<string> read_column(const policy::StoredColumn& column, const Dialect& dialect) {
  if (column.stored < 1 || static_cast<std::size_t>(column.stored) > stored_types().size())
    return not_here(fmt::format("the column '{}'", column.name));
  const StoredType& stored = stored_types()[static_cast<std::size_t>(column.stored) - 1];
  const string name = pushdown::quote_name(column.name);
  const auto printed = [&](const char* sql) { return fmt::format(fmt::runtime(sql), name); };
  if (column.names_unit) return printed(kShortest);
  if (column.type == T::kInt && stored.as_whole) return printed(stored.as_whole);
  if (column.type == T::kText && stored.as_text) return printed(stored.as_text);
  if (column.type == stored.seen) return printed(stored.read);
  return dialect.cast("(" + printed(stored.read) + ")", stored.seen, column.type);
}

}  // namespace discreet::engine::trino
