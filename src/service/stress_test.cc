// Many analysts through one Service at once: everybody gets the answer to their own question, what
// is stopped is stopped, and the ledger holds exactly what was reserved.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "discreet/service/service.h"
#include "discreet/service/testing/plain_duckdb.h"

namespace discreet::service {
namespace {

using std::string;

constexpr int kThreads = 64, kRounds = 3, kWards = 5;

class Stress : public ::testing::Test {
 protected:
  void SetUp() override {
    string folder = (std::filesystem::temp_directory_path() / "discreet-stress-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    place_ = folder;
    // A registry of its own: two of these tests at once have equal files.
    setenv("XDG_STATE_HOME", (place_ + "/state").c_str(), 1);
    // Ward w has 10·(w + 1) people with w + 1 visits each, in a text file and in a Parquet file.
    testing::PlainDuckdb plain;
    plain.run(
        "CREATE TABLE visits AS SELECT w * 1000 + p AS who, 'w' || w AS ward, w + 1 AS cost "
        "FROM range(5) a(w), range(100) b(p), range(5) c(v) WHERE p < 10 * (w + 1) AND v <= w");
    plain.run("COPY visits TO '" + place_ + "/visits.parquet'");
    plain.run("COPY visits TO '" + place_ + "/visits.csv' (HEADER)");
    std::ofstream policy(place_ + "/policy.toml");
    policy << "[policy]\nname = \"stress\"\nunit = \"person\"\n"
              "budget = { epsilon = 1000000, delta = 0.5 }\n";
    for (const char* kind : {"csv", "parquet"})
      policy << fmt::format(
          "[tables.{0}_visits]\nsource = \"visits.{0}\"\nkey = \"who\"\nmax_groups = 1\n"
          "max_rows_per_group = 5\ncolumns.who = {{ type = \"integer\" }}\n"
          "columns.ward = {{ values = [\"w0\", \"w1\", \"w2\", \"w3\", \"w4\"] }}\n"
          "columns.cost = {{ type = \"integer\", range = [0, 5] }}\n",
          kind);
  }
  void TearDown() override { std::filesystem::remove_all(place_); }

  string place_;
};

// So much ε that the noise is surely 0: an answer is right, or it is somebody else's.
constexpr int kEpsilon = 1'000;

struct Counted {
  std::atomic<int> answered{0}, stopped{0}, explained{0}, refused{0};
};

void ask(Service& service, int ward, const char* table, bool stop, const string& who,
         Counted& counted) {
  sql::Options options;
  options.epsilon = kEpsilon;
  auto plan = service.plan(
      fmt::format("SELECT COUNT(*) FROM {}_visits WHERE ward = 'w{}'", table, ward), options);
  ASSERT_TRUE(plan) << plan.error().text();
  const std::atomic<bool> flag{stop};
  Asking asking;
  asking.analyst = who;
  asking.watch.stop = &flag;
  const auto reply = service.ask(*plan, asking);
  if (!reply) {
    EXPECT_TRUE(stop) << reply.error().text();
    EXPECT_EQ(reply.error().code, Code::kInterrupted) << reply.error().text();
    ++counted.stopped;
    return;
  }
  ++counted.answered;
  ASSERT_EQ(reply->answer.rows.size(), 1u);
  EXPECT_EQ(reply->answer.rows[0][0].value.whole, 10 * (ward + 1) * (ward + 1));
}

TEST_F(Stress, SixtyFourThreadsAskExplainAndCancel) {
  auto opened =
      Service::open(place_ + "/policy.toml", {.memory = 2'000'000'000, .threads = 2, .queries = 8},
                    {}, Service::Runs::kHere);
  ASSERT_TRUE(opened) << opened.error().text();
  Service& service = **opened;
  Counted counted;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        const int ward = (t + round) % kWards;
        const char* table = (t / kWards + round) % 2 == 0 ? "csv" : "parquet";
        const string who = fmt::format("analyst {}", t % 7);
        switch ((t + 5 * round) % 4) {
          case 0: {
            sql::Options options;
            options.epsilon = 1;
            auto plan = service.plan(
                fmt::format("SELECT ward, SUM(cost) FROM {}_visits GROUP BY ward", table), options);
            ASSERT_TRUE(plan) << plan.error().text();
            const auto told = service.explain(std::move(*plan), who, {100}, Rational(19, 20));
            ASSERT_TRUE(told) << told.error().text();
            EXPECT_TRUE(told->fits);
            ++counted.explained;
            break;
          }
          case 1:
            ask(service, ward, table, true, who, counted);
            break;
          case 2: {
            const auto refused = service.plan("SELECT who FROM csv_visits", {});
            EXPECT_FALSE(refused);
            ++counted.refused;
            break;
          }
          default:
            ask(service, ward, table, false, who, counted);
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counted.explained + counted.refused + counted.answered + counted.stopped,
            kThreads * kRounds);
  EXPECT_GE(counted.answered, kThreads * kRounds / 4);
  // What was stopped was reserved, and stays spent.
  const auto balances = service.balances();
  ASSERT_TRUE(balances) << balances.error().text();
  const int asked = counted.answered + counted.stopped;
  EXPECT_EQ(balances->data_set.releases, static_cast<std::uint64_t>(asked));
  EXPECT_EQ(balances->data_set.spent.epsilon, Rational(asked) * kEpsilon);
  EXPECT_EQ(balances->unfinished, static_cast<std::uint64_t>(counted.stopped.load()));
}

}  // namespace
}  // namespace discreet::service
