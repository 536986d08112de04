// What an expression says of a row depends on that row alone. DuckDB chooses among versions of some
// functions by what it knows of the whole column, and they don't agree: of a column that is all
// ASCII substr('A', -3, 2) is 'A', of one with a single Ω in it it is ''. One person's row would
// change what all the others count for.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/session.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

using std::string;

const std::vector<string> kConditions = {"substr(w, -3, 2) = 'k'", "substr(w, -7, 6) = 'k'",
                                         "w ILIKE '\u212a'",  // the Kelvin sign, a k
                                         "w NOT ILIKE '%\u212a'",  "lower(w) = 'k'",
                                         "length(w) = 1",          "left(w, -1) = ''",
                                         "right(w, 5) = 'k'",      "lpad(w, 2, 'x') = 'xk'"};

// For how many of a hundred people, and one more whose text is `last`, each condition holds.
std::vector<double> counts(const string& place, const string& format, const string& last) {
  std::filesystem::create_directories(place);
  testing::PlainDuckdb plain;
  plain.run(
      "CREATE TABLE rows AS SELECT i AS u, 'k' AS w FROM range(100) r(i) UNION ALL SELECT 100, '" +
      last + "'");
  if (format == "duckdb") {
    plain.run("ATTACH '" + place + "/t.duckdb' AS file");
    plain.run("CREATE TABLE file.t AS SELECT * FROM rows");
    plain.run("DETACH file");
  } else {
    plain.run("COPY rows TO '" + place + "/t.parquet'");
  }
  std::ofstream(place + "/policy.toml")
      << "[policy]\nname = \"others\"\nunit = \"person\"\nbudget = { epsilon = 1000000 }\n"
         "[tables.t]\nsource = \""
      << (format == "duckdb" ? "t.duckdb#t" : "t.parquet") << "\"\nkey = \"u\"\n";
  auto session = *Session::open(place + "/policy.toml", {.memory = 200'000'000, .threads = 1});
  sql::Options options;
  options.epsilon = 10'000;
  string query;
  for (const string& condition : kConditions)
    query += (query.empty() ? "SELECT COUNT(*) FILTER (WHERE " : ", COUNT(*) FILTER (WHERE ") +
             condition + ")";
  auto plan = session->plan(query + " FROM t", options);
  EXPECT_TRUE(plan) << plan.error().text();
  random::testing::Seeded bits(1);
  auto reply = session->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}}, bits);
  EXPECT_TRUE(reply) << reply.error().text();
  std::vector<double> out;
  for (const sql::Cell& cell : reply->answer.rows[0]) out.push_back(cell.value.as_number());
  return out;
}

TEST(OthersRows, DontDecideWhatAFunctionSaysOfOnesOwn) {
  ledger::testing::Folder folder;
  for (const string format : {"duckdb", "parquet"}) {
    const auto ascii = counts(folder / (format + "-ascii"), format, "z");
    const auto unicode = counts(folder / (format + "-unicode"), format, "Ω");
    for (std::size_t i = 0; i < kConditions.size(); ++i)
      EXPECT_NEAR(ascii[i], unicode[i], 1) << format << ": " << kConditions[i];
  }
}

}  // namespace
}  // namespace discreet::service
