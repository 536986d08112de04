// What leaves through the barrier: the noise of the plan, on every number, in every group; choices
// with the ε, the δ and the sensitivity that are charged; and numbers finished from released ones.
#include "discreet/plan/release.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/gap/stable_mode.h"
#include "discreet/mechanism/noise.h"
#include "discreet/plan/aggregates.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/release_choice.h"
#include "discreet/plan/testing/forger.h"
#include "discreet/plan/testing/planned.h"
#include "discreet/random/testing/sources.h"

namespace discreet::plan {
namespace {

namespace gap = mechanism::gap;
using engine::duckdb::calculator;

class Release : public testing::Planned {
 protected:
  // Every total of every group, all groups of `keys`.
  static bound::Contributions contributions(const PlanPart& part, std::int64_t total,
                                            const std::vector<std::string>& keys,
                                            std::int64_t units = 1'000'000) {
    bound::Contributions::Parts parts;
    parts.keys = keys;
    parts.units.assign(keys.size(), units);
    parts.pairs.resize(part.statistics.size());
    for (const Statistic& one : part.statistics) {
      parts.totals.emplace_back(keys.size(), bound::Wide{total} << one.weight_bits);
      parts.scorings.push_back(one.scoring);
      parts.slots.push_back(one.slot);
    }
    for (const Count& count : part.left_out) parts.tallies.emplace_back(count.bins, 1000);
    return bound::Contributions(std::move(parts));
  }
  // The keys' bytes of public groups, in their order.
  static std::vector<std::string> keys_of(const PlanPart& part) {
    std::vector<std::string> out;
    for (const std::vector<Value>& group : public_groups(part.select)) {
      bound::KeyBytes key;
      for (const Value& value : group) write_key(key, value);
      out.emplace_back(key.view());
    }
    return out;
  }
};

// E|X| of Laplace noise is b, of Gaussian noise σ·√(2/π): seen over thousands of answers, for every
// number of a question, in its units.
TEST_F(Release, EveryNumberHasTheNoiseOfThePlan) {
  constexpr int kRuns = 600;
  constexpr std::int64_t kExact = 1'000'000'000;
  for (const char* delta : {"0", "1e-2"}) {
    const auto made = plan(
        std::string(testing::kRanges) + "max_rows = 30\nmax_groups = 6\nmax_rows_per_group = 5\n",
        "SELECT g, COUNT(*), SUM(n), SUM(x), COUNT(DISTINCT who), COUNT(n) FROM t GROUP BY g",
        delta);
    ASSERT_TRUE(made) << made.error().text();
    const PlanPart& part = made->parts[0];
    EXPECT_EQ(part.gaussian.has_value(), std::string(delta) != "0");
    random::testing::Seeded source(5);
    std::vector<double> size(5);
    for (int run = 0; run < kRuns; ++run) {
      std::vector<bound::Contributions> all;
      all.push_back(contributions(part, kExact, keys_of(part)));
      const auto answer = release(*made, all, {}, calculator(), source);
      ASSERT_TRUE(answer) << answer.error().text();
      ASSERT_EQ(answer->rows.size(), 6u);
      for (std::size_t a = 0; a < 5; ++a) {
        const Statistic& one = part.statistics[part.parts[a][0]];
        const double number = answer->rows[run % 6][1 + a].value.as_number();
        size[a] += std::abs(std::ldexp(number, -one.exponent) - kExact) / kRuns;
      }
    }
    for (std::size_t a = 0; a < 5; ++a) {
      const Statistic& one = part.statistics[part.parts[a][0]];
      const double scale = to_double(one.scale);
      const double expected = part.gaussian ? scale * std::sqrt(2 / M_PI) : scale;
      EXPECT_NEAR(size[a] / expected, 1, 0.25) << a << " " << delta;
    }
  }
}

TEST_F(Release, AnIntervalIsAsWideAsTheNoiseInTheNumbersUnits) {
  const auto made = plan(std::string(testing::kRanges) + "max_rows_per_group = 3\n",
                         "SELECT SUM(x), COUNT(*) FROM t");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  random::testing::Seeded source(5);
  std::vector<bound::Contributions> all;
  all.push_back(contributions(part, 7000, keys_of(part)));
  const auto answer = release(*made, all, {.confidence = Rational(9, 10)}, calculator(), source);
  ASSERT_TRUE(answer) << answer.error().text();
  for (std::size_t a = 0; a < 2; ++a) {
    const Statistic& one = part.statistics[part.parts[a][0]];
    const auto [low, high] = *answer->rows[0][a].interval;
    EXPECT_EQ(one.weight_bits, 10);
    const double margin =
        (*mechanism::discrete_laplace(one.scale * 1024))->quantile(Rational(1, 10)).get_d();
    EXPECT_DOUBLE_EQ((high - low) / 2, std::ldexp(margin, one.exponent - 10)) << a;
  }
  EXPECT_NE(part.statistics[part.parts[0][0]].exponent, 0);
}

// What was run isn't what was planned: nothing is shown.
TEST_F(Release, OtherGroupsThanPlannedShowNothing) {
  const auto made = plan(std::string(testing::kRanges) + "max_rows_per_group = 1\nmax_groups = 1\n",
                         "SELECT g, COUNT(*) FROM t GROUP BY g HAVING COUNT(*) / 0 > 1");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  random::testing::Seeded source(5);
  const auto answer = [&](const std::vector<std::vector<std::string>>& keys) {
    std::vector<bound::Contributions> all;
    for (const auto& one : keys) all.push_back(contributions(part, 1000, one));
    return release(*made, all, {}, calculator(), source);
  };
  const std::vector<std::string> keys = keys_of(part);
  ASSERT_TRUE(answer({keys}));
  // HAVING is NULL in every group.
  EXPECT_EQ(answer({keys})->rows.size(), 0u);
  std::vector<std::string> more = keys;
  more.push_back(keys[0]);
  EXPECT_FALSE(answer({more}));
  EXPECT_FALSE(answer({{keys.begin(), keys.begin() + 5}}));
  EXPECT_FALSE(answer({keys, keys}));
  EXPECT_FALSE(answer({}));
}

// Groups that were chosen are shown in the order of their values, not in that of the contributions.
TEST_F(Release, ChosenGroupsAreInTheOrderOfTheirKeys) {
  const auto made = plan(std::string(testing::kRanges) + "max_rows_per_group = 1\nmax_groups = 1\n",
                         "SELECT n, SUM(x) FROM t GROUP BY n", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  std::vector<std::string> keys;
  for (const std::int64_t n : {7, -2, 9, 0, 256}) {
    bound::KeyBytes key;
    key.whole(n);
    keys.emplace_back(key.view());
  }
  random::testing::Seeded source(5);
  std::vector<bound::Contributions> all;
  all.push_back(contributions(made->parts[0], 1000, keys));
  const auto answer = release(*made, all, {}, calculator(), source);
  ASSERT_TRUE(answer) << answer.error().text();
  std::vector<std::int64_t> shown;
  for (const auto& row : answer->rows) shown.push_back(row[0].value.whole);
  EXPECT_EQ(shown, (std::vector<std::int64_t>{-2, 0, 7, 9, 256}));
}

class Choices : public Release {
 protected:
  // How often the first of two leaves is chosen, with so many rows in it and none in the other.
  double share_of_first(const PlanPart& part, std::int64_t rows) {
    constexpr int kRuns = 4000;
    bound::Contributions::Parts parts;
    parts.keys = {""};
    parts.pairs.resize(1);
    parts.pairs[0].assign(static_cast<std::size_t>(rows), {0, 0});
    parts.scorings = {part.statistics[0].scoring};
    const bound::Contributions contributions(std::move(parts));
    random::testing::Seeded source(9);
    int first = 0;
    for (int i = 0; i < kRuns; ++i)
      first += release_choice(part, 0, {0}, contributions, Rational(19, 20), source)
                   ->front()
                   .value.whole == 0;
    return static_cast<double>(first) / kRuns;
  }
  // The part with two leaves to choose from.
  static PlanPart of_two(PlanPart part) {
    part.statistics[0].scoring.leaves = 2;
    part.slots[*part.statistics[0].slot].leaves = 2;
    return part;
  }
};

// P(first) = 1 / (1 + e^−(ε·rows/Δ)) where scores only rise, with 2Δ where they may fall; Δ is what
// a unit changes in all its groups together.
TEST_F(Choices, HaveTheSensitivityOfAllGroups) {
  const auto mode = plan(std::string(testing::kRanges) + "max_rows_per_group = 4\n",
                         "SELECT MODE(g, method => 'exponential') FROM t");
  ASSERT_TRUE(mode) << mode.error().text();
  PlanPart part = of_two(mode->parts[0]);
  part.statistics[0].epsilon = 1;
  ASSERT_EQ(part.statistics[0].sensitivity, 4);
  for (const long total : {4, 12}) {
    part.statistics[0].total = total;
    EXPECT_NEAR(share_of_first(part, 10), 1 / (1 + std::exp(-10.0 / static_cast<double>(total))),
                0.03);
  }
  const auto median = plan(std::string(testing::kRanges) + "max_rows_per_group = 4\n",
                           "SELECT MEDIAN(x, method => 'exponential') FROM t");
  ASSERT_TRUE(median) << median.error().text();
  part = of_two(median->parts[0]);
  part.statistics[0].epsilon = 1;
  ASSERT_EQ(part.statistics[0].total, 4);
  EXPECT_NEAR(share_of_first(part, 16), 1 / (1 + std::exp(-16.0 / 8)), 0.02);
}

// The mechanism of one group has its share of ε and δ, and a unit's rows in it.
TEST_F(Choices, ShareWhatIsChargedAmongAUnitsGroups) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 2\n",
                         "SELECT g, MEDIAN(x, method => 'smooth') FROM t GROUP BY g", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  PlanPart part = made->parts[0];
  part.statistics[0].delta = Rational(1, 1'000'000);
  const Statistic& one = part.statistics[0];
  ASSERT_EQ(one.noise, Noise::kSmooth);
  const Slot& slot = part.slots[*one.slot];
  bound::Contributions::Parts parts;
  parts.keys = {""};
  parts.pairs.resize(1);
  for (std::int64_t i = 0; i < 400; ++i)
    parts.pairs[0].emplace_back(0, slot.low + (slot.high - slot.low) * i / 400);
  const bound::Contributions contributions(std::move(parts));
  const gap::Range range = *gap::Range::create(slot.low, slot.high);
  const auto direct = *gap::SmoothQuantile::create(
      {.noise = {.epsilon = one.epsilon / 3, .delta = one.delta / 3, .optimised = true},
       .range = range,
       .unit = {.rows = 2}});
  random::testing::Seeded source(3), same(3);
  for (int i = 0; i < 50; ++i) {
    const auto cells = release_choice(part, 0, {0}, contributions, Rational(19, 20), source);
    ASSERT_TRUE(cells) << cells.error().text();
    const auto values = *contributions.ordered(0, 0, range);
    EXPECT_EQ(cells->front().value.real,
              std::ldexp(static_cast<double>(direct.release(values, same)->value()), one.exponent));
  }
}

TEST_F(Choices, AStableModeHasItsShareInEachGroup) {
  const auto made = plan(std::string(testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 2\n",
                         "SELECT g, MODE(n, method => 'stable') FROM t GROUP BY g", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  const Statistic& one = part.statistics[0];
  ASSERT_EQ(one.noise, Noise::kStable);
  const auto direct = *gap::StableMode::create(
      {.test = {.epsilon = one.epsilon / 3, .delta = one.delta / 3}, .rows_per_unit = 2});
  // Ahead by so many that it is told every other time.
  for (const std::int64_t ahead : {100, 150, 200, 250, 300, 400}) {
    bound::Contributions::Parts parts;
    parts.keys = {""};
    parts.pairs.resize(1);
    parts.pairs[0].assign(static_cast<std::size_t>(ahead), {0, 77});
    parts.slots = {0};
    parts.words = {{{77, "5"}}};
    const bound::Contributions contributions(std::move(parts));
    random::testing::Seeded source(3), same(3);
    for (int i = 0; i < 40; ++i) {
      const auto cells = release_choice(part, 0, {0}, contributions, Rational(19, 20), source);
      ASSERT_TRUE(cells) << cells.error().text();
      const auto words = *contributions.words(0, 0);
      EXPECT_EQ(cells->front().value.null, !direct.release(words, same)->value().has_value())
          << ahead;
    }
  }
}

class Finished : public testing::Planned {
 protected:
  static Cell number(double value, double low, double high) {
    return {Value::number(value), std::pair{low, high}};
  }
  // The aggregate of these numbers.
  Cell finish(const std::string& aggregate, const std::vector<Cell>& numbers, double left_out = 0) {
    const auto made = plan(
        "columns.n = { type = \"integer\", range = [0, 10] }\ncolumns.x = { type = \"number\", "
        "range = [-1, 1] }\nmax_rows_per_group = 1\n",
        "SELECT " + aggregate + " FROM t");
    EXPECT_TRUE(made) << made.error().text();
    return derive(made->parts[0], 0, numbers, left_out);
  }
};

// Σ(x − 5) of n values between 0 and 10.
TEST_F(Finished, MeansAreTheMiddleAndWhatIsBeside) {
  const Cell mean = finish("AVG(n)", {number(100, 90, 110), number(200, 180, 220)});
  EXPECT_DOUBLE_EQ(mean.value.real, 7);
  EXPECT_DOUBLE_EQ(mean.interval->first, 5 + 180.0 / 110);
  EXPECT_DOUBLE_EQ(mean.interval->second, 5 + 220.0 / 90);
  // Below the middle the other ends of the count are the farthest.
  const Cell low = finish("AVG(n)", {number(100, 90, 110), number(-200, -220, -180)});
  EXPECT_DOUBLE_EQ(low.interval->first, 5 - 220.0 / 90);
  EXPECT_DOUBLE_EQ(low.interval->second, 5 - 180.0 / 110);
  const Cell around = finish("AVG(n)", {number(100, 90, 110), number(0, -90, 90)});
  EXPECT_DOUBLE_EQ(around.interval->first, 4);
  EXPECT_DOUBLE_EQ(around.interval->second, 6);
  // Never outside of the bounds; and a count that may be 0 says nothing.
  EXPECT_EQ(finish("AVG(n)", {number(1, 1, 2), number(900, 800, 1000)}).value.real, 10);
  const Cell nothing = finish("AVG(n)", {number(5, -5, 15), number(10, 9, 11)});
  EXPECT_EQ(*nothing.interval, std::pair(0.0, 10.0));
  // A tenth of the rows was left out: they may all be 0, or 10.
  const Cell cut = finish("AVG(n)", {number(100, 90, 110), number(200, 180, 220)}, 0.1);
  EXPECT_DOUBLE_EQ(cut.interval->first, 0.9 * (5 + 180.0 / 110));
  EXPECT_DOUBLE_EQ(cut.interval->second, 0.9 * (5 + 220.0 / 90) + 1);
}

TEST_F(Finished, VariancesAreWhatTheSquaresAreBeyondTheMean) {
  const std::vector<Cell> numbers = {number(100, 90, 110), number(200, 180, 220),
                                     number(1000, 950, 1050)};
  const Cell pop = finish("VAR_POP(n)", numbers), samp = finish("VAR_SAMP(n)", numbers);
  EXPECT_DOUBLE_EQ(pop.value.real, 6);
  EXPECT_DOUBLE_EQ(samp.value.real, 6 * 100.0 / 99);
  const double least = 950.0 / 110 - std::pow(220.0 / 90, 2),
               most = 1050.0 / 90 - std::pow(180.0 / 110, 2);
  EXPECT_DOUBLE_EQ(pop.interval->first, least);
  EXPECT_DOUBLE_EQ(pop.interval->second, most);
  EXPECT_DOUBLE_EQ(samp.interval->second, most * 90 / 89);
  EXPECT_DOUBLE_EQ(finish("STDDEV_POP(n)", numbers).value.real, std::sqrt(6));
  // Values around the middle: their mean may be the middle, whose square is 0.
  const Cell around =
      finish("VAR_POP(n)", {number(100, 90, 110), number(0, -90, 90), number(1000, 950, 1050)});
  EXPECT_DOUBLE_EQ(around.interval->second, 1050.0 / 90);
  // At most a quarter of the squared width, a sample's half.
  EXPECT_EQ(
      finish("VAR_POP(n)", {number(1, 1, 2), number(0, 0, 0), number(900, 9, 900)}).value.real, 25);
  EXPECT_EQ(
      finish("VAR_SAMP(n)", {number(2, 2, 2), number(0, 0, 0), number(900, 9, 900)}).value.real,
      50);
}

TEST_F(Finished, PlacesAreBetweenTheBounds) {
  const auto made = plan("columns.x = { type = \"number\", range = [-1, 3] }\n",
                         "SELECT MEDIAN(x, method => 'exponential') FROM t");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart& part = made->parts[0];
  const auto leaves = part.slots[*part.statistics[0].slot].leaves;
  const auto place = [&](std::int64_t leaf) {
    return derive(part, 0, {{Value::integer(leaf), {}}}).value.real;
  };
  EXPECT_EQ(place(0), -1);
  EXPECT_EQ(place(leaves - 1), 3);
  EXPECT_NEAR(place((leaves - 1) / 2), 1, 4.0 / static_cast<double>(leaves));
  // Released on a grid that is a little wider than the bounds, it is within them.
  const auto smooth = plan("columns.x = { type = \"number\", range = [-1, 3] }\n",
                           "SELECT MEDIAN(x, method => 'smooth') FROM t", "1e-6");
  ASSERT_TRUE(smooth) << smooth.error().text();
  for (const auto& [released, shown] : {std::pair{3.5, 3.0}, {-7.0, -1.0}, {2.5, 2.5}})
    EXPECT_EQ(derive(smooth->parts[0], 0, {{Value::number(released), {}}}).value.real, shown);
}

// Bounds that were measured hide what lies beyond them: the interval has room for it.
TEST_F(Finished, SumsHaveRoomForWhatMeasuredBoundsHide) {
  const auto made =
      plan(std::string(testing::kRanges) + "max_rows_per_group = 1\n", "SELECT SUM(x) FROM t");
  ASSERT_TRUE(made) << made.error().text();
  PlanPart part = made->parts[0];
  Fitting fitting;
  fitting.rows = 1000;
  fitting.groups = 2;
  fitting.hidden = {{0.5, 0.25}};
  part.fitting = std::make_shared<const Fitting>(fitting);
  const Cell sum = derive(part, 0, {number(100, 90, 110)});
  EXPECT_DOUBLE_EQ(sum.interval->first, 90 - 250);
  EXPECT_DOUBLE_EQ(sum.interval->second, 110 + 125);
}

}  // namespace
}  // namespace discreet::plan
