// DuckDB's own parser, in an empty and sealed database: it only parses.
//
//   auto parsed = *sql::parse("SELECT COUNT(*) FROM visits", parser());
//   std::string table = parsed.query.from.table;  // visits
#pragma once

#include "discreet/sql/parser.h"

namespace discreet::engine::duckdb {

// One for the whole program; it may be asked from any thread.
const sql::Parser& parser();

}  // namespace discreet::engine::duckdb
