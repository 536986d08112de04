// Neighbouring data through the whole path: text, plan, ledger, files, DuckDB, bounding, noise,
// receipt. What an observer can tell apart stays within ε, and where a bound is broken on purpose
// the same test sees it.
//
// Neighbours compares answers on two data sets, one of them without patient 0. Replicas has many
// groups at once, each with its own patients: half of the groups have one patient more, and each
// released row is one more sample of its side. A query with many aggregates tests them all: each
// has its own share of ε, which bounds what its column alone may tell. A promise that holds raises
// an alarm with a probability below kDoubt (and since the draws are seeded, always or never).
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/loss.h"

namespace discreet::service {
namespace {

constexpr double kDoubt = 1e-6;
const engine::Limits kLimits{.memory = 100'000'000, .threads = 1};

using Break = std::function<void(plan::PlanPart&)>;
using Samples = std::vector<std::vector<double>>;  // [what is watched][sample]

void keep(Samples& samples, const std::vector<double>& seen) {
  samples.resize(seen.size());
  for (std::size_t i = 0; i < seen.size(); ++i) samples[i].push_back(seen[i]);
}

double number(const plan::Cell& cell) {
  if (cell.value.null) return -1e9;  // withheld
  return cell.value.type == policy::Type::kText ? cell.value.string[0] : cell.value.as_number();
}

// What may go wrong, and does here: a plan whose price is that of the honest one.
void keeps_every_row(plan::PlanPart& part) { part.rows_per_group = 100'000; }
void keeps_every_group(plan::PlanPart& part) {
  if (part.selection) {  // only the bounding forgets them
    part.selection->epsilon *= 100'000 / part.bounds.groups;
    part.selection->delta *= 100'000 / part.bounds.groups;
  }
  part.bounds.groups = 100'000;
}
// Keeps all rows of a unit and takes each for one of another.
void counts_a_row_a_unit(plan::PlanPart& part) {
  part.rows_per_group = 100'000;
  for (plan::Statistic& one : part.statistics) one.sensitivity = 1;
}
void forgets_to_clamp(plan::PlanPart& part) {
  for (plan::Slot& slot : part.slots)
    if (slot.kind == plan::Slot::Kind::kNumber) slot.high *= 100, slot.low *= 100;
}
void forgets_to_clamp_wholes(plan::PlanPart& part) {
  for (plan::Statistic& one : part.statistics) one.high *= 100, one.low *= 100;
}
void halves_the_noise(plan::PlanPart& part) {
  for (plan::Statistic& one : part.statistics) one.scale /= 2;
}
void quarters_the_noise(plan::PlanPart& part) {
  for (plan::Statistic& one : part.statistics) one.scale /= 4;
}
void forgets_the_noise(plan::PlanPart& part) {
  for (plan::Statistic& one : part.statistics) one.scale /= 20;
}
// A score that changes by more than the mechanism thinks.
void mistakes_the_score(plan::PlanPart& part) {
  for (plan::Statistic& one : part.statistics)
    if (one.noise == plan::Noise::kExponential) one.epsilon *= 4;  // ε/Δ for a quarter of Δ
}

class Asker : public ::testing::Test {
 protected:
  std::unique_ptr<Service> open(const std::string& place, const std::string& policy) {
    std::ofstream(place + "/policy.toml") << policy;
    auto opened = Service::open(place + "/policy.toml", kLimits, {}, Service::Runs::kHere);
    EXPECT_TRUE(opened) << opened.error().text();
    return opened ? std::move(*opened) : nullptr;
  }

  // From the text to the receipt. The plan is kept for its shares of ε.
  std::optional<plan::Answer> ask(Service& session, const std::string& query,
                                  const sql::Options& options, const Break& breaking) {
    auto plan = session.plan(query, options);
    if (!plan) {
      ADD_FAILURE() << plan.error().text();
      return {};
    }
    plan_.emplace(*plan);
    // No ledger can hold thousands of answers at a δ that shows, and a service refuses a plan that
    // is broken: these go past it.
    if (breaking || plan->cost.delta > Rational(1, 10'000)) {
      auto& engine = bare_[&session];
      if (!engine) engine = std::move(*engine::duckdb::Duckdb::open(session.policy(), kLimits));
      const plan::Plan asked =
          breaking ? plan::PlanForger::altered(*plan, breaking) : plan::Plan(*plan);
      auto answer = run_plan(*engine, session.catalog(), asked, {}, source_);
      EXPECT_TRUE(answer) << answer.error().text();
      return answer ? std::optional(std::move(*answer)) : std::nullopt;
    }
    auto reply = session.ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}}, source_);
    if (!reply || !reply->receipt) {
      ADD_FAILURE() << (reply ? "no receipt" : reply.error().text());
      return {};
    }
    return reply->answer;
  }

  static sql::Options at(const char* epsilon, const char* delta = nullptr) {
    sql::Options out;
    out.epsilon = *parse_number(epsilon, Rounding::kDown);
    if (delta) out.delta = *parse_number(delta, Rounding::kDown);
    return out;
  }

  // Of one aggregate: the shares of the numbers that it is made of.
  double share_of(std::size_t aggregate) const {
    Rational out = 0;
    for (const std::size_t s : plan_->parts[0].parts[aggregate])
      out += plan_->parts[0].statistics[s].epsilon;
    return out.get_d();
  }

  ledger::testing::Folder folder_;
  random::testing::Seeded source_{20260101};
  std::map<Service*, std::unique_ptr<engine::duckdb::Duckdb>> bare_;
  std::optional<plan::Plan> plan_;
};

class Neighbours : public Asker {
 protected:
  static constexpr int kBrokenRuns = 600;

  void SetUp() override {
    for (const bool with_patient : {true, false}) {
      const std::string place = folder_ / (with_patient ? "with" : "without");
      std::filesystem::create_directories(place);
      // Patient 0 has far more rows than may count, in every ward, in cities of their own, with
      // values far outside of the range. The others stay within every bound.
      std::ofstream visits(place + "/visits.csv");
      visits << "patient,ward,city,cost\n";
      if (with_patient)
        for (int i = 0; i < 1000; ++i) visits << "0,w" << i % 20 << ",rare" << i << ",1000000\n";
      for (int patient = 1; patient <= 40; ++patient)
        visits << patient << ",w" << patient % 20 << ",common," << patient % 10 << "\n";
      visits.close();
      sides_[with_patient] = open(place, kPolicy);
    }
  }

  void watch(const std::string& query, const sql::Options& options, int runs,
             std::function<std::vector<double>(const plan::Answer&)> watched) {
    query_ = query;
    options_ = options;
    watched_ = std::move(watched);
    with_ = answers(true, runs, {});
    without_ = answers(false, runs, {});
  }

  Samples answers(bool with_patient, int runs, const Break& breaking) {
    Samples out;
    for (int i = 0; i < runs; ++i) {
      auto answer = ask(*sides_[with_patient], query_, options_, breaking);
      if (!answer) break;
      keep(out, watched_(*answer));
    }
    return out;
  }

  double loss(const Samples& with, const Samples& without, std::size_t watched) const {
    return testing::least_epsilon(with[watched], without[watched], plan_->cost.delta.get_d(),
                                  kDoubt);
  }
  // Without patient 0 nobody reaches a bound, so that only the side with them can go wrong.
  double broken_loss(const Break& breaking, std::size_t watched) {
    return loss(answers(true, kBrokenRuns, breaking), without_, watched);
  }

  static constexpr const char* kPolicy = R"(
[policy]
name = "neighbours"
left_out = 0
unit = "patient"
budget = { epsilon = 1000000, delta = 0.9 }
[tables.visits]
source = "visits.csv"
key = "patient"
columns.patient = { type = "integer" }
columns.ward = { values = ["w0", "w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "w10", "w11", "w12", "w13", "w14", "w15", "w16", "w17", "w18", "w19"] }
columns.cost = { type = "integer", range = [0, 10] }
max_groups = 2
max_rows_per_group = 3
)";
  std::unique_ptr<Service> sides_[2];
  std::string query_;
  sql::Options options_;
  std::function<std::vector<double>(const plan::Answer&)> watched_;
  Samples with_, without_;
};

TEST_F(Neighbours, CountsAndSumsOfPublicGroups) {
  const auto totals = [](const plan::Answer& answer) {
    double rows = 0, sum = 0;
    for (const auto& row : answer.rows) rows += number(row[1]), sum += number(row[2]);
    return std::vector<double>{rows, sum};
  };
  watch("SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward", at("2"), 2000, totals);
  for (const std::size_t column : {0, 1}) {
    EXPECT_LE(loss(with_, without_, column), share_of(column));
    EXPECT_GT(broken_loss(keeps_every_group, column), share_of(column));
  }
  EXPECT_GT(broken_loss(keeps_every_row, 0), share_of(0));
  EXPECT_GT(broken_loss(forgets_to_clamp, 1), share_of(1));
}

TEST_F(Neighbours, PrivatelyChosenGroups) {
  const auto shown = [](const plan::Answer& answer) {
    double all = 0;
    for (const auto& row : answer.rows) all += number(row[1]);
    return std::vector<double>{static_cast<double>(answer.rows.size()), all};
  };
  watch("SELECT city, COUNT(*) FROM visits GROUP BY city", at("2", "0.05"), 800, shown);
  for (const std::size_t column : {0, 1})
    EXPECT_LE(loss(with_, without_, column), plan_->cost.epsilon.get_d());
  EXPECT_GT(broken_loss(keeps_every_group, 0), plan_->cost.epsilon.get_d());
  const auto shows_all = [](plan::PlanPart& part) { part.selection->delta = Rational(19, 10); };
  EXPECT_GT(broken_loss(shows_all, 0), plan_->cost.epsilon.get_d());
}

class Replicas : public Asker {
 protected:
  static constexpr int kGroups = 50;  // a side
  static constexpr int kRuns = 60;    // 3000 samples a side

  void SetUp() override {
    const std::string place = folder_ / "replicas";
    std::filesystem::create_directories(place);
    std::ofstream visits(place + "/visits.csv"), prescriptions(place + "/prescriptions.csv"),
        drugs(place + "/drugs.csv");
    visits << "visit,patient,grp,city,kind,cost,age,debt\n";
    prescriptions << "visit,drug,doses\n";
    drugs << "drug,brand\nrest,none\naspirin,one\naspirin,two\naspirin,three\n";
    std::string names;
    int visit = 0, patient = 0;
    for (int group = 0; group < 2 * kGroups; ++group) {
      const std::string name = (group % 2 ? "with" : "without") + std::to_string(group);
      names += (names.empty() ? "\"" : ", \"") + name + "\"";
      // Fifteen patients of three rows each, within every bound.
      int shared = 0;
      for (int other = 0; other < 15; ++other) {
        ++patient;
        for (int i = 0; i < 3; ++i) {
          // The choices are near to turning: three rows more at the top make the difference.
          const int cost = other < 8 ? 0 : 10, age = other < 3 ? 0 : other < 5 ? 5 : 9;
          ++visit;
          visits << visit << "," << patient << "," << name << ",common,"
                 << ((3 * other + i) % 2 ? "a" : "b") << "," << cost << "," << age << "," << -age
                 << "\n";
          if (i > 0) continue;
          shared = visit;
          prescriptions << visit << ",rest,5\n";
        }
      }
      if (group % 2 == 0) continue;
      // One more, who has far more than may count, outside of every range.
      ++patient;
      for (int i = 0; i < 40; ++i) {
        ++visit;
        visits << visit << "," << patient << "," << name << ",city" << visit
               << ",a,1000000,1000000,-1000000\n";
        prescriptions << visit << ",aspirin,1000000\n" << visit << ",aspirin,1000000\n";
      }
      // This visit, and what was prescribed at it, is another patient's as well.
      visits << shared << "," << patient << "," << name << ",shared,a,1000000,1000000,-1000000\n";
    }
    visits.close();
    prescriptions.close();
    drugs.close();
    session_ = open(place, R"(
[policy]
name = "replicas"
left_out = 0
unit = "patient"
budget = { epsilon = 1000000, delta = 0.9 }
[tables.visits]
source = "visits.csv"
key = "patient"
columns.visit = { type = "integer" }
columns.patient = { type = "integer" }
columns.grp = { values = [)" + names +
                               R"(] }
columns.kind = { values = ["a", "b"] }
columns.cost = { type = "integer", range = [0, 10] }
columns.age = { type = "integer", range = [0, 10] }
columns.debt = { type = "integer", range = [-10, 0] }
max_groups = 1
max_rows_per_group = 3
[tables.prescriptions]
source = "prescriptions.csv"
link = { column = "visit", to = "visits.visit" }
columns.visit = { type = "integer" }
columns.doses = { type = "integer", range = [0, 10] }
max_rows_per_group = 3
[tables.drugs]
source = "drugs.csv"
public = true
)");
  }

  // The loss that each column shows, keys left out.
  std::vector<double> losses(const std::string& query, const sql::Options& options,
                             const Break& breaking = {}) {
    Samples with, without;
    for (int i = 0; i < kRuns; ++i) {
      auto answer = ask(*session_, query, options, breaking);
      if (!answer) return {};
      for (const auto& row : answer->rows) {
        std::vector<double> seen;
        for (std::size_t c = 1; c < row.size(); ++c) seen.push_back(number(row[c]));
        keep(row[0].value.string.starts_with("without") ? without : with, seen);
      }
    }
    std::vector<double> out;
    for (std::size_t c = 0; c < with.size(); ++c)
      out.push_back(testing::least_epsilon(with[c], without[c], plan_->cost.delta.get_d(), kDoubt));
    return out;
  }

  // Each column within its share; and each of `caught` above it, where that is broken.
  void expect(const std::string& query, const sql::Options& options,
              const std::vector<std::pair<Break, std::vector<std::size_t>>>& breaks) {
    const auto honest = losses(query, options);
    for (std::size_t c = 0; c < honest.size(); ++c)
      EXPECT_LE(honest[c], share_of(c)) << "column " << c;
    for (std::size_t b = 0; b < breaks.size(); ++b) {
      const auto broken = losses(query, options, breaks[b].first);
      for (const std::size_t c : breaks[b].second)
        EXPECT_GT(broken.at(c), share_of(c)) << "break " << b << ", column " << c;
    }
  }

  std::unique_ptr<Service> session_;
};

TEST_F(Replicas, Numbers) {
  enum : std::size_t { kRows, kSum, kAvg, kDistinct, kUnits };
  expect(
      "SELECT grp, COUNT(*), SUM(cost), AVG(cost), COUNT(DISTINCT city), COUNT(DISTINCT patient) "
      "FROM visits GROUP BY grp",
      at("6"),
      {{keeps_every_row, {kRows, kSum, kAvg, kDistinct}},
       {forgets_to_clamp, {kSum, kAvg}},
       {halves_the_noise, {kRows, kSum, kDistinct, kUnits}}});
}

TEST_F(Replicas, BoundsOfWholeGroups) {
  enum : std::size_t { kCount, kSum, kAvg };
  expect(
      "SELECT grp, COUNT(*, contribution_bounds_per_group => (0, 3)), "
      "SUM(cost, contribution_bounds_per_group => (0, 20)), "
      "AVG(cost, contribution_bounds_per_group => (0, 10)) FROM visits GROUP BY grp",
      at("4"),
      {{forgets_to_clamp_wholes, {kCount, kSum, kAvg}}, {halves_the_noise, {kCount, kSum}}});
}

TEST_F(Replicas, Choices) {
  enum : std::size_t { kMedian, kQuantile, kMax, kMin, kMode };
  expect(
      "SELECT grp, MEDIAN(cost), QUANTILE(cost, 0.6), MAX(age), MIN(debt), MODE(kind) FROM visits "
      "GROUP BY grp",
      at("5"),
      {{keeps_every_row, {kMedian, kQuantile, kMax, kMin, kMode}},
       {mistakes_the_score, {kMedian, kMax, kMin, kMode}}});
}

// Those that depend on how far the answer is from changing.
TEST_F(Replicas, ChoicesByTheirGap) {
  enum : std::size_t { kSmooth, kPure, kTested, kMode, kListed };
  expect(
      "SELECT grp, MEDIAN(cost, method => 'smooth'), QUANTILE(cost, 0.6, method => 'smooth'), "
      "MEDIAN(cost, method => 'propose-test-release', bound => 5), MODE(age), "
      "MODE(kind, method => 'stable') FROM visits GROUP BY grp",
      at("5", "0.01"),
      {{keeps_every_row, {kSmooth, kPure, kTested, kMode, kListed}},
       {counts_a_row_a_unit, {kSmooth, kPure, kTested, kMode, kListed}}});
}

TEST_F(Replicas, JoinsThatFanOut) {
  expect(
      "SELECT v.grp, COUNT(*), SUM(p.doses), COUNT(DISTINCT v.patient) FROM prescriptions p "
      "JOIN visits v ON p.visit = v.visit JOIN drugs d ON p.drug = d.drug GROUP BY v.grp",
      at("3"), {{keeps_every_row, {0, 1}}, {forgets_to_clamp, {1}}, {halves_the_noise, {0, 1, 2}}});
}

TEST_F(Replicas, Subqueries) {
  expect(
      "WITH each AS (SELECT patient, grp, SUM(cost) AS paid, COUNT(*) AS n FROM visits GROUP BY "
      "patient, grp) SELECT grp, SUM(LEAST(GREATEST(paid, 0), 20)), AVG(LEAST(n, 10)), "
      "COUNT(*) FILTER (WHERE n > 3) FROM each GROUP BY grp",
      at("4"), {{forgets_the_noise, {0, 1, 2}}});
  expect(
      "SELECT grp, COUNT(*), SUM(cost) FROM (SELECT patient, grp, cost FROM visits UNION ALL "
      "SELECT patient, grp, cost FROM visits) GROUP BY grp",
      at("2"), {{keeps_every_row, {0, 1}}, {halves_the_noise, {0, 1}}});
}

// Gaussian noise has one guarantee for all its numbers: they are watched together, weighted as the
// likelihood ratio weighs them.
TEST_F(Replicas, GaussianNoise) {
  const std::string query =
      "SELECT grp, COUNT(*) / 3 + SUM(cost) / 30 + COUNT(DISTINCT city) / 3 FROM visits GROUP BY "
      "grp";
  const auto options = at("1", "0.01");
  const auto honest = losses(query, options);
  ASSERT_TRUE(plan_->parts[0].gaussian);
  EXPECT_LE(honest[0], 1);
  EXPECT_GT(losses(query, options, quarters_the_noise)[0], 1);
  EXPECT_GT(losses(query, options, keeps_every_row)[0], 1);
}

// The chance of a group of n units to be shown against that of n + 1, for every n at which it is
// neither 0 nor 1; and a single unit is shown with a probability of at most δ.
TEST_F(Asker, GroupsOfNeighbouringSizes) {
  constexpr int kLargest = 12, kCopies = 40, kRuns = 60;
  const std::string place = folder_ / "sizes";
  std::filesystem::create_directories(place);
  std::ofstream rows(place + "/rows.csv");
  rows << "who,city\n";
  int who = 0;
  for (int copy = 0; copy < kCopies; ++copy)
    for (int size = 1; size <= kLargest; ++size)
      for (int i = 0; i < size; ++i, ++who)
        for (int twice = 0; twice < 2; ++twice)  // rows are not units
          rows << who << "," << size << "x" << copy << "\n";
  rows.close();
  const auto session = open(place, R"(
[policy]
left_out = 0
name = "sizes"
unit = "person"
budget = { epsilon = 1000000, delta = 0.9 }
[tables.rows]
source = "rows.csv"
key = "who"
max_groups = 1
columns.who = { type = "integer" }
)");
  // The share of answers in which a group of this size was shown, as 0s and 1s.
  const auto shown = [&](const Break& breaking) {
    std::vector<std::vector<double>> out(kLargest + 1);
    out[0].resize(kCopies * kRuns);  // an empty group is never shown
    for (int run = 0; run < kRuns; ++run) {
      auto answer = ask(*session, "SELECT city FROM rows GROUP BY city", at("1", "0.05"), breaking);
      if (!answer) return out;
      std::map<std::string, bool> seen;
      for (const auto& row : answer->rows) seen[row[0].value.string] = true;
      for (int size = 1; size <= kLargest; ++size)
        for (int copy = 0; copy < kCopies; ++copy)
          out[static_cast<std::size_t>(size)].push_back(
              seen.contains(std::to_string(size) + "x" + std::to_string(copy)) ? 1 : 0);
    }
    return out;
  };
  const auto worst = [&](const std::vector<std::vector<double>>& samples) {
    double out = -1e9;
    for (std::size_t size = 0; size < kLargest; ++size)
      out = std::max(out, testing::least_epsilon(samples[size], samples[size + 1],
                                                 plan_->cost.delta.get_d(), kDoubt));
    return out;
  };
  EXPECT_LE(worst(shown({})), 1);
  EXPECT_GT(worst(shown([](plan::PlanPart& part) { part.selection->delta *= 4; })), 1);
  EXPECT_GT(worst(shown([](plan::PlanPart& part) { part.selection->epsilon *= 4; })), 1);
}

// A service believes no plan: one that releases more than it pays for is refused, and nothing is
// spent for it.
TEST_F(Asker, APlanThatCostsMoreThanItPaysIsRefused) {
  const std::string place = folder_ / "forged";
  std::filesystem::create_directories(place);
  std::ofstream(place + "/rows.csv") << "who,x\n1,2\n2,3\n";
  const auto session = open(place, R"(
[policy]
name = "forged"
unit = "person"
budget = { epsilon = 10, delta = 0.1 }
[tables.rows]
source = "rows.csv"
key = "who"
max_rows_per_group = 1
columns.x = { type = "integer", range = [0, 10] }
)");
  const auto plan = session->plan("SELECT SUM(x), MEDIAN(x), COUNT(*) FROM rows", at("1", "1e-9"));
  ASSERT_TRUE(plan) << plan.error().text();
  const Asking asking{.analyst = "ana", .presenting = {}, .watch = {}};
  for (const Break& breaking :
       {Break(halves_the_noise), Break(quarters_the_noise), Break(forgets_the_noise),
        Break(forgets_to_clamp), Break(mistakes_the_score),
        Break([](plan::PlanPart& part) { part.bounds.groups += 1; }),
        Break([](plan::PlanPart& part) { part.bounds.rows += 1; }),
        Break([](plan::PlanPart& part) { part.statistics[0].sensitivity -= 1; })}) {
    const auto refused = session->ask(plan::PlanForger::altered(*plan, breaking), asking);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "the plan would cost more than it charges; nothing was asked");
  }
  const auto shown = session->plan(
      "SELECT CAST(x AS VARCHAR) AS k, COUNT(DISTINCT who) AS n, MODE(CAST(x AS VARCHAR)) FROM "
      "rows "
      "GROUP BY 1",
      at("1", "1e-9"));
  ASSERT_TRUE(shown) << shown.error().text();
  ASSERT_TRUE(shown->parts[0].selection->by);
  for (const Break& breaking :
       {Break([](plan::PlanPart& part) { part.statistics[1].delta *= 2; }),
        Break([](plan::PlanPart& part) { part.statistics[1].delta = 0; }),
        Break([](plan::PlanPart& part) { part.statistics[1].epsilon *= 2; }),
        Break([](plan::PlanPart& part) { part.statistics[1].sensitivity = 0; }),
        Break([](plan::PlanPart& part) { part.selection->delta *= 2; }),
        Break([](plan::PlanPart& part) { part.selection->by.reset(); }),
        Break([](plan::PlanPart& part) { part.selection->by = 1; }),
        Break([](plan::PlanPart& part) { part.selection->by = 7; }),
        Break([](plan::PlanPart& part) { part.statistics[0].scale /= 2; })}) {
    const auto refused = session->ask(plan::PlanForger::altered(*shown, breaking), asking);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "the plan would cost more than it charges; nothing was asked");
  }
  EXPECT_EQ(session->balances()->data_set.spent.epsilon, 0);
  EXPECT_TRUE(session->ask(*plan, asking));
  EXPECT_TRUE(session->ask(*shown, asking));
}

// A budget that ends: the answer, the receipt, and then no more.
TEST_F(Asker, ASessionSpendsAndStops) {
  const std::string place = folder_ / "budget";
  std::filesystem::create_directories(place);
  std::ofstream(place + "/rows.csv") << "who\n1\n2\n";
  const auto session = open(place, R"(
[policy]
name = "budget"
unit = "person"
budget = { epsilon = 1 }
[tables.rows]
source = "rows.csv"
key = "who"
)");
  const auto plan = session->plan("SELECT COUNT(*) FROM rows", at("0.6"));
  ASSERT_TRUE(plan);
  const auto first = session->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}});
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(first->data_set.spent.epsilon, Rational(3, 5));
  EXPECT_EQ(first->data_set.remaining->epsilon, Rational(2, 5));
  const auto second = session->ask(*plan, {.analyst = "ana", .presenting = {}, .watch = {}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::kBudget);
}

}  // namespace
}  // namespace discreet::service
