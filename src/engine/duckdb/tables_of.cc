#include "discreet/engine/duckdb/tables_of.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "discreet/engine/duckdb/hardened.h"
#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/result.h"

namespace discreet::engine::duckdb {

Result<std::vector<StoredTable>> tables_of(const std::string& file) {
  const std::string path = std::filesystem::absolute(file).string();
  // It loads no extension and reaches that file alone: one can't make it do more than read itself.
  Hardened opened = Hardened::unsealed();
  ResultHolder listed;
  constexpr const char* kList =
      "SELECT table_name, false FROM duckdb_tables() WHERE database_name = 'source' "
      "AND schema_name = 'main' UNION ALL SELECT view_name, true FROM duckdb_views() "
      "WHERE database_name = 'source' AND schema_name = 'main' AND NOT internal "
      "ORDER BY 1";
  if (!opened.execute(fmt::format("ATTACH {} AS source (READ_ONLY)", quote_text(path))) ||
      !opened.seal({path}) ||
      duckdb_query(opened.connection(), kList, &listed.result) != DuckDBSuccess)
    return fail(Code::kFailure, fmt::format("the database '{}' can't be opened", file),
                "is it a DuckDB file, and is no other program writing to it?");
  std::vector<StoredTable> out;
  for (idx_t row = 0; row < duckdb_row_count(&listed.result); ++row) {
    const std::unique_ptr<char, void (*)(void*)> name(duckdb_value_varchar(&listed.result, 0, row),
                                                      duckdb_free);
    out.push_back({name ? name.get() : "", duckdb_value_boolean(&listed.result, 1, row)});
  }
  return out;
}

}  // namespace discreet::engine::duckdb
