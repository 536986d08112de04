#include "discreet/engine/duckdb/parquet.h"

#include <fmt/format.h>

#include <filesystem>

#include "discreet/engine/duckdb/hardened.h"
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
  // It can write the one file.
  const std::string path = std::filesystem::absolute(file).string();
  Hardened database = Hardened::unsealed();
  bool ok = database.connection() != nullptr && database.seal({path});
  ok = ok && database.execute(fmt::format("CREATE TABLE answer ({})", columns));
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
    ok = database.execute(fmt::format("INSERT INTO answer VALUES ({})", values));
  }
  ok = ok && database.execute(fmt::format("COPY answer TO {} (FORMAT parquet, USE_TMP_FILE false)",
                                          quote_text(path)));
  if (!ok) return fail(Code::kFailure, fmt::format("'{}' can't be written", file));
  return {};
}

}  // namespace discreet::engine::duckdb
