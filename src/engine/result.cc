#include "discreet/engine/result.h"

#include <string>

namespace discreet::engine {

using std::string;

sql::Value read_value(duckdb_vector vector, idx_t row, sql::Type type) {
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity && (validity[row / 64] >> (row % 64) & 1) == 0) return sql::Value::none(type);
  void* data = duckdb_vector_get_data(vector);
  switch (type) {
    case sql::Type::kText: {
      const duckdb_string_t& text = static_cast<const duckdb_string_t*>(data)[row];
      const std::uint32_t length = text.value.inlined.length;
      return sql::Value::text(
          string(length <= 12 ? text.value.inlined.inlined : text.value.pointer.ptr, length));
    }
    case sql::Type::kDouble:
      return sql::Value::number(static_cast<const double*>(data)[row]);
    default: {
      sql::Value out = sql::Value::integer(static_cast<const std::int64_t*>(data)[row]);
      out.type = type;
      return out;
    }
  }
}

bound::Wide read_hugeint(duckdb_vector vector, idx_t row) {
  const duckdb_hugeint& value =
      static_cast<const duckdb_hugeint*>(duckdb_vector_get_data(vector))[row];
  return (static_cast<bound::Wide>(value.upper) << 64) |
         static_cast<bound::UnsignedWide>(value.lower);
}

}  // namespace discreet::engine
