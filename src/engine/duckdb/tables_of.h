// What a DuckDB file holds, by name: for the owner, who names a file and means all of it. Queries
// never ask.
#pragma once

#include <string>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::engine::duckdb {

struct StoredTable {
  std::string name;
  bool is_view = false;
};

// Those of the schema main, in the order of their names.
Result<std::vector<StoredTable>> tables_of(const std::string& file);

}  // namespace discreet::engine::duckdb
