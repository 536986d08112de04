// The text readers as a table function of DuckDB's: discreet_rows_0(form, files, columns) has all
// columns as VARCHAR, and reads those that a query needs. DuckDB's own readers of CSV and JSON
// start in the middle of files and go on where they believe a record to start, which one person's
// quoted line breaks can mislead; these don't (csv.h, json.h, json_array.h).
#pragma once

#include <set>
#include <string>

#include "discreet/engine/duckdb/blocks.h"

struct _duckdb_connection;  // what a duckdb_connection points to; its header is DuckDB's own

namespace discreet::engine::duckdb {

inline constexpr const char* kRowsFunction = "discreet_rows";  // and the number of a seat
// The forms: records of comma- or tab-separated values, JSON objects on lines or in an array.
inline constexpr const char *kCommaForm = "comma", *kTabForm = "tab", *kLinesForm = "lines",
                            *kArrayForm = "array";
// Other files than these can't be read by it. `reading` must outlive the connection.
bool add_rows_function(_duckdb_connection* connection, const std::string& name,
                       std::set<std::string> files, Reading* reading);

}  // namespace discreet::engine::duckdb
