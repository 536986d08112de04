// A plan's rows as DuckDB's SQL: what the bounding is fed, and what is added up where nothing has
// to be bounded.
#pragma once

#include <string>
#include <vector>

#include "discreet/engine/duckdb/dialect.h"
#include "discreet/plan/plan.h"

namespace discreet::engine::duckdb {

// A value that leaves DuckDB: whole numbers for all but reals and texts.
std::string travelling(const std::string& expr, policy::Type type);

// The rows of a plan: u, k0, k1, …, s0, s1, …
std::string rows_sql(const plan::PlanPart& part, const DuckdbDialect& dialect, bool with_unit);

// The direct way: one row a unit is promised, so the engine's own aggregation adds up what each row
// brings; nothing where a number can't be had so. `grids` are the functions that put each slot's
// numbers on its grid. Columns: the number of rows, the keys, one HUGEINT for each statistic.
std::string direct_sql(const plan::PlanPart& part, const DuckdbDialect& dialect,
                       const std::vector<std::string>& grids);

}  // namespace discreet::engine::duckdb
