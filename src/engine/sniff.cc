#include "discreet/engine/sniff.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <filesystem>

#include "discreet/engine/schema.h"

namespace discreet::engine {

Result<std::vector<std::pair<std::string, sql::Type>>> sniff(const std::string& file) {
  if (!std::filesystem::is_regular_file(file))
    return fail(Code::kFailure, fmt::format("there is no file '{}'", file));
  std::string ending = std::filesystem::path(file).extension().string();
  const std::string path = sql::quote_text(std::filesystem::absolute(file).string());
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
  std::vector<std::pair<std::string, sql::Type>> out;
  bool ok = duckdb_open(nullptr, &database) == DuckDBSuccess &&
            duckdb_connect(database, &connection) == DuckDBSuccess;
  const auto columns = ok ? stored_columns(connection, source) : std::nullopt;
  ok = columns.has_value();
  if (ok)
    for (const sql::StoredColumn& column : *columns)
      // What a text file holds beside the known types is a text.
      if (column.unreadable.empty() || ending != ".parquet")
        out.emplace_back(column.name, column.type);
  if (connection) duckdb_disconnect(&connection);
  if (database) duckdb_close(&database);
  if (!ok) return fail(Code::kFailure, fmt::format("'{}' can't be read", file));
  return out;
}

}  // namespace discreet::engine
