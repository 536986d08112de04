// How DuckDB reads the policy's sources: every field cast totally, nothing sniffed.
#pragma once

#include <string>

#include "discreet/sql/catalog.h"

namespace discreet::engine {

class DuckdbDialect final : public sql::Dialect {
 public:
  explicit DuckdbDialect(const sql::Catalog& catalog) : catalog_(catalog) {}
  std::string scan(const sql::Relation& relation) const override;

 private:
  const sql::Catalog& catalog_;
};

// What stands after FROM for a source. CSV and JSON are read as text under the given column names.
std::string source_of(const sql::TableRule& rule, const std::vector<std::string>& columns);
// A .duckdb file is attached under this name.
std::string attached_name(const std::string& file);

// The names in the first line of a CSV file.
Result<std::vector<std::string>> csv_header(const sql::TableRule& rule);
// How queries see a stored type, by its name in DESCRIBE.
sql::StoredColumn stored_column(std::string name, const std::string& engine_type);

}  // namespace discreet::engine
