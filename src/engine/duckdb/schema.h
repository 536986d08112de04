// The columns of Parquet files and of tables in DuckDB files, from their metadata: no row is read.
//
// A column is readable where no value of it can make a query fail (stored_type.h). That is decided
// by its type alone, and so is the same for neighbours. Two things more are seen to, since DuckDB
// would calculate with values before any function of ours sees them: all files of a glob must have
// the same types (it casts the others to the first one's), and a table in a DuckDB file must be a
// table (a view, or a generated column, can hold any expression).
#pragma once

#include <vector>

#include "discreet/policy/catalog.h"

struct _duckdb_connection;

namespace discreet::engine::duckdb {

// The columns of `source`, which is what stands after FROM; nothing where that can't be read.
std::optional<std::vector<policy::StoredColumn>> stored_columns(_duckdb_connection* connection,
                                                                const std::string& source);
Result<std::vector<policy::StoredColumn>> parquet_columns(_duckdb_connection* connection,
                                                          const policy::TableRule& rule,
                                                          const std::string& source);
// … in a file that is attached under this name.
Result<std::vector<policy::StoredColumn>> duckdb_columns(_duckdb_connection* connection,
                                                         const policy::TableRule& rule,
                                                         const std::string& source,
                                                         const std::string& database);

}  // namespace discreet::engine::duckdb
