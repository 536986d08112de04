// The shortcuts give what the long way gives: a key that need not be read, a link that is followed
// once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

class Shortcuts : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("discreet-shortcuts-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // The one number that a question releases, at an ε at which noise is nothing.
  double ask(const std::string& tables, const std::string& query) {
    const std::string text =
        "[policy]\nname = \"s\"\nunit = \"person\"\nbudget = { epsilon = 1000000 }\n" + tables;
    auto policy = policy::Policy::parse(text, "s.toml", folder_.string());
    EXPECT_TRUE(policy) << policy.error().text();
    auto engine = *engine::duckdb::Duckdb::open(*policy, {.threads = 1});
    const policy::Catalog catalog = *policy::make_catalog(*policy, *engine->schemas());
    sql::Options options;
    options.epsilon = 1000;
    auto question =
        sql::check(*sql::parse(query), catalog, plan::tools(engine::duckdb::calculator()));
    EXPECT_TRUE(question) << question.error().text();
    auto plan = *plan::make_plan(*question, catalog, options);
    direct_ = plan.parts[0].direct;
    sql_ = engine->sql_of(plan.parts[0], catalog);
    return run_plan(*engine, catalog, plan, {})->rows[0][0].value.as_number();
  }

  std::filesystem::path folder_;
  bool direct_ = false;
  std::string sql_;
};

TEST_F(Shortcuts, RowsWithoutAKeyAreDroppedHoweverItIsFoundOut) {
  testing::PlainDuckdb plain;
  const auto write = [&](const std::string& name, const std::string& key) {
    plain.run("COPY (SELECT " + key + " AS u, 1.0::DOUBLE AS x FROM range(1000) t(i)) TO '" +
              (folder_ / name).string() + "' (FORMAT parquet)");
  };
  write("all.parquet", "i");
  write("some.parquet", "CASE WHEN i % 10 > 0 THEN i END");
  const auto table = [](const std::string& files) {
    return "[tables.t]\nsource = \"" + files + "\"\nkey = \"u\"\nrows_per_unit = 1\n";
  };
  EXPECT_NEAR(ask(table("all.parquet"), "SELECT COUNT(*) FROM t"), 1000, 1);
  EXPECT_TRUE(direct_);
  EXPECT_NEAR(ask(table("some.parquet"), "SELECT COUNT(*) FROM t"), 900, 1);
  EXPECT_TRUE(direct_);
  // one file of two has rows without a key
  EXPECT_NEAR(ask(table("*.parquet"), "SELECT COUNT(*) FROM t"), 1900, 1);
}

// Visit 1 is listed for two people, so its prescriptions are both people's: once for each.
TEST_F(Shortcuts, ALinkFollowedOnceGivesTheSameRows) {
  std::ofstream(folder_ / "visits.csv") << "visit,person\n1,ann\n1,bob\n2,ann\n2,ann\n3,\n";
  std::ofstream(folder_ / "drugs.csv") << "visit,n\n1,1\n1,1\n2,1\n3,1\n4,1\n";
  const std::string tables =
      "[tables.visits]\nsource = \"visits.csv\"\nkey = \"person\"\n[tables.drugs]\nsource = "
      "\"drugs.csv\"\nlink = { column = \"visit\", to = \"visits.visit\" }\nmax_rows_per_group = "
      "100\n";
  const auto scans = [&] {
    std::size_t count = 0;
    for (std::size_t at = sql_.find("visits.csv"); at != std::string::npos;
         at = sql_.find("visits.csv", at + 1))
      ++count;
    return count;
  };
  // the link alone: two of visit 1 for ann and for bob, one of visit 2
  EXPECT_NEAR(ask(tables, "SELECT COUNT(*) FROM drugs"), 5, 1e-9);
  // joined with the visits: visit 2 is there twice
  for (const char* query :
       {"SELECT COUNT(*) FROM drugs d JOIN visits v ON d.visit = v.visit",
        "SELECT COUNT(*) FROM visits v, drugs d WHERE v.visit = d.visit",
        "SELECT COUNT(*) FROM (SELECT visit, person FROM visits) v JOIN drugs d USING (visit)"}) {
    EXPECT_NEAR(ask(tables, query), 6, 1e-9) << query;
    EXPECT_EQ(scans(), 1u) << query;
  }
  // … and that joined on the person again: 4 rows of ann's with her 3 visits, 2 of bob's with his 1
  EXPECT_NEAR(ask(tables,
                  "SELECT COUNT(*) FROM visits v JOIN (SELECT d.n, v.person FROM drugs d JOIN "
                  "visits v ON d.visit = v.visit) d ON v.person = d.person"),
              4 * 3 + 2, 1e-9);
}

}  // namespace
}  // namespace discreet::service
