// Every letter of Unicode that has another case: the engines say what DuckDB says. (All are below
// 2^17; beyond that planes are ideographs, marks and private.)
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/service/testing/elsewhere.h"
#include "discreet/service/testing/open_table.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

using std::string;

class Letters : public ::testing::Test {
 protected:
  // Letters that either case changes, by what is written.
  std::map<string, string> changed(const string& where, const string& source) {
    std::map<string, string> out;
    const testing::OpenTable letters(folder_, where, source);
    // One letter each: four times the case of a long text would be too dear for a row.
    for (const auto& row : letters.rows(
             "SELECT k, lower(k) AS l, upper(k) AS u FROM (SELECT left(k, 1) AS k FROM open) AS t "
             "WHERE lower(k) <> k OR upper(k) <> k"))
      out[row[0].string] = row[1].string + " " + row[2].string;
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
  compare(in_duckdb(), changed(testing::InPostgres(server).head(), "letters"));
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
  compare(in_duckdb(), changed(testing::InTrino().head(), "letters.letters"));
}

}  // namespace
}  // namespace discreet::service
