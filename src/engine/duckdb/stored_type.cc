#include "discreet/engine/duckdb/stored_type.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/total.h"
#include "discreet/engine/duckdb/vector_function.h"
#include "discreet/engine/duckdb/wide.h"
#include "discreet/sql/algebra.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

// Raw ticks are looked at before they are scaled: DuckDB's casts between these types raise errors
// at their ends, or read beyond a buffer.
template <int type, std::int64_t micros_a_tick>
bool longer_ticks(Moment& out, Ticks<type> ticks) {
  const bool ok =
      ticks.raw >= kFirstMicro / micros_a_tick && ticks.raw <= kLastMicro / micros_a_tick;
  out.raw = ok ? ticks.raw * micros_a_tick : 0;
  return ok;
}

bool nanoseconds(Moment& out, Ticks<DUCKDB_TYPE_TIMESTAMP_NS> ticks) {
  // The nearest, halves up, as Trino has it.
  constexpr std::int64_t kNanosPerMicro = 1000;
  const std::int64_t rest = (ticks.raw % kNanosPerMicro + kNanosPerMicro) % kNanosPerMicro;
  out.raw = ticks.raw / kNanosPerMicro - (ticks.raw % kNanosPerMicro < 0 ? 1 : 0) +
            (2 * rest >= kNanosPerMicro ? 1 : 0);
  // The two largest and the smallest stand for infinity.
  return ticks.raw != INT64_MAX && ticks.raw > INT64_MIN + 1;
}

// A time of day, 24:00 included.
bool time_of_day(Ticks<DUCKDB_TYPE_TIME>& out, Ticks<DUCKDB_TYPE_TIME> ticks) {
  out = ticks;
  return ticks.raw >= 0 && ticks.raw <= kMicrosPerDay;
}

bool time_in_nanoseconds(Ticks<DUCKDB_TYPE_TIME>& out, Ticks<DUCKDB_TYPE_TIME_NS> ticks) {
  constexpr std::int64_t kNanosPerMicro = 1000;
  out.raw = ticks.raw / kNanosPerMicro;
  return ticks.raw >= 0 && ticks.raw <= kMicrosPerDay * kNanosPerMicro;
}

// Microseconds above, and below how far the offset in seconds lies under the largest.
bool zoned_time(Ticks<DUCKDB_TYPE_TIME_TZ>& out, Ticks<DUCKDB_TYPE_TIME_TZ> ticks) {
  constexpr int kOffsetBits = 24;
  constexpr std::uint64_t kLargestOffset = 16 * 3600 - 1;
  const auto bits = static_cast<std::uint64_t>(ticks.raw);
  out = ticks;
  return (bits >> kOffsetBits) <= static_cast<std::uint64_t>(kMicrosPerDay) &&
         (bits & ((1U << kOffsetBits) - 1)) <= 2 * kLargestOffset;
}

// One zero and one NaN. And no comparison with a real reaches a reader bare: of a Parquet file it
// would skip row groups by their smallest and largest value, which leave NaN out, and by Bloom
// filters, which tell −0 from 0; whether the others' rows count would depend on one person's.
bool real(double& out, double x) {
  out = x == 0 ? 0 : x != x ? std::numeric_limits<double>::quiet_NaN() : x;
  return true;
}

// Eight bytes of digits at once (Lemire): pairs, then fours, then all of them are added up. Shorter
// texts have zeros before them. False where a byte is no digit.
bool eight_digits(std::int64_t& out, const char* digits, unsigned length) {
  constexpr std::uint64_t kZeros = 0x3030303030303030, kUpper = 0xf0f0f0f0f0f0f0f0;
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, digits, sizeof bytes);
  if (length < 8) bytes = bytes << (64 - 8 * length) | kZeros >> (8 * length);
  const bool good = (bytes & kUpper) == kZeros && ((bytes + 0x0606060606060606) & kUpper) == kZeros;
  bytes = (bytes & 0x0f0f0f0f0f0f0f0f) * 2561 >> 8;
  bytes = (bytes & 0x00ff00ff00ff00ff) * 6553601 >> 16;
  out = static_cast<std::int64_t>((bytes & 0x0000ffff0000ffff) * 42949672960001 >> 32);
  return good;
}

// A whole number as most are written, in as many bytes as lie in the vector itself: quicker than a
// cast, which takes the others.
bool short_whole(std::int64_t& out, duckdb_string_t text) {
  static_assert(std::endian::native == std::endian::little);
  const std::uint32_t length = text.value.inlined.length;
  if (length == 0 || length > sizeof text.value.inlined.inlined) return false;
  const char* digits = text.value.inlined.inlined;
  if (length <= 8 && digits[0] != '-') return eight_digits(out, digits, length);
  const bool negative = digits[0] == '-';
  const std::uint32_t first = negative ? 1 : 0;
  std::int64_t value = 0;
  bool good = length > first;
  for (std::uint32_t i = first; i < length; ++i) {
    const int digit = digits[i] - '0';
    good = good && digit >= 0 && digit <= 9;
    value = value * 10 + digit;
  }
  out = negative ? -value : value;
  return good;
}

// Nothing for a VARCHAR, and the text of a type that is made of it, such as JSON.
constexpr const char* kAsText = "TRY_CAST({} AS VARCHAR)";
constexpr const char* kWideReal = "discreet_wide_real({})";
constexpr const char* kWideWhole = "discreet_wide_whole({})";
constexpr const char* kWideText = "discreet_wide_text({})";
constexpr const char* kAsWhole = "TRY_CAST({} AS BIGINT)";
constexpr const char* kTextWhole =
    "coalesce(discreet_short_whole(TRY_CAST({0} AS VARCHAR)), TRY_CAST(TRY_CAST({0} AS VARCHAR) AS "
    "BIGINT))";

}  // namespace

const std::vector<StoredType>& stored_types() {
  using T = policy::Type;
  static const std::vector<StoredType> types = {
      {DUCKDB_TYPE_BOOLEAN, "BOOLEAN", T::kBool, "{}"},
      {DUCKDB_TYPE_TINYINT, "TINYINT", T::kInt, kAsWhole},
      {DUCKDB_TYPE_SMALLINT, "SMALLINT", T::kInt, kAsWhole},
      {DUCKDB_TYPE_INTEGER, "INTEGER", T::kInt, kAsWhole},
      {DUCKDB_TYPE_BIGINT, "BIGINT", T::kInt, "{}"},
      {DUCKDB_TYPE_UTINYINT, "UTINYINT", T::kInt, kAsWhole},
      {DUCKDB_TYPE_USMALLINT, "USMALLINT", T::kInt, kAsWhole},
      {DUCKDB_TYPE_UINTEGER, "UINTEGER", T::kInt, kAsWhole},
      {DUCKDB_TYPE_UBIGINT, "UBIGINT", T::kDouble, kWideReal, kWideWhole, kWideText},
      {DUCKDB_TYPE_HUGEINT, "HUGEINT", T::kDouble, kWideReal, kWideWhole, kWideText},
      {DUCKDB_TYPE_UHUGEINT, "UHUGEINT", T::kDouble, kWideReal, kWideWhole, kWideText},
      {DUCKDB_TYPE_DECIMAL, "DECIMAL", T::kDouble, kWideReal, kWideWhole, kWideText},
      {DUCKDB_TYPE_FLOAT, "FLOAT", T::kDouble, "discreet_real(TRY_CAST({} AS DOUBLE))", nullptr,
       kAsText},
      {DUCKDB_TYPE_DOUBLE, "DOUBLE", T::kDouble, "discreet_real({})"},
      {DUCKDB_TYPE_VARCHAR, "VARCHAR", T::kText, kAsText, kTextWhole, kAsText},
      {DUCKDB_TYPE_ENUM, "ENUM", T::kText, kAsText},
      {DUCKDB_TYPE_UUID, "UUID", T::kText, kAsText},
      {DUCKDB_TYPE_BLOB, "BLOB", T::kText, kAsText},
      {DUCKDB_TYPE_DATE, "DATE", T::kDate, "discreet_date({})"},
      {DUCKDB_TYPE_TIMESTAMP, "TIMESTAMP", T::kTimestamp, "discreet_timestamp({})"},
      {DUCKDB_TYPE_TIMESTAMP_S, "TIMESTAMP_S", T::kTimestamp, "discreet_timestamp_s({})"},
      {DUCKDB_TYPE_TIMESTAMP_MS, "TIMESTAMP_MS", T::kTimestamp, "discreet_timestamp_ms({})"},
      {DUCKDB_TYPE_TIMESTAMP_NS, "TIMESTAMP_NS", T::kTimestamp, "discreet_timestamp_ns({})"},
      {DUCKDB_TYPE_TIMESTAMP_TZ, "TIMESTAMP WITH TIME ZONE", T::kTimestamp,
       "discreet_timestamp_tz({})"},
      {DUCKDB_TYPE_TIME, "TIME", T::kText, "CAST(discreet_time({}) AS VARCHAR)"},
      {DUCKDB_TYPE_TIME_NS, "TIME_NS", T::kText, "CAST(discreet_time_ns({}) AS VARCHAR)"},
      {DUCKDB_TYPE_TIME_TZ, "TIME WITH TIME ZONE", T::kText,
       "CAST(discreet_time_tz({}) AS VARCHAR)"},
      {DUCKDB_TYPE_SQLNULL, "NULL", T::kText, kAsText},
  };
  return types;
}

std::optional<StoredType> stored_type(int number) {
  const auto& types = stored_types();
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const StoredType& one) { return one.number == number; });
  return found == types.end() ? std::nullopt : std::optional(*found);
}

std::optional<StoredType> type_named(std::string_view name) {
  if (name.starts_with("DECIMAL(")) name = "DECIMAL";
  if (name == "JSON") name = "VARCHAR";
  for (const StoredType& one : stored_types())
    if (one.name == name) return one;
  return std::nullopt;
}

string stored_type_names() {
  string out;
  for (const StoredType& one : stored_types()) out += (out.empty() ? "" : ", ") + string(one.name);
  return out;
}

bool is_plain(const StoredType& stored) {
  return stored.number == DUCKDB_TYPE_VARCHAR || string(stored.read) == "{}";
}

string read_as(const string& column, const StoredType& stored, policy::Type type) {
  const auto printed = [&](const char* sql) { return fmt::format(fmt::runtime(sql), column); };
  if (type == policy::Type::kInt && stored.as_whole) return printed(stored.as_whole);
  if (type == policy::Type::kText && stored.as_text) return printed(stored.as_text);
  if (type == stored.seen) return printed(stored.read);
  return print(sql::call(sql::Op::kCast, type, {sql::column(0, stored.seen)}),
               {printed(stored.read)});
}

bool add_readers(duckdb_connection connection) {
  const VectorFunction functions[] = {
      vector_function<&short_whole>("discreet_short_whole"),
      vector_function<&longer_ticks<DUCKDB_TYPE_TIMESTAMP_S, kMicrosPerSecond>>(
          "discreet_timestamp_s"),
      vector_function<&longer_ticks<DUCKDB_TYPE_TIMESTAMP_MS, 1000>>("discreet_timestamp_ms"),
      vector_function<&longer_ticks<DUCKDB_TYPE_TIMESTAMP_TZ, 1>>("discreet_timestamp_tz"),
      vector_function<&nanoseconds>("discreet_timestamp_ns"),
      vector_function<&real>("discreet_real"),
      vector_function<&time_of_day>("discreet_time"),
      vector_function<&time_in_nanoseconds>("discreet_time_ns"),
      vector_function<&zoned_time>("discreet_time_tz"),
  };
  return std::all_of(std::begin(functions), std::end(functions),
                     [&](const VectorFunction& one) { return add_function(connection, one); }) &&
         add_wide_functions(connection);
}

}  // namespace discreet::engine::duckdb
