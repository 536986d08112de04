// Files that hold every type there is, at its ends and with random bits (more of them where
// DISCREET_SLOW is set).
#pragma once

#include <duckdb.h>

#include <string>
#include <vector>

#include "discreet/service/testing/raw_parquet.h"

namespace discreet::service::testing {

// DuckDB as its C API has it.
class Database {
 public:
  explicit Database(const std::string& file);  // "": in memory
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  bool run(const std::string& sql);  // false: it failed, and why is on the error stream
  duckdb_connection connection = nullptr;

 private:
  duckdb_database database_ = nullptr;
};

struct Stored {
  std::string sql;    // the column's type
  int number;         // … as DuckDB's C API numbers it
  std::size_t bytes;  // 0: texts and the like
};
const std::vector<Stored>& stored();   // types that are read
const std::vector<Stored>& refused();  // types without a reader

struct RawStored {
  RawType type;
  std::size_t bytes;  // 0: texts
  bool readable = true;
};
const std::vector<RawStored>& raw_types();

// Tables t (all rows) and n (its first, an ordinary one, alone), with the columns u, s, and v0, v1,
// … of every type of stored(), or of raw_types().
void write_every_duckdb(const std::string& file);
void write_every_parquet(const std::string& place);  // t.parquet and n.parquet

}  // namespace discreet::service::testing
