// Questions whose bounds nobody declares, through the whole path: what an observer sees of both
// stages stays within ε, both are paid for at once, and the answers are near the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>

#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/mechanism/door.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/random/testing/sources.h"
#include "discreet/service/service.h"
#include "discreet/service/terms.h"
#include "discreet/service/testing/loss.h"

namespace discreet::service {
namespace {

constexpr double kDoubt = 1e-6;
const engine::Limits kLimits{.memory = 100'000'000, .threads = 1};

// Tests look behind the barrier.
struct Opened : mechanism::Door {
  template <class T>
  static const T& look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

const char* const kPolicy = R"(
[policy]
name = "automatic"
unit = "patient"
budget = { epsilon = 1000000, delta = 0.9 }
[tables.visits]
source = "visits.csv"
key = "patient"
columns.patient = { type = "integer" }
columns.ward = { type = "integer", values = [0, 1, 2, 3, 4] }
columns.cost = { type = "integer" }
)";

sql::Options at(const char* epsilon, const char* delta = "0") {
  sql::Options out;
  out.epsilon = *parse_number(epsilon, Rounding::kDown);
  out.delta = *parse_number(delta, Rounding::kDown);
  return out;
}

class Automatic : public ::testing::Test {
 protected:
  using Write = std::function<void(std::ofstream&)>;

  std::string place(const std::string& name) const {
    std::filesystem::create_directories(folder_ / name);
    return folder_ / name;
  }
  std::unique_ptr<Service> open(const std::string& name, const Write& write,
                                const std::string& policy = kPolicy) const {
    std::ofstream visits(place(name) + "/visits.csv");
    visits << "patient,ward,cost\n";
    write(visits);
    visits.close();
    return open_again(name, policy);
  }
  std::unique_ptr<Service> open_again(const std::string& name,
                                      const std::string& policy = kPolicy) const {
    std::ofstream(place(name) + "/policy.toml") << policy;
    auto opened = Service::open(place(name) + "/policy.toml", kLimits, {}, Service::Runs::kHere);
    EXPECT_TRUE(opened) << opened.error().text();
    return opened ? std::move(*opened) : nullptr;
  }
  static plan::Plan plan(Service& session, const std::string& query, const sql::Options& options) {
    auto made = session.plan(query, options);
    EXPECT_TRUE(made) << made.error().text();
    return *made;
  }
  static Asking by(const std::string& analyst) {
    return {.analyst = analyst, .presenting = {}, .watch = {}};
  }

  ledger::testing::Folder folder_;
  random::testing::Seeded source_{20260102};
};

// ---- Neighbours ----

// 400 patients with three cheap visits each; patient 0 has a thousand, in all wards, that cost more
// than all others together.
class AutomaticNeighbours : public Automatic {
 protected:
  void SetUp() override {
    for (const bool with : {true, false}) {
      sessions_[with] = open(with ? "with" : "without", [&](std::ofstream& visits) {
        if (with)
          for (int i = 0; i < 1000; ++i) visits << "0," << i % 5 << ",1000000\n";
        for (int patient = 1; patient <= 400; ++patient)
          for (int i = 0; i < 3; ++i)
            visits << patient << "," << (patient + i) % 5 << "," << 1 + patient % 8 << "\n";
      });
      engines_[with] = std::move(*engine::duckdb::Duckdb::open(sessions_[with]->policy(), kLimits));
    }
  }

  using Break = std::function<void(plan::PlanPart&)>;
  using Samples = std::vector<std::vector<double>>;  // [what is watched][sample]

  // What is seen of one answer: of the survey, the bounds, the numbers, and what was left out.
  enum : std::size_t { kTotal, kGroups, kHigh, kRows, kSum, kLost, kCut, kAlone, kTogether, kSeen };

  // A broken survey goes past the plan that would be refused with it.
  Samples watch(bool with, const plan::Plan& asked, int runs, const Break& breaking = {}) {
    const plan::Plan surveyed =
        breaking ? plan::PlanForger::altered(asked, breaking) : plan::Plan(asked);
    Samples out(kSeen);
    for (int run = 0; run < runs; ++run) {
      const auto& catalog = sessions_[with]->catalog();
      const auto measured = run_surveys(*engines_[with], catalog, surveyed, {}, source_);
      if (!measured) return ADD_FAILURE() << measured.error().text(), out;
      const auto settled = plan::settle(asked, catalog, *measured);
      if (!settled) return ADD_FAILURE() << settled.error().text(), out;
      if (breaking) {  // what is broken shows before anything is answered
        out[kTotal].push_back(static_cast<double>(*settled->parts[0].bounds.total));
        out[kAlone].push_back(
            static_cast<double>(measured->histograms()[0].bins[bound::count_bin(1000)]));
        continue;
      }
      const auto answer = run_plan(*engines_[with], catalog, *settled, {}, source_);
      if (!answer) return ADD_FAILURE() << answer.error().text(), out;
      const plan::PlanPart& part = settled->parts[0];
      double rows = 0, sum = 0, high = 0;
      for (const auto& row : answer->rows) {
        const std::size_t keys = part.select.keys.size();
        rows += row[keys].value.as_number();
        if (row.size() > keys + 1) sum += row[keys + 1].value.as_number();
      }
      if (part.select.aggregates.size() > 1 && part.select.aggregates[1].bounds)
        high = to_double(part.select.aggregates[1].bounds->high);
      const auto total = static_cast<double>(part.bounds.total.value_or(-1));
      const double lost = answer->left_out->rows.share, cut = answer->left_out->units.share;
      const double alone = static_cast<double>(
          measured->histograms()[0].bins[bound::count_bin(1000)]);  // where only patient 0 is
      const std::vector<double> seen = {total, static_cast<double>(part.bounds.groups), high, rows,
                                        sum, lost, cut, alone,
                                        // Each is larger with patient 0.
                                        alone / 20 + std::log2(1 + total) + std::log2(1 + high) +
                                            rows / 30 + 10 * lost + 10 * cut};
      for (std::size_t i = 0; i < kSeen; ++i) out[i].push_back(seen[i]);
    }
    return out;
  }

  double most_told(const Samples& one, const Samples& other) const {
    double most = -1e9;
    for (std::size_t i = 0; i < kSeen; ++i)
      most = std::max(most, testing::least_epsilon(one[i], other[i], 0, kDoubt));
    return most;
  }

  std::unique_ptr<Service> sessions_[2];
  std::unique_ptr<engine::duckdb::Duckdb> engines_[2];
};

constexpr const char* kGrouped = "SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward";
constexpr const char* kWhole = "SELECT COUNT(*), SUM(cost) FROM visits";

// The histograms of real rows: a unit changes one bin of each by one (or several, by one together),
// and Laplace noise of scale 1/ε in every bin is ε-DP then: P(k)/P(k−1) = e^(±ε). Summed up, the
// survey costs no more than it pays for.
TEST_F(AutomaticNeighbours, AUnitIsInOneBin) {
  const auto changes = [&](const plan::PlanPart& part) {
    std::vector<std::int64_t> out(part.survey->counts.size());
    random::testing::Seeded draw(4);
    const auto secret = *bound::Secret::draw(draw);
    std::vector<std::vector<std::int64_t>> sides[2];
    for (const bool with : {true, false}) {
      const auto counted =
          engines_[with]->run(plan::survey_part(part), sessions_[with]->catalog(), secret, {});
      EXPECT_TRUE(counted) << counted.error().text();
      for (std::size_t i = 0; i < out.size(); ++i) {
        const auto exact = *counted->tally(i);
        sides[with].push_back(Opened::look(exact));
      }
    }
    for (std::size_t i = 0; i < out.size(); ++i)
      for (std::size_t bin = 0; bin < sides[0][i].size(); ++bin)
        out[i] += std::abs(sides[1][i][bin] - sides[0][i][bin]);
    return out;
  };
  for (const char* query : {kGrouped, kWhole,
                            "SELECT ward, COUNT(DISTINCT patient) FROM visits "
                            "GROUP BY ward"}) {
    const plan::Plan asked = plan(*sessions_[1], query, at("2", "1e-6"));
    ASSERT_FALSE(asked.settled());
    Rational spent = 0;
    const auto honest = changes(asked.parts[0]);
    for (std::size_t i = 0; i < honest.size(); ++i) {
      // A histogram of values has a unit in shares, a thousand of them here, each rounded down.
      const plan::Count& count = asked.parts[0].survey->counts[i];
      const Rational units = Rational(static_cast<long>(honest[i])) / plan::steps_of(count);
      EXPECT_LE(units, 1) << query << i;
      EXPECT_GE(units, count.weight_bits > 0 ? Rational(999, 1000) : Rational(1)) << query << i;
      spent += count.epsilon * units;
    }
    EXPECT_LE(spent, asked.parts[0].survey->epsilon);
    EXPECT_LE(spent, asked.cost.epsilon / 10);
  }
  // One that counts rows is changed by all of them.
  const plan::Plan counting_rows =
      plan::PlanForger::altered(plan(*sessions_[1], kWhole, at("2")), [](plan::PlanPart& part) {
        part.survey->counts[0].kind = plan::Count::Kind::kKept;
        part.survey->counts[0].bins = 1;
      });
  EXPECT_EQ(changes(counting_rows.parts[0])[0], 1000);
  const auto refused = sessions_[1]->ask(counting_rows, by("ana"), source_);
  ASSERT_FALSE(refused);
  EXPECT_EQ(sessions_[1]->balances()->data_set.spent.epsilon, 0);
}

TEST_F(AutomaticNeighbours, GroupsStayWithinEpsilon) {
  constexpr int kRuns = 400;
  const plan::Plan asked = plan(*sessions_[1], kGrouped, at("2"));
  ASSERT_FALSE(asked.settled());
  EXPECT_LE(most_told(watch(true, asked, kRuns), watch(false, asked, kRuns)), 2);
}

TEST_F(AutomaticNeighbours, TheWholeStaysWithinEpsilon) {
  constexpr int kRuns = 400, kBrokenRuns = 300;
  const plan::Plan asked = plan(*sessions_[1], kWhole, at("2"));
  ASSERT_FALSE(asked.settled());
  const Samples without = watch(false, asked, kRuns);
  EXPECT_LE(most_told(watch(true, asked, kRuns), without), 2);

  // Bounds by exact numbers: patient 0 alone decides how many rows a unit keeps.
  const Break exact = [](plan::PlanPart& part) {
    for (plan::Count& count : part.survey->counts) count.epsilon = 1000;
  };
  const plan::Plan counted = plan(*sessions_[1], "SELECT COUNT(*) FROM visits", at("2"));
  EXPECT_GT(testing::least_epsilon(watch(true, counted, kBrokenRuns, exact)[kTotal],
                                   watch(false, counted, kBrokenRuns, exact)[kTotal], 0, kDoubt),
            2);
  // A survey that takes far more than its tenth: its own histogram tells.
  const Break greedy = [](plan::PlanPart& part) {
    for (plan::Count& count : part.survey->counts) count.epsilon *= 60;
  };
  EXPECT_GT(testing::least_epsilon(watch(true, asked, kBrokenRuns, greedy)[kAlone],
                                   watch(false, asked, kBrokenRuns, greedy)[kAlone], 0, kDoubt),
            2);
  // Where there is money, neither is taken.
  for (const Break& breaking : {exact, greedy}) {
    const auto refused =
        sessions_[1]->ask(plan::PlanForger::altered(asked, breaking), by("ana"), source_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message,
              "the plan would cost more than it charges; nothing was asked");
  }
  EXPECT_EQ(sessions_[1]->balances()->data_set.spent.epsilon, 0);
}

// The share of one histogram, watched alone, is a tenth of the ε over their number; twice the price
// shows.
TEST_F(AutomaticNeighbours, AHistogramStaysWithinItsShare) {
  constexpr int kRuns = 3000;
  const plan::Plan asked = plan(*sessions_[1], "SELECT COUNT(*) FROM visits", at("20"));
  ASSERT_EQ(asked.parts[0].survey->counts.size(), 1u);
  const double share = to_double(asked.parts[0].survey->counts[0].epsilon);
  EXPECT_EQ(share, 2);
  const auto alone = [&](bool with, const plan::Plan& plan) {
    random::testing::Seeded draw(4);
    const auto counted =
        engines_[with]->run(plan::survey_part(plan.parts[0]), sessions_[with]->catalog(),
                            *bound::Secret::draw(draw), {});
    std::vector<double> out;
    for (int run = 0; run < kRuns; ++run)
      out.push_back(static_cast<double>(plan::release_survey(plan.parts[0], *counted, source_)
                                            ->histograms()[0]
                                            .bins[bound::count_bin(1000)]));
    return out;
  };
  EXPECT_LE(testing::least_epsilon(alone(true, asked), alone(false, asked), 0, kDoubt), share);
  const plan::Plan twice = plan::PlanForger::altered(
      asked, [](plan::PlanPart& part) { part.survey->counts[0].epsilon *= 2; });
  EXPECT_GT(testing::least_epsilon(alone(true, twice), alone(false, twice), 0, kDoubt), share);
}

// ---- The account ----

class AutomaticAccount : public Automatic {
 protected:
  void SetUp() override { session_ = open("account", rows); }

  static void rows(std::ofstream& visits) {
    for (int patient = 1; patient <= 500; ++patient)
      for (int i = 0; i < 1 + patient % 12; ++i)
        visits << patient << "," << (patient + i) % 5 << "," << 10 + patient % 80 << "\n";
  }
  Rational spent() const { return session_->balances()->data_set.spent.epsilon; }

  std::unique_ptr<Service> session_;
};

TEST_F(AutomaticAccount, OneReservationPaysForBothStages) {
  for (const char* query : {kWhole, kGrouped, "SELECT AVG(cost) FROM visits"})
    for (const char* delta : {"0", "1e-3"}) {
      const auto before = session_->balances();
      const plan::Plan asked = plan(*session_, query, at("0.75", delta));
      const auto reply = session_->ask(asked, by("ana"), source_);
      ASSERT_TRUE(reply) << query << ": " << reply.error().text();
      const auto after = session_->balances();
      EXPECT_EQ(after->data_set.spent.epsilon - before->data_set.spent.epsilon, Rational(3, 4));
      EXPECT_EQ(after->data_set.releases - before->data_set.releases, 1u);
      EXPECT_TRUE(reply->plan->settled());
      EXPECT_LE(reply->plan->parts[0].cost.epsilon, Rational(3, 4));
    }
}

// Whichever word of randomness doesn't come, in the first stage, between them or in the second: all
// is spent, and no answer is given.
TEST_F(AutomaticAccount, AFailureOnTheWaySpendsAll) {
  const plan::Plan asked = plan(*session_, kWhole, at("1"));
  random::testing::Counting counting(source_);
  ASSERT_TRUE(session_->ask(asked, by("first"), counting));
  // What the first answer told is known now: another question of the same cost measures again.
  int failed = 0, measured = 0;
  for (std::uint64_t after = 0; after < counting.count(); after += 1 + counting.count() / 12) {
    const plan::Plan again = plan(
        *session_, "SELECT COUNT(*), SUM(cost) FROM visits WHERE cost > " + std::to_string(after),
        at("1"));
    const Rational before = spent();
    random::testing::Failing failing(after);
    const auto reply = session_->ask(again, by("ana"), failing);
    EXPECT_EQ(spent() - before, 1) << after;
    failed += !reply;
    // A survey that nobody was shown is not known.
    const auto later = session_->with_profile(again, "ana");
    ASSERT_TRUE(later);
    measured += !reply && !later->settled();
  }
  EXPECT_GE(failed, 8);
  EXPECT_EQ(measured, failed);
}

TEST_F(AutomaticAccount, AnAnswerIsGivenAgainAsItWas) {
  // At an ε that shows little, a little more of it leads to other bounds.
  std::vector<std::string> queries = {kGrouped};
  for (int least = 0; least < 20; ++least)
    queries.push_back("SELECT AVG(cost), SUM(cost) FROM visits WHERE cost > " +
                      std::to_string(least));
  for (const std::string& query : queries) {
    const plan::Plan asked = plan(*session_, query, at("0.1", "1e-4"));
    const auto first = session_->ask(asked, by("ana"), source_);
    ASSERT_TRUE(first) << first.error().text();
    const auto before = session_->balances();
    Asking again = by("ana");
    again.reuse = true;
    const auto second = session_->ask(asked, again, source_);
    ASSERT_TRUE(second) << second.error().text();
    const auto after = session_->balances();
    EXPECT_EQ(before->data_set.spent.epsilon, after->data_set.spent.epsilon);
    EXPECT_EQ(before->data_set.spent.delta, after->data_set.spent.delta);
    EXPECT_TRUE(second->reused);
    ASSERT_EQ(first->answer.rows.size(), second->answer.rows.size());
    for (std::size_t r = 0; r < first->answer.rows.size(); ++r)
      for (std::size_t c = 0; c < first->answer.rows[r].size(); ++c) {
        EXPECT_EQ(first->answer.rows[r][c].value, second->answer.rows[r][c].value);
        EXPECT_EQ(first->answer.rows[r][c].interval, second->answer.rows[r][c].interval);
      }
    // … with the bounds that it was given with, not those that a later one would have.
    EXPECT_EQ(first->plan->parts[0].bounds, second->plan->parts[0].bounds);
    EXPECT_EQ(first->answer.clamps, second->answer.clamps);
    EXPECT_EQ(first->answer.left_out->rows.share, second->answer.left_out->rows.share);
    EXPECT_EQ(first->answer.left_out->units.upper, second->answer.left_out->units.upper);
  }
}

TEST_F(AutomaticAccount, AProfileIsBoughtOnce) {
  const plan::Plan asked = plan(*session_, kWhole, at("1"));
  const auto bought = session_->profile(asked, by("ana"), source_);
  ASSERT_TRUE(bought) << bought.error().text();
  EXPECT_TRUE(bought->receipt);
  EXPECT_EQ(bought->guarantee.epsilon, 1);
  EXPECT_EQ(spent(), 1);
  EXPECT_TRUE(bought->plan.settled());

  const auto twice = session_->profile(asked, by("ana"), source_);
  ASSERT_TRUE(twice);
  EXPECT_FALSE(twice->receipt);
  EXPECT_EQ(spent(), 1);

  // Other questions about the same rows have it too, at any ε.
  for (const char* query :
       {kWhole, "SELECT COUNT(*) FROM visits", "SELECT SUM(cost) FROM visits"}) {
    const auto known = session_->with_profile(plan(*session_, query, at("0.1")), "ana");
    ASSERT_TRUE(known);
    EXPECT_TRUE(known->settled()) << query;
    EXPECT_FALSE(known->parts[0].survey) << query;
    EXPECT_EQ(known->cost.epsilon, Rational(1, 10));
  }
  // Not those about others.
  EXPECT_FALSE(
      session_
          ->with_profile(plan(*session_, "SELECT COUNT(*) FROM visits WHERE cost > 20", at("1")),
                         "ana")
          ->settled());
}

// A count tells how many rows units have; the sum after it measures its values only, and uses both.
TEST_F(AutomaticAccount, WhatOneAnswerToldTheNextOneUses) {
  ASSERT_TRUE(
      session_->ask(plan(*session_, "SELECT COUNT(*) FROM visits", at("4")), by("ana"), source_));
  const auto sum =
      session_->ask(plan(*session_, "SELECT SUM(cost) FROM visits", at("4")), by("ana"), source_);
  ASSERT_TRUE(sum) << sum.error().text();
  const plan::PlanPart& part = sum->plan->parts[0];
  ASSERT_EQ(part.survey->counts.size(), 1u);
  EXPECT_EQ(part.survey->counts[0].kind, plan::Count::Kind::kValue);
  EXPECT_EQ(part.bounds.total, 12);
  // Values are up to 89; noise may add a doubling.
  EXPECT_GE(part.select.aggregates[0].bounds->high, 89);
  EXPECT_LE(part.select.aggregates[0].bounds->high, 4 * 96);
}

TEST_F(AutomaticAccount, WhatIsKnownEndsWithTheDataAndThePolicy) {
  const auto known = [&] {
    return session_->with_profile(plan(*session_, kWhole, at("1")), "ana")->settled();
  };
  EXPECT_FALSE(known());
  ASSERT_TRUE(session_->profile(plan(*session_, kWhole, at("1")), by("ana"), source_));
  EXPECT_TRUE(known());
  session_ = open_again("account");
  EXPECT_TRUE(known());
  session_ = open_again("account", std::string(kPolicy) + "# another text\n");
  EXPECT_FALSE(known());
  session_ = open_again("account");
  EXPECT_TRUE(known());
  session_ = open("account", [](std::ofstream& visits) {
    rows(visits);
    visits << "501,1,20\n";
  });
  EXPECT_FALSE(known());
}

// An analyst knows what was charged to them.
TEST_F(AutomaticAccount, AnAnalystWithACapPaysForWhatTheyKnow) {
  const plan::Plan asked = plan(*session_, kWhole, at("1"));
  ASSERT_TRUE(session_->profile(asked, by("ana"), source_));
  const auto knows = [&](const char* analyst) {
    return session_->with_profile(asked, analyst)->settled();
  };
  EXPECT_TRUE(knows("ana"));
  EXPECT_FALSE(knows("carl"));  // nothing binds him yet, but what he is told counts for later
  {
    auto ledger = ledger::Ledger::open(*terms_of(session_->policy()));
    ASSERT_TRUE(ledger) << ledger.error().text();
    ledger::Grant grant;
    grant.analyst = "bob";
    grant.epsilon = 5;
    grant.delta = 0;
    grant.who = "owner";
    ASSERT_TRUE((*ledger)->grant(grant));
  }
  EXPECT_FALSE(knows("bob"));
  const auto bought = session_->profile(asked, by("bob"), source_);
  ASSERT_TRUE(bought) << bought.error().text();
  EXPECT_EQ(bought->guarantee.epsilon, 1);
  EXPECT_TRUE(knows("bob"));
  EXPECT_EQ((*session_->left_for("bob"))->epsilon, 4);
}

// ---- The truth ----

class AutomaticTruth : public Automatic {
 protected:
  void SetUp() override {
    session_ = open("truth", [&](std::ofstream& visits) {
      std::mt19937_64 draw(17);
      for (int patient = 0; patient < 3000; ++patient) {
        // Most have few rows, some many.
        const double u = static_cast<double>(draw() >> 11) * 0x1p-53;
        const int rows = 1 + static_cast<int>(std::min(60.0, -6 * std::log(1 - u)));
        for (int i = 0; i < rows; ++i) {
          const int ward = static_cast<int>(draw() % 5), cost = static_cast<int>(draw() % 500);
          visits << patient << "," << ward << "," << cost << "\n";
          rows_[ward] += 1, sums_[ward] += cost;
        }
        all_ += rows;
        lost_ += rows - 1;
      }
    });
  }
  static double near(double found, double truth) { return std::abs(found - truth) / truth; }

  double all_ = 0, lost_ = 0, rows_[5] = {}, sums_[5] = {};
  std::unique_ptr<Service> session_;
};

TEST_F(AutomaticTruth, AnswersAreNearIt) {
  const auto reply = session_->ask(
      plan(*session_, "SELECT ward, COUNT(*), SUM(cost), AVG(cost) FROM visits GROUP BY ward",
           at("1000")),
      by("ana"), source_);
  ASSERT_TRUE(reply) << reply.error().text();
  ASSERT_EQ(reply->answer.rows.size(), 5u);
  for (const auto& row : reply->answer.rows) {
    const auto ward = static_cast<std::size_t>(row[0].value.whole);
    EXPECT_LT(near(row[1].value.as_number(), rows_[ward]), 0.01);
    EXPECT_LT(near(row[2].value.as_number(), sums_[ward]), 0.01);
    EXPECT_LT(near(row[3].value.as_number(), sums_[ward] / rows_[ward]), 0.01);
  }
  EXPECT_LT(reply->answer.left_out->rows.share, 0.01);
  const auto whole = session_->ask(
      plan(*session_, "SELECT COUNT(*), COUNT(DISTINCT patient) FROM visits", at("1000")),
      by("ana"), source_);
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_LT(near(whole->answer.rows[0][0].value.as_number(), all_), 0.01);
  EXPECT_LT(near(whole->answer.rows[0][1].value.as_number(), 3000), 0.01);
  // A bound that is too small is seen by the same comparison.
  sql::Options few = at("1000");
  few.max_total = 4;
  const auto cut =
      session_->ask(plan(*session_, "SELECT COUNT(*) FROM visits", few), by("ana"), source_);
  ASSERT_TRUE(cut) << cut.error().text();
  EXPECT_GT(near(cut->answer.rows[0][0].value.as_number(), all_), 0.1);
}

// A bound on rows that is declared, or follows from the question, and values that are measured.
TEST_F(AutomaticTruth, MeasuredValuesOfDeclaredRowsAreNearIt) {
  double sum = 0;
  for (const double one : sums_) sum += one;
  for (const char* epsilon : {"2", "20"}) {
    sql::Options declared = at(epsilon);
    declared.max_total = 61;
    const auto costs = session_->ask(
        plan(*session_, "SELECT SUM(cost), AVG(cost) FROM visits", declared), by("ana"), source_);
    ASSERT_TRUE(costs) << costs.error().text();
    EXPECT_LT(near(costs->answer.rows[0][0].value.as_number(), sum), 0.15) << epsilon;
    EXPECT_LT(near(costs->answer.rows[0][1].value.as_number(), sum / all_), 0.15) << epsilon;
    const auto rows = session_->ask(
        plan(*session_,
             "SELECT AVG(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)",
             at(epsilon)),
        by("ana"), source_);
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_LT(near(rows->answer.rows[0][0].value.as_number(), all_ / 3000), 0.15) << epsilon;
  }
}

TEST_F(AutomaticTruth, WhatOneRowAUnitLeavesOutIsSaid) {
  const double share = lost_ / all_;
  for (const char* query : {"SELECT COUNT(*) FROM visits", "SELECT SUM(cost) FROM visits",
                            "SELECT ward, COUNT(*) FROM visits GROUP BY ward"})
    for (const char* epsilon : {"20", "1000"}) {
      sql::Options options = at(epsilon);
      options.max_total = 1;
      const auto reply = session_->ask(plan(*session_, query, options), by("ana"), source_);
      ASSERT_TRUE(reply) << query << ": " << reply.error().text();
      const plan::LeftOut& left_out = *reply->answer.left_out;
      ASSERT_EQ(left_out.state, plan::LeftOut::State::kMeasured);
      EXPECT_NEAR(left_out.rows.share, share, 0.03) << query << epsilon;
      EXPECT_LE(left_out.rows.lower, share) << query << epsilon;
      EXPECT_GE(left_out.rows.upper, share) << query << epsilon;
      EXPECT_LT(left_out.rows.upper - left_out.rows.lower, 0.2) << query << epsilon;
    }
}

}  // namespace
}  // namespace discreet::service
