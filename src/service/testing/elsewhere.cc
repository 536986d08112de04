#include "discreet/service/testing/elsewhere.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "discreet/engine/postgres/postgres.h"
#include "discreet/engine/testing/private_trino.h"
#include "discreet/engine/trino/trino.h"

namespace discreet::service::testing {

using std::string;

// PostgreSQL has no NUL in texts: there it is a question mark, in both places.
string InPostgres::cell(const string& column, const string& duckdb) const {
  return duckdb == "VARCHAR" ? fmt::format("replace({0}, chr(0), '?')", column) : column;
}
string InPostgres::type(const string& duckdb) const {
  if (duckdb == "DOUBLE") return "double precision";
  if (duckdb == "VARCHAR") return "text";
  if (duckdb == "DECIMAL(18,4)") return "numeric(18, 4)";
  return duckdb;  // BIGINT, INTEGER, SMALLINT, DATE, TIMESTAMP, BOOLEAN
}
// Years before Christ are written otherwise.
string InPostgres::literal(const string& column, const string& /*duckdb*/) const {
  return fmt::format(
      "CASE WHEN {0} IS NULL THEN 'NULL' ELSE '\'\'' || replace(replace(CAST({0} AS VARCHAR), "
      "'\'\'', '\'\'\'\''), ' (BC)', ' BC') || '\'\'' END",
      column);
}
string InPostgres::head() const {
  return fmt::format("engine = \"postgres\"\ndsn = \"{}\"", server_.address());
}
std::unique_ptr<engine::Engine> InPostgres::open(const policy::Policy& policy,
                                                 const engine::Limits& limits) const {
  return std::move(*engine::postgres::Postgres::open(policy, limits));
}
const bound::Hashing& InPostgres::hashing() const { return engine::postgres::Postgres::hashing(); }
string InPostgres::sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) const {
  return *engine::postgres::Postgres::sql_of(part, catalog);
}

void InTrino::run(const string& sql) const { engine::testing::PrivateTrino::one().run(sql); }
string InTrino::type(const string& duckdb) const {
  return duckdb == "TIMESTAMP" ? "TIMESTAMP(6)" : duckdb;
}
// Trino's calendar has no infinity; what no query sees anyway is NULL in both places.
string InTrino::cell(const string& column, const string& duckdb) const {
  if (duckdb == "VARCHAR") return fmt::format("replace({0}, chr(0), '?')", column);
  if (duckdb == "DATE" || duckdb == "TIMESTAMP")
    return fmt::format("CASE WHEN year({0}) BETWEEN 1 AND 9999 THEN {0} END", column);
  return column;
}
string InTrino::literal(const string& column, const string& duckdb) const {
  const string text = duckdb == "DOUBLE"
                          ? fmt::format(
                                "CASE WHEN isnan({0}) THEN 'NaN' WHEN isinf({0}) THEN CASE "
                                "WHEN {0} < 0 THEN '-Infinity' ELSE 'Infinity' END ELSE "
                                "CAST({0} AS VARCHAR) END",
                                column)
                          : fmt::format("CAST({} AS VARCHAR)", column);
  return fmt::format(
      "CASE WHEN {0} IS NULL THEN 'CAST(NULL AS {2})' ELSE 'CAST(\'\'' || replace({1}, '\'\'', "
      "'\'\'\'\'') || '\'\' AS {2})' END",
      column, text, type(duckdb));
}
string InTrino::head() const {
  return fmt::format("engine = \"trino\"\nurl = \"{}\"\ncatalog = \"memory\"\nuser = \"test\"",
                     engine::testing::PrivateTrino::one().url());
}
std::unique_ptr<engine::Engine> InTrino::open(const policy::Policy& policy,
                                              const engine::Limits& limits) const {
  return std::move(*engine::trino::Trino::open(policy, limits));
}
const bound::Hashing& InTrino::hashing() const { return engine::trino::Trino::hashing(); }
string InTrino::sql_of(const plan::PlanPart& part, const policy::Catalog& catalog) const {
  return *engine::trino::Trino::sql_of(part, catalog, "memory");
}

void copy(PlainDuckdb& duckdb, const string& raw, const string& made, const Elsewhere& elsewhere,
          const string& table) {
  std::vector<string> columns, cells, literals;
  for (const auto& column : duckdb.run(fmt::format(
           "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{}' ORDER BY "
           "column_index",
           raw))) {
    columns.push_back(fmt::format("{} {}", column[0], elsewhere.type(column[1])));
    cells.push_back(fmt::format("{} AS {}", elsewhere.cell(column[0], column[1]), column[0]));
    literals.push_back(elsewhere.literal(column[0], column[1]));
  }
  duckdb.run(
      fmt::format("CREATE TABLE {} AS SELECT {} FROM {}", made, fmt::join(cells, ", "), raw));
  elsewhere.run(fmt::format("CREATE TABLE {} ({})", table, fmt::join(columns, ", ")));
  string rows;
  std::size_t held = 0;
  const auto flush = [&] {
    if (held > 0) elsewhere.run(fmt::format("INSERT INTO {} VALUES {}", table, rows));
    rows.clear();
    held = 0;
  };
  for (const auto& row :
       duckdb.run(fmt::format("SELECT {} FROM {}", fmt::join(literals, " || ', ' || "), made))) {
    rows += fmt::format("{}({})", held > 0 ? ", " : "", row[0]);
    if (++held == elsewhere.rows_at_once()) flush();
  }
  flush();
}

}  // namespace discreet::service::testing
