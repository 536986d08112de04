#include "discreet/service/testing/two_engines.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

namespace discreet::service::testing {
namespace {

using std::string;

// As PostgreSQL calls a type of the world's tables.
string server_type(const string& type) {
  if (type == "DOUBLE") return "double precision";
  if (type == "VARCHAR") return "text";
  if (type == "DECIMAL(18,4)") return "numeric(18, 4)";
  return type;  // BIGINT, INTEGER, SMALLINT, DATE, TIMESTAMP, BOOLEAN
}

string text_of(const string& path) {
  std::ifstream file(path);
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

}  // namespace

TwoEngines::TwoEngines(std::uint64_t seed, const ledger::testing::Postgres& server)
    : world_(std::make_unique<questions::World>(seed, folder_ / "data")) {
  const string schema = fmt::format("w{}", seed);
  copy(server, schema);
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
  there_ = opened(with("server", schema + ".$1",
                       fmt::format("engine = \"postgres\"\ndsn = \"{}\"", server.address())));
  if (!here_ || !there_) return;
  duckdb_ = std::move(*engine::duckdb::Duckdb::open(here_->policy(), limits));
  postgres_ = std::move(*engine::postgres::Postgres::open(there_->policy(), limits));
}

// PostgreSQL has no NUL in texts: there it is a question mark, in both places.
void TwoEngines::copy(const ledger::testing::Postgres& server, const string& schema) {
  auto& oracle = world_->oracle();
  oracle.run(fmt::format("ATTACH '{}' AS copy", folder_ / "copy.duckdb"));
  server.run(fmt::format("CREATE SCHEMA {0}", schema));
  for (const string table : {"t", "s", "l", "p"}) {
    std::vector<string> columns, cells, literals;
    for (const auto& column : oracle.run(fmt::format(
             "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = '{}_raw' "
             "ORDER BY column_index",
             table))) {
      const string& name = column[0];
      columns.push_back(fmt::format("{} {}", name, server_type(column[1])));
      cells.push_back(column[1] == "VARCHAR" ? fmt::format("replace({0}, chr(0), '?') AS {0}", name)
                                             : name);
      // Years before Christ are written otherwise.
      literals.push_back(
          fmt::format("CASE WHEN {0} IS NULL THEN 'NULL' ELSE '''' || replace(replace(CAST({0} AS "
                      "VARCHAR), '''', ''''''), ' (BC)', ' BC') || '''' END",
                      name));
    }
    oracle.run(fmt::format("CREATE TABLE copy.{0} AS SELECT {1} FROM {0}_raw", table,
                           fmt::join(cells, ", ")));
    server.run(fmt::format("CREATE TABLE {}.{} ({})", schema, table, fmt::join(columns, ", ")));
    for (const auto& row : oracle.run(
             fmt::format("SELECT {} FROM copy.{}", fmt::join(literals, " || ', ' || "), table)))
      server.run(fmt::format("INSERT INTO {}.{} VALUES ({})", schema, table, row[0]));
  }
  oracle.run("DETACH copy");
}

}  // namespace discreet::service::testing
