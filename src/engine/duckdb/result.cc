#include "discreet/engine/duckdb/result.h"

#include <string>

namespace discreet::engine::duckdb {

using std::string;

bool has_types(duckdb_result& result, const std::vector<duckdb_type>& types) {
  if (duckdb_column_count(&result) != types.size()) return false;
  for (std::size_t i = 0; i < types.size(); ++i)
    if (duckdb_column_type(&result, i) != types[i]) return false;
  return true;
}

duckdb_type travels_as(policy::Type type) {
  switch (type) {
    case policy::Type::kText:
      return DUCKDB_TYPE_VARCHAR;
    case policy::Type::kDouble:
      return DUCKDB_TYPE_DOUBLE;
    case policy::Type::kBool:
    case policy::Type::kInt:
    case policy::Type::kDate:
    case policy::Type::kTimestamp:
      break;
  }
  return DUCKDB_TYPE_BIGINT;
}

policy::Value read_value(duckdb_vector vector, idx_t row, policy::Type type) {
  const std::uint64_t* validity = duckdb_vector_get_validity(vector);
  if (validity && (validity[row / 64] >> (row % 64) & 1) == 0) return policy::Value::none(type);
  void* data = duckdb_vector_get_data(vector);
  switch (type) {
    case policy::Type::kText: {
      const duckdb_string_t& text = static_cast<const duckdb_string_t*>(data)[row];
      const std::uint32_t length = text.value.inlined.length;
      return policy::Value::text(
          string(length <= 12 ? text.value.inlined.inlined : text.value.pointer.ptr, length));
    }
    case policy::Type::kDouble:
      // 0 and -0 are equal; which of them an aggregate gives depends on threads.
      return policy::Value::number(static_cast<const double*>(data)[row] + 0.0);
    case policy::Type::kBool:
    case policy::Type::kInt:
    case policy::Type::kDate:
    case policy::Type::kTimestamp: {
      policy::Value out = policy::Value::integer(static_cast<const std::int64_t*>(data)[row]);
      out.type = type;
      return out;
    }
  }
  return policy::Value::none(type);
}

bound::Wide read_hugeint(duckdb_vector vector, idx_t row) {
  const duckdb_hugeint& value =
      static_cast<const duckdb_hugeint*>(duckdb_vector_get_data(vector))[row];
  return (static_cast<bound::Wide>(value.upper) << 64) |
         static_cast<bound::UnsignedWide>(value.lower);
}

}  // namespace discreet::engine::duckdb
