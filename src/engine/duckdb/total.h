// The functions of ours that printed SQL calls, where DuckDB's own would raise an error on some
// value, or where a guard around it would have to print its argument twice (nested guards then
// print it 2^n times): discreet_sqrt(-1) is NULL.
//
// They are total by construction: every pattern of bits has a value or is NULL. Moments outside of
// the years 1 to 9999 (infinity among them) are NULL, wherever they come from; on what is left
// DuckDB's own functions of moments are total too.
#pragma once

#include <cstdint>

struct _duckdb_connection;  // what a duckdb_connection points to; its header is DuckDB's own

namespace discreet::engine::duckdb {

// Makes them known to the connection's database.
bool add_total_functions(_duckdb_connection* connection);

inline constexpr std::int64_t kMicrosPerSecond = 1'000'000;
inline constexpr std::int64_t kMicrosPerDay = 86'400 * kMicrosPerSecond;
// 0001-01-01 and 9999-12-31, in days since 1970-01-01.
inline constexpr std::int64_t kFirstDay = -719'162, kLastDay = 2'932'896;
constexpr bool is_day(std::int64_t days) { return days >= kFirstDay && days <= kLastDay; }
// … to the last microsecond of the last day.
inline constexpr std::int64_t kFirstMicro = kFirstDay * kMicrosPerDay,
                              kLastMicro = (kLastDay + 1) * kMicrosPerDay - 1;
constexpr bool is_moment(std::int64_t micros) {
  return micros >= kFirstMicro && micros <= kLastMicro;
}

}  // namespace discreet::engine::duckdb
