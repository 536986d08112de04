#include "discreet/sql/total.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

#include "discreet/sql/value.h"
#include "discreet/sql/vector_function.h"

namespace discreet::sql {
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

// The value, or NULL where it is the other one. As DuckDB compares: NaN is NaN.
template <class T>
bool null_if(T& out, T value, T other) {
  out = value;
  if constexpr (std::is_class_v<T>)
    return value.raw != other.raw;
  else
    return value != other && !(value != value && other != other);
}

void null_if_text(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
  duckdb_vector vectors[] = {duckdb_data_chunk_get_vector(input, 0),
                             duckdb_data_chunk_get_vector(input, 1)};
  const auto text = [&](int argument, idx_t row) -> std::optional<std::string_view> {
    if (!duckdb_validity_row_is_valid(duckdb_vector_get_validity(vectors[argument]), row))
      return std::nullopt;
    auto* texts = static_cast<duckdb_string_t*>(duckdb_vector_get_data(vectors[argument]));
    return std::string_view(duckdb_string_t_data(&texts[row]), duckdb_string_t_length(texts[row]));
  };
  for (idx_t row = 0; row < duckdb_data_chunk_get_size(input); ++row) {
    const auto value = text(0, row);
    if (value && value != text(1, row)) {
      duckdb_vector_assign_string_element_len(output, row, value->data(), value->size());
    } else {
      duckdb_vector_ensure_validity_writable(output);
      duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    }
  }
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
  const Civil civil = civil_from(day.raw);
  const std::int64_t month = civil.year * 12 + civil.month - 1 + count;
  if (month < 12 || month >= 10'000 * 12) return false;
  const auto first = [](std::int64_t at) {
    return days_from(at / 12, static_cast<unsigned>(at % 12) + 1, 1);
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
      vector_function<&null_if<bool>>("discreet_nullif_boolean"),
      vector_function<&null_if<std::int64_t>>("discreet_nullif_integer"),
      vector_function<&null_if<double>>("discreet_nullif_double"),
      vector_function<&null_if<Day>>("discreet_nullif_date"),
      vector_function<&null_if<Moment>>("discreet_nullif_timestamp"),
      {"discreet_nullif_text",
       {DUCKDB_TYPE_VARCHAR, DUCKDB_TYPE_VARCHAR},
       DUCKDB_TYPE_VARCHAR,
       null_if_text},
      vector_function<date>("discreet_date"),
      vector_function<timestamp>("discreet_timestamp"),
      vector_function<&shift_days>("discreet_date_days"),
      vector_function<&shift_months>("discreet_date_months"),
      vector_function<&shift_moment<shift_days>>("discreet_timestamp_days"),
      vector_function<&shift_moment<shift_months>>("discreet_timestamp_months"),
      vector_function<&shift_seconds>("discreet_timestamp_seconds"),
  };
  return std::all_of(std::begin(functions), std::end(functions),
                     [&](const VectorFunction& one) { return add_function(connection, one); });
}

}  // namespace discreet::sql
