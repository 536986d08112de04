// What DuckDB gives back: a result that is destroyed with its scope, and the values in it.
#pragma once

#include <duckdb.h>

#include <vector>

#include "discreet/bound/wide.h"
#include "discreet/policy/value.h"

namespace discreet::engine::duckdb {

class ResultHolder {
 public:
  ~ResultHolder() { duckdb_destroy_result(&result); }
  duckdb_result result{};
};

// Whether the result's columns are of these types; what is read below
// counts on it.
bool has_types(duckdb_result& result, const std::vector<duckdb_type>& types);
// As a value of the type comes from the engine (plan_sql.h's `travelling`).
duckdb_type travels_as(policy::Type type);

policy::Value read_value(duckdb_vector vector, idx_t row, policy::Type type);
bound::Wide read_hugeint(duckdb_vector vector, idx_t row);

}  // namespace discreet::engine::duckdb
