#include "discreet/engine/duckdb/vector_function.h"

namespace discreet::engine::duckdb {

bool add_function(duckdb_connection connection, const VectorFunction& function) {
  duckdb_scalar_function made = duckdb_create_scalar_function();
  duckdb_scalar_function_set_name(made, function.name);
  for (const duckdb_type takes : function.takes) {
    duckdb_logical_type type = duckdb_create_logical_type(takes);
    duckdb_scalar_function_add_parameter(made, type);
    duckdb_destroy_logical_type(&type);
  }
  duckdb_logical_type type = duckdb_create_logical_type(function.gives);
  duckdb_scalar_function_set_return_type(made, type);
  duckdb_destroy_logical_type(&type);
  duckdb_scalar_function_set_special_handling(made);  // of NULLs: its own
  duckdb_scalar_function_set_function(made, function.run);
  const bool ok = duckdb_register_scalar_function(connection, made) == DuckDBSuccess;
  duckdb_destroy_scalar_function(&made);
  return ok;
}

}  // namespace discreet::engine::duckdb
