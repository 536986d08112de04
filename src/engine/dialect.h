// How DuckDB reads the policy's sources: every field cast totally, nothing sniffed.
#pragma once

#include <set>
#include <string>

#include "discreet/sql/catalog.h"

namespace discreet::engine {

class DuckdbDialect final : public sql::Dialect {
 public:
  // Of the tables in `complete` every row is known to have its key, so it need not be asked for.
  explicit DuckdbDialect(const sql::Catalog& catalog, std::set<std::string> complete = {})
      : catalog_(catalog), complete_(std::move(complete)) {}
  std::string scan(const sql::Relation& relation) const override;

 private:
  const sql::Catalog& catalog_;
  const std::set<std::string> complete_;
};

// What stands after FROM for a source. CSV and JSON are read as text under the given column names.
std::string source_of(const sql::TableRule& rule, const std::vector<std::string>& columns);
// A .duckdb file is attached under this name.
std::string attached_name(const std::string& file);

// The names in the first line of a CSV file.
Result<std::vector<std::string>> csv_header(const sql::TableRule& rule);

}  // namespace discreet::engine
