// How DuckDB reads the policy's sources: every field cast totally, nothing sniffed.
#pragma once

#include <set>
#include <string>

#include "discreet/engine/duckdb/print.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::duckdb {

class DuckdbDialect final : public Scans {
 public:
  // `rows_function` reads texts (rows_function.h). Of the tables in `complete` every row is known
  // to have its key, so it need not be asked for.
  DuckdbDialect(const policy::Catalog& catalog, std::string rows_function,
                std::set<std::string> complete = {})
      : catalog_(catalog),
        rows_function_(std::move(rows_function)),
        complete_(std::move(complete)) {}
  std::string scan(const sql::Relation& relation) const override;

 private:
  const policy::Catalog& catalog_;
  const std::string rows_function_;
  const std::set<std::string> complete_;
};

// What stands after FROM for a source. CSV and JSON are read as text under the given column names.
std::string source_of(const policy::TableRule& rule, const std::vector<std::string>& columns,
                      const std::string& rows_function);
// A .duckdb file is attached under this name.
std::string attached_name(const std::string& file);

// The names in the first line of a CSV file.
Result<std::vector<std::string>> csv_header(const policy::TableRule& rule);

}  // namespace discreet::engine::duckdb
