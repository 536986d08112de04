// Several connections at once, and whatever goes wrong with them or with the server: it ends in one
// of a few fixed texts.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "discreet/engine/testing/on_postgres.h"
#include "discreet/engine/testing/told.h"
#include "discreet/plan/survey.h"

namespace discreet::engine::postgres {
namespace {

using engine::testing::kCouldNot;
using engine::testing::Server;
using std::string;

// --- several connections at once

// Connections that stay open help from the second query on, however small the table.
const Limits kMany{.queries = 8};

TEST_F(Server, SharesOfUnitsAddUpToAll) {
  server_->run(
      "CREATE ROLE alone LOGIN; CREATE ROLE four LOGIN; CREATE ROLE shy LOGIN CONNECTION LIMIT 1;"
      "ALTER ROLE alone SET max_parallel_workers_per_gather = 0;"
      "ALTER ROLE four SET max_parallel_workers_per_gather = 5;"
      "ALTER ROLE shy SET max_parallel_workers_per_gather = 4;"
      "GRANT SELECT ON ALL TABLES IN SCHEMA public TO alone, four, shy");
  for (const char* query : {"SELECT ward, COUNT(*), SUM(cost), MEDIAN(cost) FROM t GROUP BY ward",
                            "SELECT COUNT(*), COUNT(DISTINCT ward) FROM t WHERE cost > 20"}) {
    const auto by = [&](const string& user, unsigned shares) {
      auto one = asked(query, "visits", as(user), "columns.cost = { range = [0, 100] }\n", kMany);
      EXPECT_EQ(one.engine->shares(), shares);
      EXPECT_TRUE(one.engine->accepts(one.plan->parts[0], one.catalog, {}));
      auto found = run(one);
      for (int again = 0; again < 3; ++again) found = run(one);
      EXPECT_TRUE(found) << user;
      return found ? engine::testing::told(*found, one.plan->parts[0]) : std::vector<string>{};
    };
    const std::vector<string> all = by("alone", 1);
    EXPECT_FALSE(all.empty());
    EXPECT_EQ(by("four", 4), all);
    // Where the server lets us have one connection only, that one does it all.
    EXPECT_EQ(by("shy", 4), all);
  }
}

// … and those beside the first are closed: a role's connections are for others too.
TEST_F(Server, ConnectionsBesideTheFirstAreClosed) {
  server_->run(
      "CREATE ROLE many LOGIN; ALTER ROLE many SET max_parallel_workers_per_gather = 4; GRANT "
      "SELECT ON large TO many");
  // So large that the others are there before the first has done it all.
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "large", as("many"));
  EXPECT_EQ(one.engine->shares(), 4U);
  for (int again = 0; again < 3; ++again) EXPECT_TRUE(run(one));
  // A backend takes a moment to go; one that stays is seen however often it is looked for.
  const auto open = [] {
    return server_->run("SELECT count(*) FROM pg_stat_activity WHERE usename = 'many'");
  };
  for (int look = 0; look < 500 && open() != "1"; ++look) std::this_thread::yield();
  EXPECT_EQ(open(), "1");
}

// Keys that move while shares are read: each statement alone is right, and together they must be of
// one moment. Twin: begun without a common moment, the sum is off.
TEST_F(Server, SharesAreOfOneMoment) {
  server_->run("CREATE TABLE wandering AS SELECT i AS patient FROM generate_series(1, 2000) i");
  auto one = asked("SELECT COUNT(*) FROM t", "wandering", "", "", kMany);
  ASSERT_GT(one.engine->shares(), 1U);
  std::atomic<bool> over = false;
  std::jthread mover([&] {
    while (!over) server_->run("UPDATE wandering SET patient = patient + 2000");
  });
  for (int again = 0; again < 30; ++again) {
    const auto found = run(one);
    ASSERT_TRUE(found);
    EXPECT_EQ(engine::testing::told(*found, one.plan->parts[0])[0], ":, 2000");
  }
  over = true;
}

// A person's rows are counted, and the same rows weighed: were there more of them when they are
// weighed, they would count for more than one may. A snapshot alone doesn't see to it: a table that
// becomes a child of this one meanwhile brings rows that are older. So what was read is kept.
TEST_F(Server, RowsThatComeMeanwhileAreNotWeighed) {
  server_->run("CREATE TABLE growing AS SELECT 1 AS patient FROM generate_series(1, 300) i");
  auto one = asked("SELECT COUNT(*) FROM t", "growing", "", "max_rows = 100\n");
  const string sql = *one.engine->sql_of(one.plan->parts[0], one.catalog);
  ASSERT_NE(sql.find("points JOIN weighed"), string::npos) << sql;
  EXPECT_NE(sql.find("points AS MATERIALIZED ("), string::npos) << sql;
  std::atomic<bool> over = false;
  std::jthread writer([&] {
    while (!over) server_->run("INSERT INTO growing SELECT 1 FROM generate_series(1, 100)");
  });
  for (int again = 0; again < 20; ++again) {
    const auto found = run(one);
    ASSERT_TRUE(found) << found.error().text();
    const auto lines = engine::testing::told(*found, one.plan->parts[0]);
    ASSERT_FALSE(lines.empty());
    // In units of 1/1024, where it isn't a whole number.
    const double rows = std::stod(lines[0].substr(3));
    EXPECT_LE(lines[0].find('/') == string::npos ? rows : rows / 1024, 100) << lines[0];
  }
  over = true;
}

// The same of a survey, in which a person's rows share one unit.
TEST_F(Server, RowsThatComeMeanwhileShareNothing) {
  server_->run(
      "CREATE TABLE swelling AS SELECT 1 AS patient, i AS x FROM generate_series(1, 300) i");
  auto one = asked("SELECT SUM(x) FROM t", "swelling");
  ASSERT_FALSE(one.plan->settled());
  const plan::PlanPart survey = plan::survey_part(one.plan->parts[0]);
  const string sql = *one.engine->sql_of(survey, one.catalog);
  ASSERT_NE(sql.find("points JOIN units"), string::npos) << sql;
  EXPECT_NE(sql.find("points AS MATERIALIZED ("), string::npos) << sql;
}

TEST_F(Server, OneNumberIsOnePersonHoweverItIsWritten) {
  server_->run(
      "CREATE TABLE scaled(patient numeric); INSERT INTO scaled SELECT (7 || '.' || repeat('0', i "
      "% "
      "20))::numeric FROM generate_series(1, 500) i");
  auto one = asked("SELECT COUNT(DISTINCT patient) FROM t", "scaled");
  const auto found = run(one);
  ASSERT_TRUE(found);
  EXPECT_EQ(engine::testing::told(*found, one.plan->parts[0])[0], ": 1 units, 1");
}

// --- faults: a fixed text, and the next query is answered

TEST_F(Server, AConnectionThatIsLostIsOpenedAgain) {
  auto one = asked("SELECT COUNT(*) FROM t");
  server_->run(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = "
      "'discreet'");
  EXPECT_TRUE(run(one));
}

TEST_F(Server, AServerThatDiesMeanwhileSaysNothing) {
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "large");
  // Ends the query as soon as it is seen; asked again and again, for whoever is slow.
  std::atomic<bool> done = false;
  std::thread killer([&] {
    while (!done)
      server_->run(
          "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = "
          "'discreet' "
          "AND query LIKE 'WITH rows%' AND state = 'active'");
  });
  const auto found = run(one);
  done = true;
  killer.join();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
  EXPECT_TRUE(run(one));
}

TEST_F(Server, AFullDiskSaysNothing) {
  // Different values need whole rows, which are sorted.
  auto one = asked("SELECT ward, COUNT(DISTINCT cost) FROM t GROUP BY ward", "large", as("small"));
  const auto found = run(one);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
}

TEST_F(Server, ATableThatIsGoneSaysNothing) {
  server_->run("CREATE TABLE passing AS SELECT patient, ward, cost FROM visits");
  auto one = asked("SELECT COUNT(*) FROM t", "passing");
  EXPECT_TRUE(run(one));
  server_->run("DROP TABLE passing");
  const auto found = run(one);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
}

TEST_F(Server, ATypeThatHasChangedSaysNothing) {
  server_->run("CREATE TABLE changing AS SELECT patient, ward, cost FROM visits");
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "changing");
  server_->run("ALTER TABLE changing ALTER patient TYPE text USING patient::text");
  const auto found = run(one);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
}

TEST_F(Server, ACollationThatHasChangedSaysNothing) {
  server_->run(
      "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false); "
      "CREATE TABLE blurring AS SELECT ward AS patient, cost FROM visits");
  auto one = asked("SELECT COUNT(*) FROM t", "blurring");
  EXPECT_TRUE(run(one));
  server_->run("ALTER TABLE blurring ALTER patient TYPE text COLLATE ci");
  const auto found = run(one);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
}

// The change is waited for: what is looked at afterwards must not be of the moment before.
TEST_F(Server, ATypeThatIsJustChangingSaysNothing) {
  server_->run("CREATE TABLE moving AS SELECT patient, ward, cost FROM visits");
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "moving");
  const string locks = "SELECT count(*) FROM pg_locks WHERE relation = 'moving'::regclass AND ";
  std::thread changer([&] {
    server_->run(
        "BEGIN; SET LOCAL statement_timeout = '60s'; ALTER TABLE moving ALTER patient TYPE text "
        "USING patient::text; DO $$ BEGIN WHILE (" +
        locks + "NOT granted) = 0 LOOP PERFORM pg_sleep(0.01); END LOOP; END $$; COMMIT");
  });
  while (server_->run(locks + "mode = 'AccessExclusiveLock'") == "0") std::this_thread::yield();
  const auto found = run(one);
  changer.join();
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message.text(), kCouldNot);
}

TEST_F(Server, TimeThatIsUpEndsIt) {
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "large");
  const auto found = run(one, {.progress = {}, .pass = {}, .timeout_seconds = 1e-9});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().text().find("took longer than allowed"), string::npos)
      << found.error().text();
  EXPECT_TRUE(run(one));
}

// Whoever looks at a question or at tables while all connections are busy.
TEST_F(Server, WhoInterruptsIsHeardBeforeAQueryToo) {
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "large");
  const std::atomic<bool> stop = true;
  std::vector<Error> said;
  const auto meanwhile = [&](double /*percent*/) {
    if (!said.empty()) return;
    const Watch stopped{.progress = {}, .pass = {}, .stop = &stop};
    const Watch late{.progress = {}, .pass = {}, .timeout_seconds = 1e-9};
    for (const Watch* watch : {&stopped, &late}) {
      const auto accepted = one.engine->accepts(one.plan->parts[0], one.catalog, *watch);
      if (!accepted) said.push_back(accepted.error());
      const auto schemas = one.engine->schemas(*watch);
      if (!schemas) said.push_back(schemas.error());
    }
  };
  EXPECT_TRUE(run(one, {.progress = meanwhile, .pass = {}}));
  ASSERT_EQ(said.size(), 4U);
  for (const Error& error : said) {
    EXPECT_NE(error.text().find("nothing was reserved"), string::npos) << error.text();
    EXPECT_EQ(error.code, &error - said.data() < 2 ? Code::kInterrupted : Code::kFailure);
  }
}

TEST_F(Server, WhoInterruptsIsHeard) {
  auto one = asked("SELECT ward, COUNT(*) FROM t GROUP BY ward", "large");
  const std::atomic<bool> stop = true;
  const auto found = run(one, {.progress = {}, .pass = {}, .stop = &stop});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::kInterrupted);
  EXPECT_TRUE(run(one));
}

}  // namespace
}  // namespace discreet::engine::postgres
