// The functions that DuckDB's threads call with vectors of rows.
#pragma once

#include <duckdb.h>

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "discreet/bound/bounder.h"

namespace discreet::engine::duckdb {

// What the feeding function needs to know; one for each query.
struct Feed {
  bound::Bounder* bounder;
  bool text_unit;
  std::vector<bound::Column::Kind> kinds;  // of keys, then slots
  std::size_t keys;
  std::atomic<bool> failed{false};
};

// What the functions look at while a query runs; empty at other times, when they fail.
struct FeedPlace {
  std::atomic<Feed*> feed = nullptr;
};
struct GridPlace {
  std::optional<bound::Grid> grid;
};

// Each adds a function to the database for good; the place must live as long. False: DuckDB
// refuses.
//
// Hands rows (the unit, keys, slots) to the Feed; fails where that has failed or is full.
bool add_feed_function(duckdb_connection connection, const std::string& name, FeedPlace* place);
// A column's numbers on the grid, for the direct way.
bool add_grid_function(duckdb_connection connection, const std::string& name, GridPlace* place);

}  // namespace discreet::engine::duckdb
