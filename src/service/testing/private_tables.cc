#include "discreet/service/testing/private_tables.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

namespace discreet::service::testing {

using std::string;

void PrivateTables::fill(const std::vector<Made>& tables, const Elsewhere* elsewhere) {
  PlainDuckdb duckdb;
  duckdb.run(fmt::format("ATTACH '{}' AS f", folder_ / "all.duckdb"));
  static int many = 0;  // a server may have been given others before
  const string schema = fmt::format("tables{}", many++);
  if (elsewhere) elsewhere->run("CREATE SCHEMA " + elsewhere->schema(schema));
  string rules;
  for (const auto& [name, sql, rule] : tables) {
    const string raw = name + "_raw";
    duckdb.run(fmt::format("CREATE TABLE {} AS {}", raw, sql));
    if (elsewhere)
      copy(duckdb, raw, "f." + name, *elsewhere, elsewhere->table(schema, name));
    else
      duckdb.run(fmt::format("CREATE TABLE f.{} AS FROM {}", name, raw));
    rules += fmt::format(
        "[tables.{0}]\nsource = \"{1}{0}\"\nmax_groups = 1\nmax_rows_per_group = 1\n{2}\n", name,
        elsewhere ? schema + "." : "all.duckdb#", rule);
  }
  duckdb.run("DETACH f");
  std::ofstream(folder_ / "p.toml") << fmt::format(
      "[policy]\nname = \"p\"\nunit = \"person\"\n{}\nledger = \"p.ledger\"\nbudget = {{ epsilon = "
      "1000000, delta = 0.5 }}\n{}",
      elsewhere ? elsewhere->head() : "", rules);
  auto opened = Service::open(folder_ / "p.toml", {.memory = 1'000'000'000, .threads = 1}, {},
                              Service::Runs::kHere);
  ASSERT_TRUE(opened) << opened.error().text();
  service_ = std::move(*opened);
}

std::vector<std::vector<policy::Value>> PrivateTables::rows(const string& question) {
  sql::Options options;
  options.epsilon = 10'000;
  refusal_.clear();
  auto plan = service_->plan(question, options);
  if (!plan) {
    refusal_ = plan.error().text();
    return {};
  }
  const auto reply = service_->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}});
  EXPECT_TRUE(reply) << question << ": " << reply.error().text();
  std::vector<std::vector<policy::Value>> out;
  if (!reply) return out;
  for (const auto& row : reply->answer.rows) {
    out.emplace_back();
    for (const auto& cell : row) out.back().push_back(cell.value);
  }
  return out;
}

std::vector<double> PrivateTables::ask(const string& question) {
  std::vector<double> out;
  for (const auto& row : rows(question)) out.push_back(row.back().as_number());
  return out;
}

}  // namespace discreet::service::testing
