#include "discreet/engine/duckdb/total.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <type_traits>

#include "discreet/engine/duckdb/like.h"
#include "discreet/engine/duckdb/vector_function.h"
#include "discreet/policy/value.h"

namespace discreet::engine::duckdb {
namespace {

// What has no value is NULL; NaN stays what it is, as it does in arithmetic. Where a C function is
// called all the same its result is not looked at.

constexpr auto square_root = +[](double& out, double x) {
  out = std::sqrt(x);
  return !(x < 0);
};
constexpr auto natural_logarithm = +[](double& out, double x) {
  out = std::log(x);
  return !(x <= 0);
};
constexpr auto logarithm_10 = +[](double& out, double x) {
  out = std::log10(x);
  return !(x <= 0);
};
constexpr auto logarithm_2 = +[](double& out, double x) {
  out = std::log2(x);
  return !(x <= 0);
};
constexpr double kLargestAngle = 1e15;
constexpr auto sine = +[](double& out, double x) {
  out = std::sin(x);
  return std::abs(x) < kLargestAngle;
};
constexpr auto cosine = +[](double& out, double x) {
  out = std::cos(x);
  return std::abs(x) < kLargestAngle;
};
constexpr auto divide = +[](double& out, double x, double by) {
  out = x / by;
  return by != 0;
};
constexpr auto modulo = +[](double& out, double x, double by) {
  out = std::fmod(x, by);
  return by != 0;
};

// NaN is NULL.
constexpr auto number = +[](double& out, double x) {
  out = x;
  return x == x;
};
// Numbers whose squares can be added up; others are NULL.
constexpr auto moderate = +[](double& out, double x) {
  out = x;
  return std::abs(x) <= 1e140;
};
// On a grid with so many points to one, halves to even: the order in which threads add whole
// numbers doesn't show. NaN is NULL, the farthest points are the ends.
constexpr auto grid = +[](std::int64_t& out, double x, double to_one) {
  const double scaled = x * to_one;
  out = scaled == scaled
            ? static_cast<std::int64_t>(std::nearbyint(std::clamp(scaled, -4e18, 4e18)))
            : 0;
  return scaled == scaled;
};

// The first argument, or NULL where it equals the second; a NULL there equals nothing.
template <class T, auto equal>
void null_if(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
  duckdb_vector first = duckdb_data_chunk_get_vector(input, 0);
  duckdb_vector second = duckdb_data_chunk_get_vector(input, 1);
  auto* values = static_cast<T*>(duckdb_vector_get_data(first));
  auto* others = static_cast<T*>(duckdb_vector_get_data(second));
  auto* out = static_cast<T*>(duckdb_vector_get_data(output));
  for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
    if (!duckdb_validity_row_is_valid(duckdb_vector_get_validity(first), row) ||
        (duckdb_validity_row_is_valid(duckdb_vector_get_validity(second), row) &&
         equal(values[row], others[row]))) {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    } else if constexpr (std::is_same_v<T, duckdb_string_t>) {
      duckdb_vector_assign_string_element_len(output, row, duckdb_string_t_data(&values[row]),
                                              duckdb_string_t_length(values[row]));
    } else {
      out[row] = values[row];
    }
  }
}

template <class T>
bool same(T& a, T& b) {
  return a == b;
}
// As DuckDB compares: NaN is NaN.
bool same_number(double& a, double& b) { return a == b || (a != a && b != b); }
bool same_text(duckdb_string_t& a, duckdb_string_t& b) {
  return std::string_view(duckdb_string_t_data(&a), duckdb_string_t_length(a)) ==
         std::string_view(duckdb_string_t_data(&b), duckdb_string_t_length(b));
}

template <class T, auto equal>
VectorFunction null_if_function(const char* name, duckdb_type type) {
  return {name, {type, type}, type, null_if<T, equal>};
}

constexpr auto date = +[](Day& out, Day day) {
  out = day;
  return is_day(day.raw);
};
constexpr auto timestamp = +[](Moment& out, Moment moment) {
  out = moment;
  return is_moment(moment.raw);
};

// Moved by a count that no query makes larger than this (operators.cc).
constexpr std::int64_t kFarthest = 400'000'000;  // 100 000 hours, in seconds, and some
constexpr bool is_near(std::int64_t count) { return count >= -kFarthest && count <= kFarthest; }

bool shift_days(Day& out, Day day, std::int64_t count) {
  const bool ok = is_day(day.raw) && is_near(count) && is_day(day.raw + count);
  out.raw = ok ? static_cast<std::int32_t>(day.raw + count) : 0;
  return ok;
}

// The same day of another month, or its last day.
bool shift_months(Day& out, Day day, std::int64_t count) {
  out.raw = 0;
  if (!is_day(day.raw) || !is_near(count)) return false;
  const policy::Civil civil = policy::civil_from(day.raw);
  const std::int64_t month = civil.year * 12 + civil.month - 1 + count;
  if (month < 12 || month >= 10'000 * 12) return false;
  const auto first = [](std::int64_t at) {
    return policy::days_from(at / 12, static_cast<unsigned>(at % 12) + 1, 1);
  };
  const std::int64_t length = first(month + 1) - first(month);
  out.raw = static_cast<std::int32_t>(first(month) + std::min<std::int64_t>(civil.day, length) - 1);
  return true;
}

// The day moves, the time of day stays.
template <bool (*shift)(Day&, Day, std::int64_t)>
bool shift_moment(Moment& out, Moment moment, std::int64_t count) {
  out.raw = 0;
  if (!is_moment(moment.raw)) return false;
  std::int64_t time = moment.raw % kMicrosPerDay;
  if (time < 0) time += kMicrosPerDay;
  Day day{static_cast<std::int32_t>((moment.raw - time) / kMicrosPerDay)};
  if (!shift(day, day, count)) return false;
  out.raw = day.raw * kMicrosPerDay + time;
  return true;
}

bool shift_seconds(Moment& out, Moment moment, std::int64_t count) {
  out.raw = 0;
  if (!is_moment(moment.raw) || !is_near(count)) return false;
  out.raw = moment.raw + count * kMicrosPerSecond;
  return is_moment(out.raw);
}

}  // namespace

bool add_total_functions(duckdb_connection connection) {
  const VectorFunction functions[] = {
      vector_function<square_root>("discreet_sqrt"),
      vector_function<natural_logarithm>("discreet_ln"),
      vector_function<logarithm_10>("discreet_log10"),
      vector_function<logarithm_2>("discreet_log2"),
      vector_function<sine>("discreet_sin"),
      vector_function<cosine>("discreet_cos"),
      vector_function<divide>("discreet_divide"),
      vector_function<modulo>("discreet_modulo"),
      vector_function<number>("discreet_number"),
      vector_function<moderate>("discreet_moderate"),
      vector_function<grid>("discreet_grid"),
      null_if_function<bool, &same<bool>>("discreet_nullif_boolean", DUCKDB_TYPE_BOOLEAN),
      null_if_function<std::int64_t, &same<std::int64_t>>("discreet_nullif_integer",
                                                          DUCKDB_TYPE_BIGINT),
      null_if_function<double, &same_number>("discreet_nullif_double", DUCKDB_TYPE_DOUBLE),
      null_if_function<std::int32_t, &same<std::int32_t>>("discreet_nullif_date", DUCKDB_TYPE_DATE),
      null_if_function<std::int64_t, &same<std::int64_t>>("discreet_nullif_timestamp",
                                                          DUCKDB_TYPE_TIMESTAMP),
      null_if_function<duckdb_string_t, &same_text>("discreet_nullif_text", DUCKDB_TYPE_VARCHAR),
      vector_function<date>("discreet_date"),
      vector_function<timestamp>("discreet_timestamp"),
      vector_function<&shift_days>("discreet_date_days"),
      vector_function<&shift_months>("discreet_date_months"),
      vector_function<&shift_moment<shift_days>>("discreet_timestamp_days"),
      vector_function<&shift_moment<shift_months>>("discreet_timestamp_months"),
      vector_function<&shift_seconds>("discreet_timestamp_seconds"),
  };
  return add_text_functions(connection) &&
         std::all_of(std::begin(functions), std::end(functions),
                     [&](const VectorFunction& one) { return add_function(connection, one); });
}

}  // namespace discreet::engine::duckdb
