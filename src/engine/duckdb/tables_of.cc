#include "discreet/engine/duckdb/tables_of.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/result.h"

namespace discreet::engine::duckdb {
namespace {

// Closed with its scope. It loads no extension: a file can't make it do more than read itself.
struct Opened {
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;

  bool open() {
    duckdb_config config = nullptr;
    bool ok = duckdb_create_config(&config) == DuckDBSuccess;
    for (const char* name : {"autoload_known_extensions", "autoinstall_known_extensions",
                             "allow_community_extensions", "allow_unsigned_extensions"})
      ok = ok && duckdb_set_config(config, name, "false") == DuckDBSuccess;
    ok = ok && duckdb_open_ext(nullptr, &database, config, nullptr) == DuckDBSuccess &&
         duckdb_connect(database, &connection) == DuckDBSuccess;
    duckdb_destroy_config(&config);
    return ok;
  }
  bool run(const std::string& sql, duckdb_result* result) {
    return duckdb_query(connection, sql.c_str(), result) == DuckDBSuccess;
  }
  ~Opened() {
    if (connection != nullptr) duckdb_disconnect(&connection);
    if (database != nullptr) duckdb_close(&database);
  }
};

}  // namespace

Result<std::vector<StoredTable>> tables_of(const std::string& file) {
  const std::string path = std::filesystem::absolute(file).string();
  Opened opened;
  ResultHolder attached, listed;
  if (!opened.open() ||
      !opened.run(fmt::format("ATTACH {} AS source (READ_ONLY)", quote_text(path)),
                  &attached.result) ||
      !opened.run("SELECT table_name, false FROM duckdb_tables() WHERE database_name = 'source' "
                  "AND schema_name = 'main' UNION ALL SELECT view_name, true FROM duckdb_views() "
                  "WHERE database_name = 'source' AND schema_name = 'main' AND NOT internal "
                  "ORDER BY 1",
                  &listed.result))
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
