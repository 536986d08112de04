// A C++ function of single values as a function that DuckDB calls with vectors of them.
//
//     bool half(double& out, double x) { out = x / 2; return x > 0; }  // false: NULL
//     vector_function<half>("discreet_half")
//
// It is called for every row with whatever bits lie there, those of NULLs too, so it must be total;
// a NULL among its arguments makes the result NULL. DuckDB calculates its arguments once, and knows
// nothing of the function that could make it calculate something else instead.
#pragma once

#include <duckdb.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace discreet::engine::duckdb {

// Values by what they stand for, as they lie in a vector.
struct Day {  // since 1970-01-01
  using Raw = std::int32_t;
  Raw raw;
};
template <int type>
struct Ticks {  // of some length, since 1970 or since midnight
  using Raw = std::int64_t;
  Raw raw;
};
using Moment = Ticks<DUCKDB_TYPE_TIMESTAMP>;

template <class T>
constexpr duckdb_type kEngineType = DUCKDB_TYPE_INVALID;
template <>
inline constexpr duckdb_type kEngineType<double> = DUCKDB_TYPE_DOUBLE;
template <>
inline constexpr duckdb_type kEngineType<std::int64_t> = DUCKDB_TYPE_BIGINT;
// (A text of more than 12 bytes is a pointer, which a NULL's is not: whoever takes one looks at its
// length first, and at no more than those.)
template <>
inline constexpr duckdb_type kEngineType<duckdb_string_t> = DUCKDB_TYPE_VARCHAR;
template <>
inline constexpr duckdb_type kEngineType<Day> = DUCKDB_TYPE_DATE;
template <int type>
inline constexpr duckdb_type kEngineType<Ticks<type>> = static_cast<duckdb_type>(type);

struct VectorFunction {
  const char* name;
  std::vector<duckdb_type> takes;
  duckdb_type gives;
  duckdb_scalar_function_t run;
};

// Makes it known to everything that uses the connection's database.
bool add_function(duckdb_connection connection, const VectorFunction& function);

template <auto f, class Signature = decltype(f)>
struct RowByRow;

template <auto f, class Out, class... In>
struct RowByRow<f, bool (*)(Out&, In...)> {
  static VectorFunction named(const char* name) {
    return {name, {kEngineType<In>...}, kEngineType<Out>, run};
  }

  static void run(duckdb_function_info /*info*/, duckdb_data_chunk input, duckdb_vector output) {
    run(input, output, std::index_sequence_for<In...>());
  }

 private:
  template <std::size_t... i>
  static void run(duckdb_data_chunk input, duckdb_vector output, std::index_sequence<i...>) {
    constexpr idx_t kWord = 64;
    const idx_t rows = duckdb_data_chunk_get_size(input);
    const std::tuple columns{
        static_cast<const In*>(duckdb_vector_get_data(duckdb_data_chunk_get_vector(input, i)))...};
    const std::array<const std::uint64_t*, sizeof...(In)> validity{
        duckdb_vector_get_validity(duckdb_data_chunk_get_vector(input, i))...};
    auto* out = static_cast<Out*>(duckdb_vector_get_data(output));
    std::uint64_t* nulls = nullptr;
    for (idx_t begin = 0; begin < rows; begin += kWord) {
      const idx_t count = std::min(kWord, rows - begin);
      std::uint64_t valid = 0;
      for (idx_t row = 0; row < count; ++row) {
        const bool has_value =
            f(out[begin + row], static_cast<In>(std::get<i>(columns)[begin + row])...);
        valid |= static_cast<std::uint64_t>(has_value) << row;
      }
      for (const std::uint64_t* known : validity)
        if (known) valid &= known[begin / kWord];
      const std::uint64_t all = ~std::uint64_t{0} >> (kWord - count);
      if (!nulls && (valid & all) != all) {
        duckdb_vector_ensure_validity_writable(output);
        nulls = duckdb_vector_get_validity(output);
      }
      if (nulls) nulls[begin / kWord] = valid | ~all;
    }
  }
};

template <auto f>
VectorFunction vector_function(const char* name) {
  return RowByRow<f>::named(name);
}

}  // namespace discreet::engine::duckdb
