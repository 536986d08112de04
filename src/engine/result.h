// What DuckDB gives back: a result that is destroyed with its scope, and the values in it.
#pragma once

#include <duckdb.h>

#include "discreet/bound/wide.h"
#include "discreet/sql/value.h"

namespace discreet::engine {

class ResultHolder {
 public:
  ~ResultHolder() { duckdb_destroy_result(&result); }
  duckdb_result result{};
};

sql::Value read_value(duckdb_vector vector, idx_t row, sql::Type type);
bound::Wide read_hugeint(duckdb_vector vector, idx_t row);

}  // namespace discreet::engine
