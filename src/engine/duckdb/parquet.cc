#include "discreet/engine/duckdb/parquet.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <filesystem>

#include "discreet/engine/duckdb/print.h"

namespace discreet::engine::duckdb {

Status write_parquet(const plan::Answer& answer, const std::string& file) {
  std::vector<bool> intervals(answer.columns.size());
  for (const auto& row : answer.rows)
    for (std::size_t i = 0; i < row.size(); ++i)
      intervals[i] = intervals[i] || row[i].interval.has_value();
  std::string columns;
  for (std::size_t i = 0; i < answer.columns.size(); ++i) {
    const std::string& name = answer.columns[i];
    columns += fmt::format("{}{} {}", columns.empty() ? "" : ", ", quote_name(name),
                           engine_type(answer.types[i]));
    if (intervals[i])
      columns += fmt::format(", {} DOUBLE, {} DOUBLE", quote_name(name + "_lower"),
                             quote_name(name + "_upper"));
  }
  duckdb_database database = nullptr;
  duckdb_connection connection = nullptr;
  bool ok = duckdb_open(nullptr, &database) == DuckDBSuccess &&
            duckdb_connect(database, &connection) == DuckDBSuccess;
  const auto execute = [&](const std::string& sql) {
    duckdb_result result{};
    const bool done = duckdb_query(connection, sql.c_str(), &result) == DuckDBSuccess;
    duckdb_destroy_result(&result);
    return done;
  };
  ok = ok && execute(fmt::format("CREATE TABLE answer ({})", columns));
  for (std::size_t row = 0; ok && row < answer.rows.size(); ++row) {
    std::string values;
    for (std::size_t i = 0; i < answer.columns.size(); ++i) {
      const plan::Cell& cell = answer.rows[row][i];
      values += (values.empty() ? "" : ", ") + print(cell.value);
      if (intervals[i])
        values += cell.interval
                      ? fmt::format(", {}, {}", print(policy::Value::number(cell.interval->first)),
                                    print(policy::Value::number(cell.interval->second)))
                      : std::string(", NULL, NULL");
    }
    ok = execute(fmt::format("INSERT INTO answer VALUES ({})", values));
  }
  ok = ok && execute(fmt::format("COPY answer TO {} (FORMAT parquet, USE_TMP_FILE false)",
                                 quote_text(std::filesystem::absolute(file).string())));
  if (connection) duckdb_disconnect(&connection);
  if (database) duckdb_close(&database);
  if (!ok) return fail(Code::kFailure, fmt::format("'{}' can't be written", file));
  return {};
}

}  // namespace discreet::engine::duckdb
