// Every comparison of every odd number with every other, whole and real: the engines say what
// DuckDB says. NaN is the largest number and equals itself, which it does not everywhere.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "discreet/engine/testing/private_trino.h"
#include "discreet/service/testing/elsewhere.h"
#include "discreet/service/testing/open_table.h"

namespace discreet::service {
namespace {

using std::string;
using Strings = std::vector<string>;

const Strings kWholes = {"NULL", "0", "-1", "7", "9007199254740993"};
const Strings kReals = {"NULL", "'nan'",  "'inf'", "'-inf'",
                        "'0'",  "'-0.0'", "'7'",   "'9007199254740992'"};

// All pairs of all reals, with every whole number: rows of (n, i, y, z).
std::vector<Strings> numbers() {
  std::vector<Strings> out;
  for (const string& i : kWholes)
    for (const string& y : kReals)
      for (const string& z : kReals) out.push_back({std::to_string(out.size()), i, y, z});
  return out;
}

Strings comparisons() {
  Strings out;
  for (const char* symbol :
       {"=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"})
    for (const auto& [a, b] : {std::pair{"i", "y"},
                               {"y", "i"},
                               {"y", "z"},
                               {"y", "7"},
                               {"7.5", "y"},
                               {"i", "7.5"},
                               {"i", "CAST('nan' AS DOUBLE)"}})
      out.push_back(fmt::format("{} {} {}", a, symbol, b));
  for (const char* text :
       {"i IN (y, 7)", "y IN (i, z)", "y IN (7, 0)", "y IN (7, NULL)", "y NOT IN (z, 7)",
        "i BETWEEN y AND z", "y BETWEEN i AND z", "y NOT BETWEEN 0 AND 7", "nullif(y, z) IS NULL",
        "nullif(y, 7) IS NULL", "greatest(y, z) = y", "least(y, z) = y",
        "CASE y WHEN z THEN TRUE WHEN 7 THEN FALSE END", "coalesce(y, z) = z"})
    out.emplace_back(text);
  return out;
}

void compare(const testing::Elsewhere& elsewhere) {
  const ledger::testing::Folder folder;
  const auto rows = numbers();
  const Strings all = comparisons();
  {
    testing::PlainDuckdb duckdb;
    duckdb.run(fmt::format("ATTACH '{}' AS f", folder / "numbers.duckdb"));
    duckdb.run("CREATE TABLE raw (n BIGINT, i BIGINT, y DOUBLE, z DOUBLE)");
    string values;
    for (const Strings& row : rows)
      values += fmt::format("{}({})", values.empty() ? "" : ", ", fmt::join(row, ", "));
    duckdb.run("INSERT INTO raw VALUES " + values);
    elsewhere.run("CREATE SCHEMA " + elsewhere.schema("comparisons"));
    testing::copy(duckdb, "raw", "f.numbers", elsewhere, elsewhere.table("comparisons", "numbers"));
  }
  string question = "SELECT n";
  for (std::size_t q = 0; q < all.size(); ++q) question += fmt::format(", {} AS q{}", all[q], q);
  question += " FROM open";
  const auto here = testing::OpenTable(folder, "", "numbers.duckdb#numbers").rows(question),
             there =
                 testing::OpenTable(folder, elsewhere.head(), "comparisons.numbers").rows(question);
  ASSERT_EQ(here.size(), rows.size());
  ASSERT_EQ(there.size(), rows.size());
  bool equals_itself = false, whole_is_less = false;
  for (std::size_t n = 0; n < rows.size(); ++n)
    for (std::size_t q = 0; q < all.size(); ++q) {
      EXPECT_EQ(there[n][q + 1].show(), here[n][q + 1].show())
          << all[q] << " of " << fmt::format("{}", fmt::join(rows[n], " "));
      const bool nan = rows[n][2] == "'nan'", yes = here[n][q + 1].show() == "true";
      equals_itself |= nan && rows[n][3] == "'nan'" && all[q] == "y = z" && yes;
      whole_is_less |= nan && rows[n][1] == "7" && all[q] == "i < y" && yes;
    }
  // What IEEE's comparisons would say is not what is compared with.
  EXPECT_TRUE(equals_itself);
  EXPECT_TRUE(whole_is_less);
}

TEST(Comparisons, OfPostgresAreDuckdbs) {
  const ledger::testing::Postgres server;
  compare(testing::InPostgres(server));
}

TEST(ComparisonsTrinoSlow, AreDuckdbs) {
  const auto& server = engine::testing::PrivateTrino::one();
  if (!server.running()) GTEST_SKIP() << server.why_not();
  compare(testing::InTrino());
}

}  // namespace
}  // namespace discreet::service
