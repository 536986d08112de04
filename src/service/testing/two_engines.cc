#include "discreet/service/testing/two_engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "discreet/engine/postgres/postgres.h"
#include "discreet/engine/testing/private_trino.h"
#include "discreet/engine/trino/trino.h"

namespace discreet::service::testing {
namespace {

using std::string;

string text_of(const string& path) {
  std::ifstream file(path);
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

}  // namespace

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

TwoEngines::TwoEngines(std::uint64_t seed, const Elsewhere& elsewhere)
    : elsewhere_(elsewhere), world_(std::make_unique<questions::World>(seed, folder_ / "data")) {
  const string schema = fmt::format("w{}", seed);
  copy(schema);
  const string rules = text_of(world_->policy());
  const auto with = [&](const string& where, const string& source, const string& head) {
    std::filesystem::create_directories(folder_ / where);
    string text = std::regex_replace(rules, std::regex("format = \"array\"\n"), "");
    text = std::regex_replace(text, std::regex("source = \"[^\"]*?([tslp])(\\.[a-z]+)?\""),
                              fmt::format("source = \"{}\"", source));
    text = std::regex_replace(text, std::regex("unit = \"person\""), "unit = \"person\"\n" + head);
    string path = folder_ / (where + "/policy.toml");
    std::ofstream(path) << text;
    return path;
  };
  std::filesystem::create_directories(folder_ / "file");
  std::filesystem::rename(folder_ / "copy.duckdb", folder_ / "file/all.duckdb");
  const engine::Limits limits{.memory = 1'000'000'000, .threads = 2};
  const auto opened = [&](const string& path) -> std::unique_ptr<Service> {
    auto service = Service::open(path, limits);
    EXPECT_TRUE(service) << service.error().text();
    return service ? std::move(*service) : nullptr;
  };
  here_ = opened(with("file", "all.duckdb#$1", ""));
  there_ = opened(with("server", schema + ".$1", elsewhere.head()));
  if (!here_ || !there_) return;
  duckdb_ = std::move(*engine::duckdb::Duckdb::open(here_->policy(), limits));
  server_ = elsewhere.open(there_->policy(), limits);
}

void TwoEngines::copy(const string& schema) {
  auto& oracle = world_->oracle();
  oracle.run(fmt::format("ATTACH '{}' AS copy", folder_ / "copy.duckdb"));
  elsewhere_.run("CREATE SCHEMA " + elsewhere_.schema(schema));
  for (const string table : {"t", "s", "l", "p"}) {
    std::vector<string> columns, cells, literals;
    for (const auto& column : oracle.run(fmt::format(
             "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{}_raw' "
             "ORDER BY column_index",
             table))) {
      columns.push_back(fmt::format("{} {}", column[0], elsewhere_.type(column[1])));
      cells.push_back(fmt::format("{} AS {}", elsewhere_.cell(column[0], column[1]), column[0]));
      literals.push_back(elsewhere_.literal(column[0], column[1]));
    }
    oracle.run(fmt::format("CREATE TABLE copy.{0} AS SELECT {1} FROM {0}_raw", table,
                           fmt::join(cells, ", ")));
    const string there = elsewhere_.table(schema, table);
    elsewhere_.run(fmt::format("CREATE TABLE {} ({})", there, fmt::join(columns, ", ")));
    string rows;
    std::size_t held = 0;
    const auto flush = [&] {
      if (held > 0) elsewhere_.run(fmt::format("INSERT INTO {} VALUES {}", there, rows));
      rows.clear();
      held = 0;
    };
    for (const auto& row : oracle.run(
             fmt::format("SELECT {} FROM copy.{}", fmt::join(literals, " || ', ' || "), table))) {
      rows += fmt::format("{}({})", held > 0 ? ", " : "", row[0]);
      if (++held == elsewhere_.rows_at_once()) flush();
    }
    flush();
  }
  oracle.run("DETACH copy");
}

}  // namespace discreet::service::testing
