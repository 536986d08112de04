// The types that Parquet and DuckDB files may store, and how each is read: a closed list. What
// isn't on it has no reader that no value can make fail, and a column of it can't be asked about.
//
//   auto date = *stored_type(13);                          // DuckDB's number for DATE
//   std::string sql = read_as("\"born\"", date, policy::Type::kDate);  // discreet_date("born")
//   std::string text = read_as("\"born\"", date, policy::Type::kText);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/policy/value.h"

struct _duckdb_connection;

namespace discreet::engine::duckdb {

struct StoredType {
  int number;             // a duckdb_type
  std::string_view name;  // as DuckDB says it
  policy::Type seen;      // what queries see unless the policy says something else
  // Its SQL, with {} for the column: as what is seen, and where that loses digits, exactly as a
  // whole number (NULL where it is none) and as a text.
  const char* read;
  const char* as_whole = nullptr;
  const char* as_text = nullptr;
};

const std::vector<StoredType>& stored_types();
std::optional<StoredType> stored_type(int number);
// By DuckDB's name for it, as DESCRIBE says it: DECIMAL(18,3), JSON (a text).
std::optional<StoredType> type_named(std::string_view name);
// "BOOLEAN, TINYINT, …", for messages.
std::string stored_type_names();

// Whether it is read without any change: then it is NULL just where the file says so.
bool is_plain(const StoredType& stored);

// The SQL that reads a column as a type it can be cast to (policy::can_cast).
std::string read_as(const std::string& column, const StoredType& stored, policy::Type type);

// The functions that it calls, beside those of engine/duckdb/total.h.
bool add_readers(_duckdb_connection* connection);

}  // namespace discreet::engine::duckdb
