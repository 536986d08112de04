// The second stage of a plan: whatever its survey shows, it can be run at the price that was
// reserved, and what was known before is used as well.
#include <gtest/gtest.h>

#include <random>

#include "discreet/bound/scale.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/plan/testing/planned.h"
#include "discreet/plan/verify.h"

namespace discreet::plan {
namespace {

class Settle : public testing::Planned {
 protected:
  // Histograms of any shape for all that a plan wants to know.
  Profile any_profile(const Plan& plan) {
    Profile out;
    for (const PlanPart& part : plan.parts)
      if (part.survey)
        for (const Count& count : part.survey->counts) {
          Histogram one{count.key, count.slot ? part.survey->slots[*count.slot].exponent : 0,
                        std::vector<std::int64_t>(count.bins), count.epsilon};
          const auto b = static_cast<std::int64_t>(one.noise());
          for (std::int64_t& bin : one.bins)
            bin = static_cast<std::int64_t>(draw_() % static_cast<std::uint64_t>(2 * b + 1)) - b;
          // A hill somewhere, of any height, or none.
          const std::size_t at = draw_() % count.bins, width = 1 + draw_() % 8;
          const auto height = static_cast<std::int64_t>(std::uint64_t{1} << draw_() % 40);
          if (draw_() % 4 > 0)
            for (std::size_t i = at; i < std::min(at + width, count.bins); ++i)
              one.bins[i] += height;
          out.add(std::move(one));
        }
    return out;
  }

  // One histogram of a key that has `units` units in one bin.
  static Histogram hill(const Plan& plan, Count::Kind kind, std::size_t bin, std::int64_t units) {
    for (const Count& count : plan.parts[0].survey->counts)
      if (count.kind == kind) {
        Histogram out{count.key, count.slot ? plan.parts[0].survey->slots[*count.slot].exponent : 0,
                      std::vector<std::int64_t>(count.bins), count.epsilon};
        out.bins[bin] = units;
        return out;
      }
    ADD_FAILURE() << "there is no such histogram in the survey";
    return {};
  }

  std::mt19937_64 draw_{3};
};

const char* const kAggregates[] = {"COUNT(*)",
                                   "COUNT(n)",
                                   "SUM(n)",
                                   "AVG(n)",
                                   "STDDEV(n)",
                                   "VAR_POP(x)",
                                   "MEDIAN(n)",
                                   "MAX(n)",
                                   "MIN(x)",
                                   "SUM(n * x)",
                                   "AVG(x)",
                                   "COUNT(x)",
                                   "COUNT(DISTINCT who)",
                                   "COUNT(DISTINCT n)",
                                   "QUANTILE(x, 0.9)",
                                   "SUM(n, contribution_bounds_per_group => (0, 4))",
                                   "AVG(n, contribution_bounds_per_group => (0, 4))",
                                   "COUNT(n, contribution_bounds_per_group => (0, 4))"};

constexpr const char* kWideRanges =
    "columns.n = { type = \"integer\", range = [-300, 900] }\ncolumns.x = { type = \"number\", "
    "range "
    "= [-1000, 1000] }\n";

TEST_F(Settle, WhateverIsMeasuredCostsNoMore) {
  // Every pair, each asked in two of these ways.
  struct Way {
    std::string key, delta;  // private groups need a δ
  };
  const Way ways[] = {{"", "0"},     {"", "1e-9"},  {"", "1e-2"},  {"g", "0"},
                      {"g", "1e-9"}, {"g", "1e-2"}, {"n", "1e-9"}, {"n", "1e-2"}};
  int settled_plans = 0;
  std::size_t way = 0;
  for (std::size_t i = 0; i < 2 * std::size(kAggregates); ++i)
    for (std::size_t j = i / 2; j < std::size(kAggregates); ++j) {
      const auto& [key, delta] = ways[way++ % std::size(ways)];
      const std::string query = "SELECT " + (key.empty() ? key : key + ", ") + kAggregates[i / 2] +
                                ", " + kAggregates[j] + " FROM t" +
                                (key.empty() ? key : " GROUP BY " + key);
      // Where a range is declared its values are measured all the same: what is measured is
      // narrower.
      const auto made = plan(i % 2 == 0 ? testing::kTypes : kWideRanges, query, delta.c_str());
      ASSERT_TRUE(made) << query << ": " << made.error().text();
      ASSERT_TRUE(verify(*made));
      if (made->settled()) continue;
      ++settled_plans;
      const auto settled = settle(*made, catalog_, any_profile(*made));
      ASSERT_TRUE(settled) << query << " δ " << delta << ": " << settled.error().text();
      EXPECT_TRUE(settled->settled());
      EXPECT_TRUE(verify(*settled)) << query;
      EXPECT_EQ(settled->cost.epsilon, made->cost.epsilon);
      EXPECT_EQ(settled->cost.delta, made->cost.delta);
      EXPECT_LE(settled->parts[0].cost.epsilon, made->parts[0].cost.epsilon) << query;
      EXPECT_LE(settled->parts[0].cost.delta, made->parts[0].cost.delta) << query;
    }
  EXPECT_GT(settled_plans, 200);
}

// A count of values is the one in their average, also where that one's bounds are measured: had it
// become a number of its own, more would be released than the budget was shared out for.
TEST_F(Settle, ACountAndItsAverageStayOneNumber) {
  for (const char* query : {"SELECT COUNT(*), SUM(x), AVG(x), COUNT(x) FROM t",
                            "SELECT COUNT(x), STDDEV(x), AVG(x) FROM t"}) {
    const auto made = plan(kWideRanges, query);
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_FALSE(made->settled());
    const auto settled = settle(*made, catalog_, any_profile(*made));
    ASSERT_TRUE(settled) << query << ": " << settled.error().text();
    const auto& numbers = settled->parts[0].statistics;
    EXPECT_EQ(std::count_if(numbers.begin(), numbers.end(),
                            [](const auto& one) { return one.kind == Statistic::Kind::kCount; }),
              1)
        << query;
  }
}

// Gaussian noise becomes narrower with bounds that nobody knew when δ was reserved; where it can't,
// no δ is.
TEST_F(Settle, DeltaIsReservedWhereItMayBeNeeded) {
  const auto grouped = plan(testing::kTypes, "SELECT g, COUNT(*) FROM t GROUP BY g", "1e-2");
  ASSERT_TRUE(grouped) << grouped.error().text();
  EXPECT_FALSE(grouped->parts[0].gaussian);
  EXPECT_GT(grouped->cost.delta, 0);
  Profile spread;  // six rows, each in a group of its own
  spread.add(hill(*grouped, Count::Kind::kRows, bound::count_bin(6), 1'000'000));
  spread.add(hill(*grouped, Count::Kind::kMost, bound::count_bin(1), 1'000'000));
  const auto settled = settle(*grouped, catalog_, spread);
  ASSERT_TRUE(settled) << settled.error().text();
  EXPECT_TRUE(settled->parts[0].gaussian);
  // A plan that hadn't paid for it gets no answer.
  const auto unpaid = PlanForger::altered(*grouped, [](PlanPart& part) { part.cost.delta = 0; });
  EXPECT_FALSE(settle(unpaid, catalog_, spread));

  const auto whole = plan(testing::kTypes, "SELECT COUNT(*) FROM t", "1e-2");
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->cost.delta, 0);
}

// What is known already isn't measured again, and isn't forgotten when the rest is.
TEST_F(Settle, WhatIsKnownInPartIsUsed) {
  const char* query = "SELECT SUM(n) FROM t";
  const auto fresh = plan(testing::kTypes, query);
  ASSERT_TRUE(fresh) << fresh.error().text();
  ASSERT_EQ(fresh->parts[0].survey->counts.size(), 2u);
  Profile rows;
  rows.add(hill(*fresh, Count::Kind::kRows, bound::count_bin(12), 1'000'000));
  const auto made = plan(testing::kTypes, query, "0", rows);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_EQ(made->parts[0].survey->counts.size(), 1u);
  EXPECT_EQ(made->parts[0].survey->counts[0].kind, Count::Kind::kValue);
  Profile values;
  const bound::ValueScale scale(0);
  values.add(hill(*made, Count::Kind::kValue, static_cast<std::size_t>(scale.bin(90)), 1'000'000));
  const auto settled = settle(*made, catalog_, values);
  ASSERT_TRUE(settled) << settled.error().text();
  EXPECT_EQ(settled->parts[0].bounds.total, 12);
  EXPECT_EQ(settled->parts[0].select.aggregates[0].bounds->high, 96);

  Profile both = rows;
  both.add(values);
  const auto known = plan(testing::kTypes, query, "0", both);
  ASSERT_TRUE(known);
  EXPECT_TRUE(known->settled());
  EXPECT_FALSE(known->parts[0].survey);
  EXPECT_EQ(known->parts[0].bounds, settled->parts[0].bounds);
}

// Groups that are listed as they stand together are those of the survey: not every combination.
TEST_F(Settle, TheGroupsOfASurveyAreThoseOfTheAnswer) {
  const auto made = plan(testing::kTypes, "SELECT g, COUNT(*) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  PlanPart part = made->parts[0];
  ASSERT_TRUE(part.survey);
  Unknown unknown;
  unknown.rows = true;
  const std::string before = make_survey(part, unknown, 1, {}).counts.at(0).key;
  part.select.groups = {{part.select.domains[0]->front()}};
  EXPECT_EQ(survey_part(part).select.groups, part.select.groups);
  EXPECT_NE(make_survey(part, unknown, 1, {}).counts.at(0).key, before);
}

}  // namespace
}  // namespace discreet::plan
