#include "discreet/engine/duckdb/sniff.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <filesystem>

#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/schema.h"

namespace discreet::engine::duckdb {

Result<std::vector<SniffedColumn>> sniff(const std::string& file) {
  if (!std::filesystem::is_regular_file(file))
    return fail(Code::kFailure, fmt::format("there is no file '{}'", file));
  std::string ending = std::filesystem::path(file).extension().string();
  const std::string path = quote_text(std::filesystem::absolute(file).string());
  std::string source;
  if (ending == ".parquet") source = fmt::format("read_parquet({})", path);
  if (ending == ".csv" || ending == ".tsv")
    source = fmt::format("read_csv({}, header = true)", path);
  if (ending == ".json" || ending == ".jsonl" || ending == ".ndjson")
    source = fmt::format("read_json({})", path);
  if (source.empty())
    return fail(Code::kUsage, fmt::format("'{}' is of no known kind", file),
                "accepted are .csv, .tsv, .parquet, .json, .jsonl and .ndjson");
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  std::vector<SniffedColumn> out;
  bool ok = duckdb_open(nullptr, &database) == DuckDBSuccess &&
            duckdb_connect(database, &connection) == DuckDBSuccess;
  std::optional<std::vector<policy::StoredColumn>> columns;
  if (ok && ending == ".parquet") {  // by the same eyes as queries
    policy::TableRule rule;
    rule.source = file;
    rule.from = policy::Files{policy::Form::kParquet, {std::filesystem::absolute(file).string()}};
    if (auto found = parquet_columns(connection, rule, source)) columns = std::move(*found);
  } else if (ok) {
    columns = stored_columns(connection, source);
  }
  ok = columns.has_value();
  if (ok)
    for (const policy::StoredColumn& column : *columns)
      // What a text file holds beside the known types is a text.
      out.push_back({column.name, column.type,
                     column.unreadable.empty() || ending != ".parquet"
                         ? ""
                         : fmt::format("{} ({})", column.unreadable, column.hint)});
  if (connection) duckdb_disconnect(&connection);
  if (database) duckdb_close(&database);
  if (!ok) return fail(Code::kFailure, fmt::format("'{}' can't be read", file));
  return out;
}

}  // namespace discreet::engine::duckdb
