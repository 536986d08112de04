// From a question to a plan, and from released numbers to columns.
#include "discreet/plan/plan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include "discreet/engine/duckdb/calculator.h"
#include "discreet/mechanism/noise.h"
#include "discreet/plan/canonical.h"
#include "discreet/plan/charges.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/post.h"
#include "discreet/plan/statistics.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/privacy/accountant.h"
#include "discreet/privacy/expression.h"
#include "discreet/sql/functions.h"

namespace discreet::plan {
namespace {

using engine::duckdb::calculator;
using policy::make_catalog;
using policy::Policy;
using policy::StoredColumn;
using sql::call;
using sql::check;
using sql::column;
using sql::literal;
using sql::make_call;
using sql::parse;

Cell cell(double value, double low, double high) {
  return {Value::number(value), std::pair{low, high}};
}

TEST(Post, IntervalsFollow) {
  const Expr a = column(0, Type::kDouble), b = column(1, Type::kDouble);
  const std::vector<Cell> columns = {cell(10, 9, 11), cell(2, 1, 3)};
  EXPECT_EQ(*evaluate(call(Op::kSubtract, Type::kDouble, {a, b}), columns).interval,
            std::pair(6.0, 10.0));
  EXPECT_EQ(*evaluate(call(Op::kDivide, Type::kDouble, {a, b}), columns).interval,
            std::pair(3.0, 11.0));
  const std::vector<Cell> around_zero = {cell(10, 9, 11), cell(1, -1, 3)};
  EXPECT_TRUE(
      std::isinf(evaluate(call(Op::kDivide, Type::kDouble, {a, b}), around_zero).interval->second));
  EXPECT_TRUE(evaluate(call(Op::kDivide, Type::kDouble, {a, literal(Value::integer(0))}), columns)
                  .value.null);
}

class Plans : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("discreet-plans-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "t.csv") << "who,g,x,n\n";
    auto policy = Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "
        "\"t.csv\"\nkey = \"who\"\ncolumns.x = { range = [-1, 3] }\ncolumns.n = { type = "
        "\"integer\", range = [0, 9] }\nmax_groups = 4\nmax_rows_per_group = 2\n",
        "p.toml", folder_.string());
    ASSERT_TRUE(policy) << policy.error().text();
    std::vector<StoredColumn> columns(4);
    const char* names[] = {"who", "g", "x", "n"};
    for (std::size_t i = 0; i < 4; ++i) {
      columns[i].name = names[i];
      columns[i].as_text = columns[i].same_type = true;
    }
    catalog_ = *make_catalog(*policy, {columns});
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  Result<Plan> plan(const char* query, const char* epsilon, const char* delta = "0",
                    bool measure = false) {
    Options options;
    options.measure_bounds = measure;
    options.epsilon = *parse_number(epsilon, Rounding::kDown);
    options.delta = *parse_number(delta, Rounding::kDown);
    auto question = check(*parse(query), catalog_, tools(calculator()));
    if (!question) return forward_error(question);
    return make_plan(*question, catalog_, options);
  }
  std::filesystem::path folder_;
  Catalog catalog_;
};

// A range of one point, or one that no double's grid could divide, has a grid all the same: its

// step and the step's inverse are doubles, and so are their squares.

TEST_F(Plans, EveryRangeHasAGrid) {
  for (const char* query :
       {"SELECT SUM(x * 0) FROM t", "SELECT SUM(x * 1e-307) FROM t",
        "SELECT VAR_POP(x * 1e-300) FROM t", "SELECT SUM(x * 1e9) FROM t", "SELECT AVG(0e0) FROM t",
        "SELECT SUM(x, contribution_bounds_per_row => (0, 0)) FROM t"})
    for (const char* epsilon : {"1e-9", "1", "1000"}) {
      auto made = plan(query, epsilon);
      ASSERT_TRUE(made) << query << ": " << made.error().text();
      for (const Slot& slot : made->parts[0].slots) {
        EXPECT_LT(std::abs(slot.exponent), 450) << query;
        EXPECT_LE(slot.low, slot.high);
      }
    }
}

TEST_F(Plans, PeopleAreNotToldApartByRoundedNumbers) {
  auto policy = Policy::parse(
      "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "
      "\"t.csv\"\nkey = \"who\"\n",
      "p.toml", folder_.string());
  ASSERT_TRUE(policy);
  std::vector<StoredColumn> columns(2);
  columns[0].name = "who";
  columns[0].type = Type::kDouble;  // how a UBIGINT or DECIMAL column is seen
  columns[1].name = "x";
  columns[1].type = Type::kDouble;
  const Catalog catalog = *make_catalog(*policy, {columns});
  EXPECT_EQ(catalog.tables[0].columns[0].type, Type::kText);
  EXPECT_FALSE(catalog.tables[0].stored[0].same_type);
  EXPECT_EQ(catalog.tables[0].columns[1].type, Type::kDouble);
}

// 0.5 cut to 0 would be a group that nobody declared, and 1e300 is no whole number of 64 bits.

TEST_F(Plans, DeclaredValuesOfWholeNumbersAreWhole) {
  for (const auto& [values, fine] : {std::pair{"[1.0, 2.0]", true},
                                     {"[-9007199254740992.0]", true},
                                     {"[0.5, 1.0]", false},
                                     {"[1e300]", false},
                                     {"[nan]", false},
                                     {"[inf]", false},
                                     {"[9223372036854775808.0]", false}}) {
    auto policy = Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "
        "\"t.csv\"\nkey = \"who\"\ncolumns.n = { values = " +
            std::string(values) + " }\n",
        "p.toml", folder_.string());
    ASSERT_TRUE(policy) << policy.error().text();
    std::vector<StoredColumn> columns(2);
    columns[0].name = "who";
    columns[1].name = "n";
    columns[1].type = Type::kInt;  // as in a Parquet file
    auto catalog = make_catalog(*policy, {columns});
    EXPECT_EQ(catalog.has_value(), fine) << values;
    if (!catalog) {
      EXPECT_EQ(catalog.error().code, Code::kUsage);
    }
  }
}

// Declared values are a range as well: no further bounds are asked for, and rows are clamped.

TEST_F(Plans, DeclaredNumbersAreARange) {
  const auto bounds = [&](const std::string& about) -> std::optional<Interval> {
    auto policy = Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1 }\n[tables.t]\nsource = "
        "\"t.csv\"\nkey = \"who\"\ncolumns.n = { " +
            about + " }\n",
        "p.toml", folder_.string());
    EXPECT_TRUE(policy) << policy.error().text();
    std::vector<StoredColumn> columns(2);
    columns[0].name = "who";
    columns[1].name = "n";
    columns[1].as_text = true;
    catalog_ = *make_catalog(*policy, {columns});
    auto made = plan("SELECT MAX(n) FROM t", "1");
    if (!made) return std::nullopt;
    return made->question.selects[0].aggregates[0].bounds;  // none: they are measured
  };
  EXPECT_EQ(bounds("values = [1, 0]"), (Interval{0, 1}));
  EXPECT_EQ(bounds("values = [0.1, -2.5, 1.0]"), (Interval{Rational(-5, 2), 1}));
  EXPECT_EQ(bounds("values = [0, 1], range = [-3, 9]"), (Interval{-3, 9}));
  EXPECT_EQ(bounds("type = \"date\", values = [\"1970-01-03\", \"1970-01-02\"]"), (Interval{1, 2}));
  EXPECT_EQ(bounds("type = \"timestamp\", values = [\"1970-01-01 00:00:00.5\"]"),
            (Interval{Rational(1, 2), Rational(1, 2)}));
  EXPECT_EQ(bounds("values = [0.0, nan]"), std::nullopt);
  EXPECT_EQ(bounds("values = [0.0, 1e300]"), std::nullopt);
  EXPECT_EQ(bounds("type = \"text\", values = [\"0\", \"1\"]"), std::nullopt);
}

TEST_F(Plans, CostExactlyWhatWasAskedFor) {
  for (const char* query :
       {"SELECT COUNT(*) FROM t", "SELECT AVG(x), COUNT(x), VAR_POP(x), SUM(n) FROM t",
        "SELECT MEDIAN(x), MAX(n), COUNT(*) FROM t"}) {
    auto made = plan(query, "0.1");
    ASSERT_TRUE(made) << made.error().text();
    EXPECT_EQ(made->cost.epsilon, Rational(1, 10));
    EXPECT_EQ(made->cost.delta, 0);
  }
}

// The sum of shares, by the theorem of each mechanism: Σ G·Δ/b.

TEST_F(Plans, LaplaceSharesAddUp) {
  auto made = plan("SELECT AVG(x), COUNT(*), SUM(n) FROM t", "0.3");
  Rational spent = 0;
  for (const Statistic& one : made->parts[0].statistics) {
    ASSERT_EQ(one.noise, Noise::kLaplace);
    spent += Rational(one.total) / one.scale;
  }
  for (const Count& one : made->parts[0].left_out) spent += one.epsilon;
  EXPECT_EQ(spent, Rational(3, 10));
}

TEST_F(Plans, SharedPartsAreReleasedOnce) {
  EXPECT_EQ(plan("SELECT AVG(x), COUNT(x), STDDEV(x), VAR_POP(x) FROM t", "1")
                ->parts[0]
                .statistics.size(),
            3u);
  EXPECT_EQ(plan("SELECT COUNT(*), COUNT(*) + 1 FROM t", "1")->parts[0].statistics.size(), 1u);
  EXPECT_EQ(
      plan("SELECT QUANTILE(x, 0.5), QUANTILE(x, 0.9) FROM t", "1")->parts[0].statistics.size(),
      2u);
}

TEST_F(Plans, GaussianWhereItIsNarrower) {
  const char* many = "SELECT g, COUNT(*), SUM(x), SUM(n), AVG(x), AVG(n) FROM t GROUP BY g";
  auto made = plan(many, "1", "1e-3");
  ASSERT_TRUE(made->parts[0].gaussian);
  EXPECT_EQ(made->cost.delta, *parse_number("1e-3", Rounding::kDown));
  auto single = plan("SELECT COUNT(*) FROM t", "1", "1e-9");
  EXPECT_FALSE(single->parts[0].gaussian);
  EXPECT_EQ(single->cost.delta, 0);
}

TEST_F(Plans, SensitivityOnTheGrid) {
  auto made = plan("SELECT SUM(x), SUM(n) FROM t", "1");
  const PlanPart& part = made->parts[0];
  const Statistic& real = part.statistics[0];
  EXPECT_EQ(std::ldexp(real.sensitivity.get_d(), real.exponent),
            2 * 3.0);  // two rows of at most |3|
  EXPECT_EQ(part.statistics[1].exponent, 0);
  EXPECT_EQ(part.statistics[1].sensitivity, 18);
}

// What bound/contributions_test.cc counts out: two rows of a unit move a score by this, and no

// more.

TEST_F(Plans, SensitivityOfChoices) {
  auto made = plan(
      "SELECT MEDIAN(n), QUANTILE(n, 0.9), QUANTILE(n, 0.25), QUANTILE(n, 0), MIN(n), MAX(n), "
      "MODE(CASE WHEN n > 3 THEN 'a' ELSE 'b' END) FROM t",
      "1");
  ASSERT_TRUE(made) << made.error().text();
  struct Choice {
    bound::Scoring::Kind score;
    std::int64_t below, above;
    int sensitivity;
  };
  using enum bound::Scoring::Kind;
  const Choice choices[] = {{kQuantile, 1, 1, 2}, {kQuantile, 1, 9, 18}, {kQuantile, 3, 1, 6},
                            {kQuantile, 1, 0, 2}, {kMin, 0, 0, 2},       {kMax, 0, 0, 2},
                            {kMode, 0, 0, 2}};
  const std::vector<Statistic>& found = made->parts[0].statistics;
  ASSERT_EQ(found.size(), std::size(choices));
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].scoring.kind, choices[i].score) << i;
    EXPECT_EQ(found[i].scoring.below_weight, choices[i].below) << i;
    EXPECT_EQ(found[i].scoring.above_weight, choices[i].above) << i;
    EXPECT_EQ(found[i].sensitivity, choices[i].sensitivity) << i;
  }
}

TEST(GroupKeys, AreEachOnce) {
  const double nan = std::nan("");
  const auto reals = distinct_keys(
      {Value::number(-0.0), Value::integer(0), Value::number(nan), Value::number(-nan),
       Value::none(Type::kInt), Value::none(Type::kDouble), Value::integer(1)},
      Type::kDouble);
  ASSERT_EQ(reals.size(), 4u);
  EXPECT_FALSE(std::signbit(reals[0].real));
  EXPECT_TRUE(reals[2].null);
  const Value large = Value::integer(9007199254740993);
  EXPECT_EQ(distinct_keys({large, Value::integer(9007199254740992)}, Type::kInt).size(), 2u);
  EXPECT_EQ(distinct_keys({large, Value::integer(9007199254740992)}, Type::kDouble).size(), 1u);
}

// The list that the bounding is given and the one that is released from are this one list.

TEST_F(Plans, PublicGroupsAreTheKeysThatTheBytesTellApart) {
  auto made = plan(
      "SELECT a * b, n > 3, COUNT(*) FROM t JOIN (VALUES (-1.0), (1.0)) v(a) ON TRUE JOIN (VALUES "
      "(0.0), (2.0)) w(b) ON TRUE GROUP BY 1, 2",
      "1");
  ASSERT_TRUE(made) << made.error().text();
  const Select& select = made->parts[0].select;
  const auto groups = public_groups(select);
  EXPECT_EQ(groups.size(), 6u);  // −2, 0 and 2 with false and true
  std::set<std::string, std::less<>> seen;
  for (const std::vector<Value>& values : groups) {
    bound::KeyBytes key;
    for (const Value& value : values) write_key(key, value);
    EXPECT_TRUE(seen.emplace(key.view()).second);
    auto back = read_key(key.view(), select.keys);
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, values);
    EXPECT_FALSE(read_key(key.view(), {select.keys[0]}));
    EXPECT_FALSE(read_key(key.view(), {select.keys[1], select.keys[0]}));
  }
}

TEST(Post, TextsMayHoldNul) {
  const std::string text("a\0'b", 4);
  auto upper = make_call("upper", {column(0, Type::kText)}, calculator());
  ASSERT_TRUE(upper);
  auto found =
      evaluate_all(*upper, {{{Value::text(text), {}}}, {{Value::text("c"), {}}}}, calculator());
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ((*found)[0].value.string, std::string("A\0'B", 4));
  EXPECT_EQ((*found)[1].value.string, "C");
}

TEST_F(Plans, TheCanonicalQueryReadsAsOne) {
  const std::string query = canonical_query(*plan("SELECT COUNT(*) FROM t", "1"));
  EXPECT_TRUE(query.starts_with("SELECT COUNT(*) FROM (")) << query;
}

// The ledger answers an equal text from what it stored: everything that changes an answer is in it.

TEST_F(Plans, EqualQuestionsHaveEqualText) {
  EXPECT_EQ(canonical(*plan("SELECT g, COUNT(*) FROM t GROUP BY g", "1", "1e-6")),
            canonical(*plan("select g,count( * )  from T group by 1 -- x", "1", "1e-6")));
  const char* different[] = {"SELECT COUNT(*) FROM t",
                             "SELECT COUNT(*) AS n FROM t",
                             "SELECT COUNT(*) + 1 FROM t",
                             "SELECT COUNT(*) FROM t HAVING COUNT(*) > 1",
                             "SELECT COUNT(*) FROM t WHERE x > 1",
                             "SELECT COUNT(*) FROM t WHERE x > 2",
                             "SELECT COUNT(*) FROM t LIMIT 1",
                             "SELECT COUNT(*) FROM t ORDER BY 1",
                             "SELECT COUNT(*) FROM t ORDER BY 1 DESC",
                             "SELECT QUANTILE(x, 0.5) FROM t",
                             "SELECT QUANTILE(x, 0.9) FROM t",
                             "SELECT MIN(x) FROM t",
                             "SELECT MAX(x) FROM t",
                             "SELECT SUM(x) FROM t",
                             "SELECT SUM(x, contribution_bounds_per_group => (0, 1)) FROM t",
                             "SELECT SUM(x, contribution_bounds_per_group => (0, 2)) FROM t",
                             "SELECT SUM(x, contribution_bounds_per_row => (0, 2)) FROM t",
                             "SELECT COUNT(*, epsilon => 0.5), SUM(x) FROM t",
                             "SELECT COUNT(*), SUM(x) FROM t"};
  std::set<std::string> seen;
  for (const char* query : different)
    EXPECT_TRUE(seen.insert(canonical(*plan(query, "1"))).second) << query;
  EXPECT_TRUE(seen.insert(canonical(*plan(different[0], "2"))).second);
}

// What the ledger records of a plan is read back by an accountant. There is an event for each
// mechanism; together they are charged for all that the plan costs, and each costs what it is
// charged for: not more, which nobody has paid, and not less, which an accountant would give away.
TEST_F(Plans, ChargesAreAllThatIsReleased) {
  for (const char* query :
       {"SELECT COUNT(*) FROM t", "SELECT AVG(x), SUM(n) FROM t", "SELECT MEDIAN(x), MAX(n) FROM t",
        "SELECT g, COUNT(*), SUM(x), SUM(n), AVG(x), AVG(n) FROM t GROUP BY g",
        "SELECT g, SUM(n), COUNT(DISTINCT who) FROM t GROUP BY g",
        "SELECT g, MEDIAN(x, method => 'exponential'), MAX(n) FROM t GROUP BY g"})
    for (const char* delta : {"1e-3", "1e-9"}) {
      const auto made = plan(query, "0.7", delta);
      ASSERT_TRUE(made) << made.error().text();
      const PlanPart& part = made->parts[0];
      const std::vector<Charge> charges = charges_of(*made);
      std::size_t mechanisms =
          part.left_out.size() + (part.gaussian ? 1 : 0) + (part.selection ? 1 : 0);
      for (const Statistic& one : part.statistics) mechanisms += one.noise != Noise::kGaussian;
      EXPECT_EQ(charges.size(), mechanisms) << query;
      EXPECT_FALSE(part.left_out.empty());
      Rational epsilon = 0, spent = 0;
      for (const Charge& charge : charges) {
        epsilon += charge.epsilon;
        spent += charge.delta;
        const auto back = privacy::parse_event(privacy::describe(charge.event));
        ASSERT_TRUE(back) << back.error().text();
        EXPECT_EQ(privacy::describe(*back), privacy::describe(charge.event));
        const auto cost = privacy::account_epsilon(*back, charge.delta, {});
        ASSERT_TRUE(cost) << cost.error().text();
        EXPECT_LE(cost->value.lower, to_double(charge.epsilon) * (1 + 1e-12))
            << privacy::describe(*back);
        EXPECT_GE(cost->value.upper, to_double(charge.epsilon) * (1 - 1e-6))
            << privacy::describe(*back);
      }
      EXPECT_EQ(epsilon, made->cost.epsilon) << query;
      EXPECT_EQ(spent, made->cost.delta) << query;
    }
}

// Rows that don't fill their groups: Gaussian noise feels the squares of what they change.
TEST_F(Plans, GaussianNoiseIsChargedByTheSquares) {
  const auto made =
      plan("SELECT g, COUNT(*), SUM(n), AVG(n), AVG(x) FROM t GROUP BY g", "1", "1e-2");
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_TRUE(made->parts[0].gaussian);
  const Plan spread = PlanForger::altered(*made, [](PlanPart& part) {
    part.bounds = {6, 2, 6};
    part.statistics = {part.statistics[0]};
    part.statistics[0].sensitivity = 2;
    part.statistics[0].total = 6;
    part.statistics[0].squares = 12;
    part.statistics[0].scale = 10;
  });
  ASSERT_EQ(spread.parts[0].statistics[0].noise, Noise::kGaussian);
  const std::vector<Charge> charges = charges_of(spread);
  const Rational delta(1, 1000);
  const auto cost = privacy::account_epsilon(charges.back().event, delta, {});
  // A Gaussian of deviation 10 on what moves by √12 at the most, not by 2.
  const auto least = privacy::account_epsilon(
      mechanism::noise_event(mechanism::NoiseKind::kRoundedGaussian, 10, Rational(346, 100)), delta,
      {});
  ASSERT_TRUE(cost && least);
  EXPECT_GE(cost->value.upper, least->value.lower);
}

// A choice's share p is part of what it is, also where all choices are of the same values.
TEST_F(Plans, OtherQuantilesAreOtherChoices) {
  const auto made = plan(
      "SELECT MEDIAN(x, method => 'smooth'), QUANTILE(x, 0.9, method => 'smooth') FROM t", "1");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->parts[0].statistics.size(), 2u);
  EXPECT_NE(made->parts[0].parts[0], made->parts[0].parts[1]);
}

// τ = (2Δ/ε)·ln(leaves/0.05): fewer rows beyond MIN and MAX would drown in the noise.
TEST_F(Plans, ExtremesAimAtARankThatNoiseLeaves) {
  const auto made = plan("SELECT g, MIN(x) FROM t GROUP BY g", "1", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  const Statistic& one = part.statistics[0];
  const double tau =
      2 * 8 / to_double(one.epsilon) * std::log(static_cast<double>(one.scoring.leaves) / 0.05);
  EXPECT_EQ(part.bounds.most_rows(), 8);
  EXPECT_EQ(one.scoring.target, static_cast<std::int64_t>(std::ceil(tau)));
}

// Rounding a row to its grid is far below the noise, and whole numbers need no rounding.
TEST_F(Plans, GridsAreFineAgainstTheNoise) {
  const auto made = plan("SELECT SUM(x), SUM(n), VAR_POP(x) FROM t", "1");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  EXPECT_GE(part.statistics[part.parts[0][0]].scale, Integer(1) << 28);
  EXPECT_EQ(part.statistics[part.parts[1][0]].exponent, 0);
  EXPECT_GE(part.statistics[part.parts[2].back()].scale, Integer(1) << 27);
}

TEST_F(Plans, SquareRootsAreRoundedUp) {
  for (const Rational& value :
       {Rational(2), Rational(4), Rational(1, 3), Rational(1, 1'000'000'007),
        Rational(Integer("1000000000000000000000000000057"))}) {
    const Rational root = sqrt_up(value);
    EXPECT_GE(root * root, value);
    EXPECT_LE(root * root, value + root * Rational(Integer(1), Integer(1) << 46));
  }
}

// A question about units with a value doesn't let the number of units decide; nor does one
// without δ show groups that nobody listed.
TEST_F(Plans, WhatDecidesWhichGroupsAreShown) {
  const auto all = plan("SELECT g, COUNT(DISTINCT who) FROM t GROUP BY g", "1", "1e-6");
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_TRUE(all->parts[0].selection->by);
  const auto some =
      plan("SELECT g, COUNT(DISTINCT CASE WHEN n > 3 THEN who END) FROM t GROUP BY g", "1", "1e-6");
  ASSERT_TRUE(some) << some.error().text();
  EXPECT_FALSE(some->parts[0].selection->by);
  const auto filtered =
      plan("SELECT g, COUNT(DISTINCT who) FILTER (WHERE n > 3) FROM t GROUP BY g", "1", "1e-6");
  ASSERT_TRUE(filtered) << filtered.error().text();
  EXPECT_FALSE(filtered->parts[0].selection->by);
  const auto without = plan("SELECT g, COUNT(DISTINCT who) FROM t GROUP BY g", "1");
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error().code, Code::kUsage);
}

// What choices have of δ the choice of groups and Gaussian noise don't have once more.
TEST_F(Plans, ADeltaIsSharedAmongAllThatNeedOne) {
  const Rational asked(1, 1'000'000);
  for (const char* others : {"", "COUNT(*), ", "COUNT(*), SUM(n), AVG(x), "}) {
    const auto made = plan((std::string("SELECT g, ") + others +
                            "MEDIAN(x, method => 'propose-test-release') FROM t GROUP BY g")
                               .c_str(),
                           "1", "1e-6");
    ASSERT_TRUE(made) << made.error().text();
    const PlanPart& part = made->parts[0];
    EXPECT_GT(part.selection->delta, 0);
    Rational choices = 0;
    for (const Statistic& one : part.statistics) choices += one.delta;
    EXPECT_GT(choices, 0);
    EXPECT_LE(choices + part.selection->delta, asked) << others;
    EXPECT_LE(made->cost.delta, asked) << others;
  }
}

// Before a survey is made its own histograms are known, and the price of all that comes after.
TEST_F(Plans, ASurveyIsChargedWithWhatFollows) {
  const auto made =
      plan("SELECT g, COUNT(*), SUM(x) FROM t GROUP BY g", "1", "1e-6", /*measure=*/true);
  ASSERT_TRUE(made) << made.error().text();
  ASSERT_FALSE(made->settled());
  const std::vector<Charge> charges = charges_of(*made);
  const Survey& survey = *made->parts[0].survey;
  ASSERT_EQ(charges.size(), survey.counts.size() + 1);
  Rational epsilon = 0, delta = 0;
  for (const Charge& charge : charges) {
    epsilon += charge.epsilon;
    delta += charge.delta;
  }
  EXPECT_EQ(epsilon, 1);
  EXPECT_EQ(delta, made->cost.delta);
  EXPECT_GT(delta, 0);
  for (std::size_t i = 0; i < survey.counts.size(); ++i)
    EXPECT_EQ(charges[i].epsilon, survey.counts[i].epsilon);
}

}  // namespace
}  // namespace discreet::plan
