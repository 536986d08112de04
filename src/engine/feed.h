// The functions that DuckDB's threads call with vectors of rows.
#pragma once

#include <duckdb.h>

#include <atomic>
#include <vector>

#include "discreet/bound/bounder.h"

namespace discreet::engine {

// What the feeding function needs to know; one for each query.
struct Feed {
  bound::Bounder* bounder;
  bool text_unit;
  std::vector<bound::Column::Kind> kinds;  // of keys, then slots
  std::size_t keys;
  std::atomic<bool> failed{false};
};

// Hands rows (the unit, keys, slots) to a Feed; fails where that has failed or is full.
void feed_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

// A column's numbers on a bound::Grid, for the direct way.
void grid_rows(duckdb_function_info info, duckdb_data_chunk input, duckdb_vector output);

}  // namespace discreet::engine
