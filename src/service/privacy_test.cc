// Neighbouring data sets, thousands of answers of each through the whole path (files, DuckDB,
// bounding, noise): what an observer can tell them apart by stays within ε. The broken twins show
// that the test would see it.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "discreet/service/session.h"

namespace discreet::service {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPolicy = R"(
[policy]
name = "neighbours"
unit = "patient"
budget = { epsilon = 1, delta = 1e-6 }
[tables.visits]
source = "visits.csv"
key = "patient"
columns.patient = { type = "integer" }
columns.ward = { values = ["A", "B", "C", "D"] }
columns.cost = { range = [0, 10] }
max_groups = 2
max_rows_per_group = 3
)";

class Neighbours : public ::testing::Test {
 protected:
  struct Side {
    sql::Policy policy;
    std::unique_ptr<engine::Duckdb> engine;
    sql::Catalog catalog;
  };

  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("discreet-neighbours-" + std::to_string(::getpid()));
    // Patient 0 has far more rows than may count, in every ward, with values far outside of the
    // range.
    for (const bool present : {true, false}) {
      const fs::path place = folder_ / (present ? "with" : "without");
      fs::create_directories(place);
      std::ofstream rows(place / "visits.csv");
      rows << "patient,ward,city,cost\n";
      if (present)
        for (int i = 0; i < 80; ++i)
          rows << "0,"
               << "ABCD"[i % 4] << ",rare," << 1000 * (i + 1) << "\n";
      for (int patient = 1; patient <= 40; ++patient)
        for (int i = 0; i < 2; ++i)
          rows << patient << ","
               << "ABCD"[(patient + i) % 4] << ",common," << patient % 10 << "\n";
      rows.close();
      Side& side = present ? with_ : without_;
      side.policy = *sql::Policy::parse(kPolicy, "policy.toml", place.string());
      side.engine =
          std::move(*engine::Duckdb::open(side.policy, {.memory = 1'000'000'000, .threads = 1}));
      side.catalog = *sql::make_catalog(side.policy, *side.engine->schemas());
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  sql::Plan plan(const Side& side, const std::string& query, const sql::Options& options) const {
    return *sql::make_plan(*sql::check(*sql::parse(query), side.catalog), side.catalog, options);
  }

  // How often `event` happens in `runs` answers.
  template <class Event>
  double share(Side& side, const sql::Plan& plan, int runs, Event&& event) {
    int happened = 0;
    for (int i = 0; i < runs; ++i)
      happened += event(*run_plan(*side.engine, side.catalog, plan, {})) ? 1 : 0;
    return static_cast<double>(happened) / runs;
  }

  // What surely (six standard deviations) follows for ε from the two frequencies.
  static double least_epsilon(double p, double q, int runs, double delta) {
    const auto error = [&](double share) {
      return 6 * std::sqrt(std::max(share * (1 - share), 1.0 / runs) / runs);
    };
    const double high = p - error(p) - delta, low = q + error(q);
    return high > 0 ? std::log(high / low) : -1e9;
  }

  template <class Event>
  double least_epsilon(const std::string& query, const sql::Options& options,
                       void (*breaking)(sql::PlanPart&), int runs, Event&& event) {
    sql::Plan a = plan(with_, query, options), b = plan(without_, query, options);
    if (breaking) {
      breaking(a.parts[0]);
      breaking(b.parts[0]);
    }
    const double p = share(with_, a, runs, event), q = share(without_, b, runs, event);
    const double delta = a.cost.delta.get_d();
    return std::max({least_epsilon(p, q, runs, delta), least_epsilon(q, p, runs, delta),
                     least_epsilon(1 - p, 1 - q, runs, delta),
                     least_epsilon(1 - q, 1 - p, runs, delta)});
  }

  fs::path folder_;
  Side with_, without_;
};

double number(const sql::Answer& answer, std::size_t row, std::size_t column) {
  return answer.rows[row][column].value.as_number();
}

constexpr int kRuns = 700;

sql::Options at(const char* epsilon, const char* delta = nullptr) {
  sql::Options out;
  out.epsilon = *parse_number(epsilon, Rounding::kDown);
  if (delta) out.delta = *parse_number(delta, Rounding::kDown);
  return out;
}

TEST_F(Neighbours, CountsStayWithinEpsilon) {
  const auto total = [](const sql::Answer& answer) {
    return number(answer, 0, 1) + number(answer, 1, 1) + number(answer, 2, 1) +
               number(answer, 3, 1) >
           83;
  };
  const char* query = "SELECT ward, COUNT(*) FROM visits GROUP BY ward";
  EXPECT_LE(least_epsilon(query, at("1"), nullptr, kRuns, total), 1);
  // Twice the groups, and all rows, for the same noise: both are seen.
  EXPECT_GT(
      least_epsilon(
          query, at("1"), [](sql::PlanPart& part) { part.rows_per_group = 1000; }, kRuns, total),
      1);
  EXPECT_GT(
      least_epsilon(
          query, at("1"), [](sql::PlanPart& part) { part.statistics[0].scale /= 8; }, kRuns, total),
      1);
}

TEST_F(Neighbours, SumsStayWithinEpsilon) {
  const auto event = [](const sql::Answer& answer) { return number(answer, 0, 0) > 375; };
  const char* query = "SELECT SUM(cost) FROM visits";
  EXPECT_LE(least_epsilon(query, at("1"), nullptr, kRuns, event), 1);
  EXPECT_GT(
      least_epsilon(
          query, at("1"), [](sql::PlanPart& part) { part.slots[0].high *= 100; }, kRuns, event),
      1);  // the clamp forgotten
}

TEST_F(Neighbours, ChosenGroupsStayWithinEpsilonAndDelta) {
  const auto shown = [](const sql::Answer& answer) {
    return answer.rows.size() > 1;
  };  // "rare" has one patient
  const char* query = "SELECT city, COUNT(*) FROM visits GROUP BY city";
  EXPECT_LE(least_epsilon(query, at("1", "0.05"), nullptr, kRuns, shown), 1);
  EXPECT_GT(
      least_epsilon(
          query, at("1", "0.05"),
          [](sql::PlanPart& part) { part.selection->delta = Rational(19, 10); }, kRuns, shown),
      1);
}

TEST_F(Neighbours, QuantilesStayWithinEpsilon) {
  const auto event = [](const sql::Answer& answer) { return number(answer, 0, 0) > 9.5; };
  const char* query = "SELECT MAX(cost) FROM visits";
  EXPECT_LE(least_epsilon(query, at("1"), nullptr, kRuns, event), 1);
}

// Through the ledger as well: the answer, the receipt, and a budget that ends.
TEST_F(Neighbours, ASessionSpendsAndStops) {
  const fs::path place = folder_ / "with";
  std::ofstream(place / "policy.toml") << kPolicy;
  ::setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  auto session = Session::open((place / "policy.toml").string(), {});
  ASSERT_TRUE(session) << session.error().text();
  auto plan = (*session)->plan("SELECT COUNT(*) FROM visits", at("0.6"));
  ASSERT_TRUE(plan);
  auto first = (*session)->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}});
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->spent.epsilon, Rational(3, 5));
  EXPECT_EQ(first->remaining.epsilon, Rational(2, 5));
  auto second = (*session)->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kBudget);
}

}  // namespace
}  // namespace discreet::service
