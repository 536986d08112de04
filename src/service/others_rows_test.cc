// What an expression says of a row depends on that row alone. DuckDB chooses among versions of some
// functions by what it knows of the whole column, and they don't agree: of a column that is all
// ASCII substr('A', -3, 2) is 'A', of one with a single Ω in it it is ''. One person's row would
// change what all the others count for.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "discreet/ledger/testing/places.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"
#include "discreet/service/testing/raw_parquet.h"

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
  auto session = *Service::open(place + "/policy.toml", {.memory = 200'000'000, .threads = 1}, {},
                                Service::Runs::kHere);
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
  for (const plan::Cell& cell : reply->answer.rows[0]) out.push_back(cell.value.as_number());
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

// For how many people a condition holds that the engine could hand to the reader of the file.
double count_where(Service& session, const string& condition) {
  sql::Options options;
  options.epsilon = 10'000;
  auto plan = session.plan("SELECT COUNT(*) FROM t WHERE " + condition, options);
  EXPECT_TRUE(plan) << plan.error().text();
  random::testing::Seeded bits(1);
  auto reply = session.ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}}, bits);
  EXPECT_TRUE(reply) << reply.error().text();
  return reply->answer.rows[0][0].value.as_number();
}

std::unique_ptr<Service> about_parquet(const string& place) {
  std::ofstream(place + "/policy.toml")
      << "[policy]\nname = \"others\"\nunit = \"person\"\nbudget = { epsilon = 1000000 }\n"
         "[tables.t]\nsource = \"t.parquet\"\nkey = \"u\"\n";
  return std::move(*Service::open(place + "/policy.toml", {.memory = 200'000'000, .threads = 1}, {},
                                  Service::Runs::kHere));
}

// A Parquet reader skips row groups by their smallest and largest value, which leave NaN out, and
// by Bloom filters, which tell −0 from 0: one person's row decided whether a thousand others were
// read.
TEST(OthersRows, DontDecideWhetherOnesOwnIsRead) {
  ledger::testing::Folder folder;
  testing::PlainDuckdb plain;
  const auto plainly = [&](const string& place, const string& condition) {
    return std::stod(
        plain.run("SELECT count(*) FROM '" + place + "/t.parquet' WHERE " + condition)[0][0]);
  };
  // NaN for a third of the people, and perhaps one person at 200.
  std::vector<string> places;
  for (const bool one_more : {false, true}) {
    places.push_back(folder / (one_more ? "nan-more" : "nan"));
    std::filesystem::create_directories(places.back());
    std::vector<std::int64_t> units;
    std::vector<double> values;
    for (int i = one_more ? -1 : 0; i < 3000; ++i) {
      units.push_back(i);
      values.push_back(i < 0 ? 200 : i % 3 == 0 ? std::nan("") : i % 50);
    }
    testing::write_parquet(places.back() + "/t.parquet",
                           {testing::raw_wholes("u", units), testing::raw_reals("x", values)});
  }
  EXPECT_GT(std::abs(plainly(places[0], "x > 100") - plainly(places[1], "x > 100")), 100);
  auto without = about_parquet(places[0]), with = about_parquet(places[1]);
  for (const string condition : {"x > 100", "x >= 200", "x = CAST('nan' AS DOUBLE)", "x < 1",
                                 "x BETWEEN 100 AND 1e300", "NOT (x <= 100)", "x <> 7"})
    EXPECT_NEAR(count_where(*without, condition), count_where(*with, condition), 1) << condition;
  // −0 for a third, and perhaps one person with a 0 before them.
  for (const char* which : {"", " WHERE i <> 2"}) {
    places.push_back(folder / (*which ? "zero" : "zero-more"));
    std::filesystem::create_directories(places.back());
    plain.run(
        "COPY (SELECT i AS u, CASE WHEN i % 3 = 0 THEN 1e0 WHEN i % 3 = 1 THEN -1e0 WHEN i = 2 "
        "THEN "
        "0e0 ELSE -0e0 END AS x FROM range(6000) r(i)" +
        string(which) + " ORDER BY i) TO '" + places.back() + "/t.parquet'");
  }
  EXPECT_GT(std::abs(plainly(places[2], "x = 0") - plainly(places[3], "x = 0")), 100);
  with = about_parquet(places[2]), without = about_parquet(places[3]);
  for (const string condition : {"x = 0", "x IN (0, 7)", "x >= 0 AND x <= 0", "x = 0 OR x = 5"})
    EXPECT_NEAR(count_where(*without, condition), count_where(*with, condition), 1) << condition;
}

}  // namespace
}  // namespace discreet::service
