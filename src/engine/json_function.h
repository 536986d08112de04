// json_array.h as a table function of DuckDB's: kJsonArrayFunction(files, columns) has the fields
// of all elements, as text.
#pragma once

#include <set>
#include <string>

struct _duckdb_connection;  // what a duckdb_connection points to; its header is DuckDB's own

namespace discreet::engine {

inline constexpr const char* kJsonArrayFunction = "discreet_json_array";
// Other files than these can't be read by it.
bool add_json_array(_duckdb_connection* connection, std::set<std::string> files);

}  // namespace discreet::engine
