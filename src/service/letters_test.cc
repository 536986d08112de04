// Every letter of Unicode that has another case: the engines say what DuckDB says. (All are below
// 2^17; beyond that planes are ideographs, marks and private.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

using std::string;

class Letters : public ::testing::Test {
 protected:
  // Letters that either case changes, by what is written; `head` says where the table is.
  std::map<string, string> changed(const string& head, const string& source) {
    const string path = folder_ / "letters.toml";
    std::ofstream(path) << fmt::format(
        "[policy]\nname = \"l\"\nunit = \"person\"\n{}budget = {{ epsilon = 1 }}\n"
        "[tables.letters]\nsource = \"{}\"\npublic = true\n",
        head, source);
    std::map<string, string> out;
    auto service = Service::open(path, {.memory = 1'000'000'000, .threads = 1});
    EXPECT_TRUE(service) << service.error().text();
    if (!service) return out;
    auto plan = (*service)->plan(
        "SELECT k, lower(k) AS l, upper(k) AS u FROM letters WHERE lower(k) <> k OR upper(k) <> k",
        {});
    EXPECT_TRUE(plan) << plan.error().text();
    if (!plan) return out;
    const auto reply = (*service)->ask(*plan, {});
    EXPECT_TRUE(reply) << reply.error().text();
    if (!reply) return out;
    for (const auto& row : reply->answer.rows)
      out[row[0].value.string] = row[1].value.string + " " + row[2].value.string;
    return out;
  }
  std::map<string, string> in_duckdb() {
    testing::PlainDuckdb duckdb;
    duckdb.run(fmt::format("ATTACH '{}' AS f", folder_ / "letters.duckdb"));
    duckdb.run(
        "CREATE TABLE f.letters AS SELECT chr(CAST(n AS INTEGER)) AS k FROM range(1, 131072) "
        "AS r(n) WHERE n NOT BETWEEN 55296 AND 57343");
    duckdb.run("DETACH f");
    return changed("", "letters.duckdb#letters");
  }
  static void compare(const std::map<string, string>& here, const std::map<string, string>& there) {
    EXPECT_GT(here.size(), 2700u);
    EXPECT_EQ(here.at("ß"), "ß ẞ");
    for (const auto& [letter, cases] : here) {
      const auto found = there.find(letter);
      EXPECT_EQ(found == there.end() ? "nothing" : found->second, cases) << letter;
    }
    for (const auto& [letter, cases] : there)
      EXPECT_TRUE(here.contains(letter)) << letter << " becomes " << cases;
  }

  ledger::testing::Folder folder_;
};

TEST_F(Letters, OfPostgresAreDuckdbs) {
  const ledger::testing::Postgres server;
  server.run(
      "CREATE TABLE letters AS SELECT chr(n) AS k FROM generate_series(1, 131071) AS n WHERE n "
      "NOT "
      "BETWEEN 55296 AND 57343");
  compare(
      in_duckdb(),
      changed(fmt::format("engine = \"postgres\"\ndsn = \"{}\"\n", server.address()), "letters"));
}

class LettersTrinoSlow : public Letters {};
TEST_F(LettersTrinoSlow, AreDuckdbs) {
  const auto& server = engine::testing::PrivateTrino::one();
  if (!server.running()) GTEST_SKIP() << server.why_not();
  server.run("CREATE SCHEMA IF NOT EXISTS memory.letters");
  server.run(
      "CREATE TABLE memory.letters.letters AS SELECT chr(a * 4096 + b) AS k FROM "
      "UNNEST(sequence(0, 31)) AS h(a) CROSS JOIN UNNEST(sequence(0, 4095)) AS l(b) WHERE a * "
      "4096 "
      "+ b > 0 AND a * 4096 + b NOT BETWEEN 55296 AND 57343");
  compare(in_duckdb(), changed(fmt::format("engine = \"trino\"\nurl = \"{}\"\ncatalog = "
                                           "\"memory\"\nuser = \"test\"\n",
                                           server.url()),
                               "letters.letters"));
}

}  // namespace
}  // namespace discreet::service
