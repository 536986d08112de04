// Plans that release more than they pay for are refused, whichever of their numbers is forged.
#include "discreet/plan/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "discreet/plan/testing/forger.h"
#include "discreet/plan/testing/planned.h"

namespace discreet::plan {
namespace {

using Forge = std::function<void(PlanPart&)>;
using Kind = Count::Kind;

Count& count_of(std::vector<Count>& counts, Kind kind) {
  const auto found = std::find_if(counts.begin(), counts.end(),
                                  [&](const Count& count) { return count.kind == kind; });
  if (found == counts.end()) {
    ADD_FAILURE() << "there is no such count in the plan";
    return counts.front();
  }
  return *found;
}

class Verify : public testing::Planned {
 protected:
  // The honest plan is accepted, each forged one isn't.
  static void expect_refused(const Plan& honest,
                             const std::vector<std::pair<const char*, Forge>>& forgeries) {
    EXPECT_TRUE(verify(honest));
    for (const auto& [what, forge] : forgeries) {
      const Status status = verify(PlanForger::altered(honest, forge));
      ASSERT_FALSE(status) << what;
      EXPECT_EQ(status.error().message,
                "the plan would cost more than it charges; nothing was asked")
          << what;
    }
  }
};

const std::vector<std::pair<const char*, Forge>> kOfBounds = {
    {"a larger total", [](PlanPart& part) { ++*part.bounds.total; }},
    {"no total", [](PlanPart& part) { part.bounds.total.reset(); }},
    {"a smaller ℓ1", [](PlanPart& part) { part.statistics[0].total -= 1; }},
    {"a smaller ℓ2", [](PlanPart& part) { part.statistics[0].squares -= 1; }},
    {"a smaller change of one group", [](PlanPart& part) { part.statistics[0].sensitivity -= 1; }},
    {"less noise",
     [](PlanPart& part) { part.statistics[0].scale *= Rational(999'999, 1'000'000); }},
    {"values that are larger", [](PlanPart& part) { ++part.slots.at(0).high; }},
};

TEST_F(Verify, ATotalThatIsLargerThanPaidFor) {
  for (const char* delta : {"0", "1e-2"}) {
    const auto made = plan(std::string(testing::kRanges) + "max_rows = 5\nmax_groups = 3\n",
                           "SELECT g, SUM(n) FROM t GROUP BY g", delta);
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_TRUE(made->parts[0].bounds.total);
    expect_refused(*made, kOfBounds);
  }
}

// The squares are those of full groups and a rest, and Gaussian noise rests on them.
TEST_F(Verify, SquaresOfRowsThatFillGroups) {
  const auto made = plan(
      std::string(testing::kRanges) + "max_rows = 30\nmax_groups = 6\nmax_rows_per_group = 5\n",
      "SELECT g, COUNT(*), SUM(n), SUM(x), AVG(n), AVG(x) FROM t GROUP BY g", "1e-2");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->parts[0].gaussian);
  for (std::size_t s = 0; s < made->parts[0].statistics.size(); ++s)
    expect_refused(*made,
                   {{"ℓ2²", [s](PlanPart& part) { part.statistics[s].squares -= 1; }},
                    {"σ", [s](PlanPart& part) { part.statistics[s].scale *= Rational(9, 10); }},
                    {"rows in a group", [](PlanPart& part) { ++part.bounds.rows; }},
                    {"groups", [](PlanPart& part) { ++part.bounds.groups; }}});
}

TEST_F(Verify, CountsOfWhatIsLeftOut) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 4\n",
                         "SELECT g, SUM(n) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  std::vector<std::pair<const char*, Forge>> forgeries = {
      {"kept rows that count as fewer",
       [](PlanPart& part) { count_of(part.left_out, Kind::kKept).sensitivity -= 1; }},
      {"kept rows that count as one",
       [](PlanPart& part) { count_of(part.left_out, Kind::kKept).sensitivity = 1; }},
      {"more rows kept than the noise covers", [](PlanPart& part) { ++part.rows_per_group; }},
      {"one more count", [](PlanPart& part) { part.left_out.push_back(part.left_out[0]); }},
      {"one more sum of rows, as if it were a histogram",
       [](PlanPart& part) { count_of(part.left_out, Kind::kLost).kind = Kind::kKept; }},
  };
  for (const Kind kind : {Kind::kCut, Kind::kLost, Kind::kKept, Kind::kClamped}) {
    forgeries.push_back({"a histogram that no unit changes", [kind](PlanPart& part) {
                           count_of(part.left_out, kind).sensitivity = 0;
                         }});
    forgeries.push_back(
        {"twice the ε", [kind](PlanPart& part) { count_of(part.left_out, kind).epsilon *= 2; }});
    forgeries.push_back(
        {"no ε", [kind](PlanPart& part) { count_of(part.left_out, kind).epsilon = 0; }});
    // What one is given below nothing, another could spend.
    forgeries.push_back({"an ε below nothing", [kind](PlanPart& part) {
                           count_of(part.left_out, kind).epsilon *= -1;
                           part.left_out[0].epsilon += 1;
                         }});
  }
  expect_refused(*made, forgeries);
}

TEST_F(Verify, Surveys) {
  const auto made = plan(testing::kTypes, "SELECT g, COUNT(*), SUM(n) FROM t GROUP BY g", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->settled());
  const std::size_t counts = made->parts[0].survey->counts.size();
  ASSERT_EQ(counts, 3u);  // rows, rows in the largest group, values
  std::vector<std::pair<const char*, Forge>> forgeries = {
      {"a histogram released twice",
       [](PlanPart& part) { part.survey->counts.push_back(part.survey->counts[0]); }},
      {"no survey where one is needed", [](PlanPart& part) { part.survey.reset(); }},
  };
  for (std::size_t i = 0; i < counts; ++i) {
    forgeries.push_back(
        {"twice the ε", [i](PlanPart& part) { part.survey->counts[i].epsilon *= 2; }});
    forgeries.push_back({"no ε", [i](PlanPart& part) { part.survey->counts[i].epsilon = 0; }});
    forgeries.push_back({"a histogram that no unit changes",
                         [i](PlanPart& part) { part.survey->counts[i].sensitivity = 0; }});
    if (made->parts[0].survey->counts[i].kind != Kind::kValue)
      forgeries.push_back({"shares of a unit, of what a unit has one of",
                           [i](PlanPart& part) { part.survey->counts[i].weight_bits = 1; }});
    // Nothing bounds how many rows a unit has where bounds are still to be measured.
    forgeries.push_back({"a sum of rows, of which a unit has any number",
                         [i](PlanPart& part) { part.survey->counts[i].kind = Kind::kKept; }});
    forgeries.push_back({"… however large its noise", [i](PlanPart& part) {
                           part.survey->counts[i].kind = Kind::kKept;
                           part.survey->counts[i].sensitivity = 1'000'000;
                         }});
  }
  expect_refused(*made, forgeries);
}

// Only surveys: all of the ε is theirs, and no more.
TEST_F(Verify, SurveysAlone) {
  const auto made = plan(testing::kTypes, "SELECT g, COUNT(*), SUM(n) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  const auto alone = only_surveys(*made);
  ASSERT_TRUE(alone);
  EXPECT_EQ(alone->cost.epsilon, 1);
  Rational spent = 0;
  for (const Count& count : alone->parts[0].survey->counts) spent += count.epsilon;
  EXPECT_EQ(spent, 1);
  expect_refused(*alone, {{"a little more", [](PlanPart& part) {
                             part.survey->counts[0].epsilon += Rational(1, 1'000'000);
                           }}});
}

// Groups that a number shows: it has to be one that each unit changes by 1 a group, with the noise
// that the threshold is made for, and nothing may say that more units are needed.
TEST_F(Verify, GroupsShownByTheirCount) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 1\n",
                         "SELECT n, COUNT(DISTINCT who), SUM(x) FROM t GROUP BY n", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->parts[0].selection && made->parts[0].selection->by);
  const std::size_t by = *made->parts[0].selection->by;
  ASSERT_EQ(made->parts[0].statistics.size(), 2u);
  expect_refused(
      *made,
      {{"fewer units than are asked for", [](PlanPart& part) { part.selection->min_units = 5; }},
       {"two units", [](PlanPart& part) { part.selection->min_units = 2; }},
       {"another number decides", [by](PlanPart& part) { part.selection->by = 1 - by; }},
       {"a number that isn't there", [](PlanPart& part) { part.selection->by = 2; }},
       {"units with a value", [by](PlanPart& part) { part.statistics[by].slot = 0; }},
       {"another grid", [by](PlanPart& part) { part.statistics[by].exponent = 1; }},
       {"a δ of 0", [](PlanPart& part) { part.selection->delta = 0; }},
       {"a larger δ", [](PlanPart& part) { part.selection->delta *= Rational(1001, 1000); }},
       {"an ε below nothing", [](PlanPart& part) { part.selection->epsilon = -1; }},
       {"an ε of its own", [](PlanPart& part) { part.selection->epsilon = Rational(1, 1000); }},
       {"no number decides, for nothing", [](PlanPart& part) { part.selection->by.reset(); }}});
}

// A unit has one row in each group that rows show; here it has two, and everything else is paid
// for.
TEST_F(Verify, GroupsShownByTheirRows) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 1\n",
                         "SELECT n, COUNT(DISTINCT who) FROM t GROUP BY n", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->parts[0].selection && made->parts[0].selection->by);
  ASSERT_EQ(made->parts[0].statistics.size(), 1u);
  const Plan rows = PlanForger::altered(*made, [](PlanPart& part) {
    part.statistics[0].kind = Statistic::Kind::kRows;
    part.bounds = {3, 1, {}};
    part.weight_bits.reset();
  });
  expect_refused(rows, {{"two rows of a unit",
                         [](PlanPart& part) {
                           part.statistics[0].sensitivity = 2;
                           part.statistics[0].squares = 4;
                           part.bounds = {1, 2, {}};
                         }},
                        // Of three rows that count as one, each with a third of 2^k, the weights
                        // add up to less than the unit.
                        {"rows with weights", [](PlanPart& part) {
                           part.weight_bits = 10;
                           part.statistics[0].weight_bits = 10;
                         }}});
}

// Where only units count no row has to be left out, and a sum of those that are kept has no bound.
TEST_F(Verify, ASumOfRowsThatNothingLimits) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 2\n",
                         "SELECT g, COUNT(DISTINCT who) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->parts[0].left_out.empty());
  expect_refused(*made, {{"kept rows", [](PlanPart& part) {
                            Count& count = count_of(part.left_out, Kind::kRows);
                            count.kind = Kind::kKept;
                            count.sensitivity = part.bounds.most_rows();
                            part.rows_per_group = part.bounds.rows;
                          }}});
}

// A sum of rows with weights is made on a finer grid than that of its values, and so is its noise.
TEST_F(Verify, WeightsThatTheNoiseKnowsNothingOf) {
  for (const char* delta : {"0", "1e-2"}) {
    const auto made = plan(std::string(testing::kRanges) + "max_rows = 5\n",
                           "SELECT g, SUM(n), COUNT(DISTINCT who) FROM t GROUP BY g", delta);
    ASSERT_TRUE(made) << made.error().text();
    ASSERT_EQ(made->parts[0].weight_bits, 10u);
    expect_refused(
        *made,
        {{"noise for whole rows", [](PlanPart& part) { part.statistics[0].weight_bits = 0; }},
         {"noise for fewer bits", [](PlanPart& part) { part.statistics[0].weight_bits = 9; }},
         {"more bits than there are", [](PlanPart& part) { part.weight_bits = 11; }},
         {"rows that are drawn", [](PlanPart& part) { part.weight_bits.reset(); }},
         {"units with weights", [](PlanPart& part) { part.statistics[1].weight_bits = 10; }},
         {"nothing that is bounded", [](PlanPart& part) { part.direct = true; }},
         {"whole rows beside them", [](PlanPart& part) {
            part.statistics[0].kind = Statistic::Kind::kDistinct;
            part.statistics[0].weight_bits = 0;
          }}});
  }
}

// Rows that fill two groups and half of a third.
TEST_F(Verify, AGroupThatIsFilledInPartCounts) {
  const auto made = plan(std::string(testing::kRanges) + "max_rows = 5\nmax_groups = 3\n",
                         "SELECT g, SUM(n) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  const Plan filled = PlanForger::altered(*made, [](PlanPart& part) {
    part.bounds = {3, 2, 5};
    part.rows_per_group = 2;
    part.statistics[0].sensitivity = 18;
    part.statistics[0].total = 45;
    part.statistics[0].squares = 2 * 18 * 18 + 9 * 9;
  });
  expect_refused(filled,
                 {{"the rest of ℓ1", [](PlanPart& part) { part.statistics[0].total = 44; }},
                  {"all of the rest", [](PlanPart& part) { part.statistics[0].total = 36; }},
                  {"the rest of ℓ2", [](PlanPart& part) { part.statistics[0].squares -= 1; }},
                  {"one group", [](PlanPart& part) { part.statistics[0].sensitivity = 17; }}});
}

// What one row, or one unit, changes, of every kind of number.
TEST_F(Verify, EveryKindOfNumberHasItsSensitivity) {
  for (const char* aggregate :
       {"COUNT(*)", "COUNT(n)", "COUNT(DISTINCT n)", "COUNT(DISTINCT who)", "SUM(n)", "AVG(n)",
        "VAR_POP(n)", "VAR_POP(x)", "QUANTILE(x, 0.9, method => 'exponential')",
        "QUANTILE(x, 0.1, method => 'exponential')", "MAX(n)", "MODE(g, method => 'exponential')",
        "SUM(n, contribution_bounds_per_group => (-9, 4))",
        "COUNT(n, contribution_bounds_per_group => (-9, 4))",
        "COUNT(*, contribution_bounds_per_group => (0, 4))",
        "AVG(n, contribution_bounds_per_group => (-9, 4))"}) {
    const auto made =
        plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 4\n",
             "SELECT g, " + std::string(aggregate) + " FROM t GROUP BY g");
    ASSERT_TRUE(made) << aggregate << ": " << made.error().text();
    for (std::size_t s = 0; s < made->parts[0].statistics.size(); ++s)
      expect_refused(*made,
                     {{aggregate, [s](PlanPart& part) { part.statistics[s].sensitivity -= 1; }},
                      {aggregate, [s](PlanPart& part) { part.statistics[s].total -= 1; }},
                      {aggregate, [s](PlanPart& part) { part.statistics[s].squares -= 1; }}});
  }
}

// An ε of its own is shared by the numbers that the aggregate is made of.
TEST_F(Verify, AnEpsilonOfItsOwnIsPaidOnce) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 4\n",
                         "SELECT g, AVG(n, epsilon => 0.5), COUNT(*) FROM t GROUP BY g");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(verify(*made));
  Rational own = 0;
  for (const std::size_t s : made->parts[0].parts[0]) own += made->parts[0].statistics[s].epsilon;
  EXPECT_EQ(own, Rational(1, 2));
}

// The δ of choices is added up with all others.
TEST_F(Verify, EveryDeltaCounts) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 1\n",
                         "SELECT n, MEDIAN(x, method => 'propose-test-release'), "
                         "QUANTILE(x, 0.9, method => 'propose-test-release') FROM t GROUP BY n",
                         "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  ASSERT_EQ(part.statistics.size(), 2u);
  for (std::size_t s = 0; s < 2; ++s) {
    ASSERT_GT(part.statistics[s].delta, 0);
    expect_refused(*made,
                   {{"a little more δ",
                     [s](PlanPart& one) { one.statistics[s].delta *= Rational(1001, 1000); }},
                    {"a δ below nothing", [s](PlanPart& one) { one.statistics[s].delta *= -1; }},
                    {"more ε", [s](PlanPart& one) { one.statistics[s].epsilon *= 2; }},
                    {"a test for no δ", [s](PlanPart& one) { one.statistics[s].delta = 0; }}});
  }
}

// Two parts cost what both cost.
TEST_F(Verify, PartsAddUp) {
  const auto made =
      plan(std::string(testing::kRanges) + "max_rows_per_group = 2\n", "SELECT SUM(n) FROM t", "0");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_TRUE(verify(*made));
  const Plan twice = PlanForger::of({made->parts[0], made->parts[0]});
  EXPECT_FALSE(verify(twice));
  expect_refused(*made, {{"a part that costs more than the whole",
                          [](PlanPart& part) { part.cost.epsilon += Rational(1, 1000); }},
                         {"… in δ", [](PlanPart& part) { part.cost.delta += Rational(1, 1000); }}});
}

// Noise that is none, or less than none, pays nothing back.
TEST_F(Verify, NoNumberPaysForAnother) {
  const auto made = plan(std::string(testing::kRanges) + "max_rows_per_group = 1\n",
                         "SELECT n, COUNT(*), SUM(x), MEDIAN(x) FROM t GROUP BY n", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  const auto chosen = static_cast<std::size_t>(
      std::find_if(made->parts[0].statistics.begin(), made->parts[0].statistics.end(),
                   [](const Statistic& one) { return one.noise == Noise::kExponential; }) -
      made->parts[0].statistics.begin());
  ASSERT_LT(chosen, made->parts[0].statistics.size());
  expect_refused(
      *made,
      {{"a scale below 0", [](PlanPart& part) { part.statistics[0].scale *= -1; }},
       {"a scale of 0", [](PlanPart& part) { part.statistics[0].scale = 0; }},
       {"a choice below 0", [chosen](PlanPart& part) { part.statistics[chosen].epsilon = -1; }},
       {"a choice for nothing",
        [chosen](PlanPart& part) { part.statistics[chosen].epsilon = 0; }}});
}

}  // namespace
}  // namespace discreet::plan
