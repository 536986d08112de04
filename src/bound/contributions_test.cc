// By how much one unit moves the scores of choices, counted out over every small group, and why a
// quantile's score is the rank error itself.
#include "discreet/bound/contributions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "discreet/bound/groups.h"
#include "discreet/mechanism/door.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/random/testing/sources.h"

namespace discreet::bound {
namespace {

using Counts = std::vector<std::int64_t>;  // rows on each leaf
using Kind = Scoring::Kind;

struct Opened : mechanism::Door {
  template <class T>
  static T look(const mechanism::Exact<T>& exact) {
    return open(exact);
  }
};

// One group, between two others whose rows must not matter.
Counts scores_of(const Counts& counts, const Scoring& scoring) {
  Contributions::Parts parts;
  parts.pairs.resize(1);
  parts.pairs[0].emplace_back(0, 1);
  for (std::size_t leaf = 0; leaf < counts.size(); ++leaf)
    for (std::int64_t row = 0; row < counts[leaf]; ++row)
      parts.pairs[0].emplace_back(1, static_cast<std::int64_t>(leaf));
  parts.pairs[0].emplace_back(2, 0);
  parts.keys = {"a", "b", "c"};
  parts.scorings = {scoring};
  return Opened::look(*Contributions(std::move(parts)).scores(0, 1));
}

// The same, of rows that an engine has counted, in two lots.
Counts scores_of_counted(const Counts& counts, const Scoring& scoring) {
  Contributions::Parts parts;
  parts.pairs.resize(1);
  parts.counted = {{{0, 1, 7}}};
  for (std::size_t leaf = 0; leaf < counts.size(); ++leaf)
    for (const std::int64_t lot : {counts[leaf] / 2, counts[leaf] - counts[leaf] / 2})
      if (lot > 0) parts.counted[0].push_back({1, static_cast<std::int64_t>(leaf), lot});
  parts.counted[0].push_back({2, 0, 7});
  parts.keys = {"a", "b", "c"};
  parts.scorings = {scoring};
  return Opened::look(*Contributions(std::move(parts)).scores(0, 1));
}

// Every way to put 0 to `most` rows on each leaf, at most `in_all` together.
std::vector<Counts> histograms(std::size_t leaves, std::int64_t most, std::int64_t in_all) {
  std::vector<Counts> out = {{}};
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    std::vector<Counts> longer;
    for (const Counts& one : out)
      for (std::int64_t n = 0; n <= most; ++n) {
        if (std::accumulate(one.begin(), one.end(), n) > in_all) continue;
        longer.push_back(one);
        longer.back().push_back(n);
      }
    out = std::move(longer);
  }
  return out;
}

struct Moved {
  std::int64_t most = 0;  // any score, either way
  bool one_way = true;    // never one up and another down
};

Moved moved(const Scoring& scoring, std::int64_t rows) {
  Moved out;
  const auto leaves = static_cast<std::size_t>(scoring.leaves);
  const std::vector<Counts> units = histograms(leaves, rows, rows);
  for (const Counts& others : histograms(leaves, 3, 12)) {
    const Counts before = scores_of(others, scoring);
    for (const Counts& unit : units) {
      Counts all = others;
      for (std::size_t i = 0; i < leaves; ++i) all[i] += unit[i];
      const Counts after = scores_of(all, scoring);
      std::int64_t up = 0, down = 0;
      for (std::size_t i = 0; i < leaves; ++i) {
        up = std::max(up, after[i] - before[i]);
        down = std::max(down, before[i] - after[i]);
      }
      out.most = std::max({out.most, up, down});
      out.one_way = out.one_way && (up == 0 || down == 0);
    }
  }
  return out;
}

// plan/statistics.cc gives choices this sensitivity (Plans.SensitivityOfChoices in
// plan/plan_test.cc).
std::int64_t planned(const Scoring& scoring, std::int64_t rows) {
  return scoring.kind == Kind::kQuantile
             ? rows * std::max(scoring.below_weight, scoring.above_weight)
             : rows;
}

// Not above what is planned, and reached: a plan of one point less would be a broken promise.
TEST(Contributions, CountedRowsScoreAsRowsDo) {
  Scoring scoring;
  scoring.kind = Kind::kQuantile;
  scoring.leaves = 3;
  scoring.below_weight = 2;
  scoring.above_weight = 1;
  const Counts counts = {3, 0, 5};
  EXPECT_EQ(scores_of_counted(counts, scoring), scores_of(counts, scoring));
  EXPECT_NE(scores_of_counted({3, 1, 5}, scoring), scores_of(counts, scoring));
}

TEST(Scores, OneUnitMovesThemByAsMuchAsPlannedAndNoMore) {
  std::vector<Scoring> scorings = {{.kind = Kind::kMode, .leaves = 4}};
  // The weights of p = 1/2, 0.9, 0.1, 1/4, 0.999999, 1 and 0, as the plan reduces them.
  for (const auto& [below, above] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {1, 1}, {1, 9}, {9, 1}, {3, 1}, {1, 999'999}, {0, 1}, {1, 0}})
    scorings.push_back(
        {.kind = Kind::kQuantile, .leaves = 4, .below_weight = below, .above_weight = above});
  for (const std::int64_t target : {1, 3, 7, 100})
    for (const Kind kind : {Kind::kMin, Kind::kMax})
      scorings.push_back({.kind = kind, .leaves = 4, .target = target});
  for (const Scoring& scoring : scorings)
    for (const std::int64_t rows : {1, 2, 3}) {
      const Moved found = moved(scoring, rows);
      EXPECT_EQ(found.most, planned(scoring, rows))
          << "kind " << static_cast<int>(scoring.kind) << ", weights " << scoring.below_weight
          << " and " << scoring.above_weight << ", target " << scoring.target << ", " << rows
          << " rows";
      // Only MODE is released as monotone (plan/release.cc).
      EXPECT_TRUE(found.one_way || scoring.kind != Kind::kMode);
    }
}

// −|rank − target|: as far off above the target as below it.
TEST(Scores, OfMinimaAndMaximaAreDistancesFromTheTarget) {
  const Counts counts = {2, 0, 3, 1};
  const auto scores = [&](Kind kind, std::int64_t target) {
    return scores_of(counts, {.kind = kind, .leaves = 4, .target = target});
  };
  // 4, 4, 1, 0 rows are above a leaf
  EXPECT_EQ(scores(Kind::kMax, 0), (Counts{-4, -4, -1, 0}));
  EXPECT_EQ(scores(Kind::kMax, 2), (Counts{-2, -2, -1, -2}));
  EXPECT_EQ(scores(Kind::kMax, 9), (Counts{-5, -5, -8, -9}));
  // 0, 2, 2, 5 below it
  EXPECT_EQ(scores(Kind::kMin, 0), (Counts{0, -2, -2, -5}));
  EXPECT_EQ(scores(Kind::kMin, 3), (Counts{-3, -1, -1, -2}));
}

// The median's scores do move both ways at once: to call them monotone would be a mistake.
TEST(Scores, OfQuantilesAreNotMonotone) {
  EXPECT_FALSE(
      moved({.kind = Kind::kQuantile, .leaves = 4, .below_weight = 1, .above_weight = 1}, 1)
          .one_way);
}

// −|(1−p)·#below − p·#above|, the other score in use; it has the same sensitivity.
Counts textbook_scores(const Counts& counts, const Scoring& scoring) {
  Counts out;
  std::int64_t below = 0, above = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  for (const std::int64_t here : counts) {
    above -= here;
    out.push_back(-std::abs(scoring.below_weight * below - scoring.above_weight * above));
    below += here;
  }
  return out;
}

// How many ranks the chosen leaf is off on average: 0 where the leaf's rows hold the p-quantile.
double rank_error(const Counts& counts, const Scoring& scoring, const Counts& scores,
                  const Rational& epsilon) {
  const auto mechanism = mechanism::Exponential::create(
      {.epsilon = epsilon,
       .sensitivity = Rational(static_cast<long>(planned(scoring, 1))),
       .candidates = mechanism::Candidates::numbered(counts.size())});
  const std::vector<Ball> chances = mechanism->pmf(scores, 64);
  const auto all =
      static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  const double wanted = all * static_cast<double>(scoring.above_weight) /
                        static_cast<double>(scoring.above_weight + scoring.below_weight);
  double out = 0, below = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double through = below + static_cast<double>(counts[i]);
    out += chances[i].middle() * std::max({0.0, below - wanted, wanted - through});
    below = through;
  }
  return out;
}

Scoring quantile(const Counts& counts, std::int64_t below, std::int64_t above) {
  return {.kind = Kind::kQuantile,
          .leaves = static_cast<std::int64_t>(counts.size()),
          .below_weight = below,
          .above_weight = above};
}

double our_error(const Counts& counts, std::int64_t below, std::int64_t above,
                 const Rational& epsilon) {
  const Scoring scoring = quantile(counts, below, above);
  return rank_error(counts, scoring, scores_of(counts, scoring), epsilon);
}

double textbook_error(const Counts& counts, std::int64_t below, std::int64_t above,
                      const Rational& epsilon) {
  const Scoring scoring = quantile(counts, below, above);
  return rank_error(counts, scoring, textbook_scores(counts, scoring), epsilon);
}

// The two differ by less than the leaf's own rows: by nothing where it is empty, by less than a
// rank where no value repeats.
TEST(Scores, OfQuantilesAreTheTextbooksButForRepeatedValues) {
  for (const auto& [below, above] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 9}, {9, 1}, {3, 1}})
    for (const Counts& counts : histograms(4, 3, 12)) {
      const Scoring scoring = quantile(counts, below, above);
      const Counts ours = scores_of(counts, scoring), textbook = textbook_scores(counts, scoring);
      for (std::size_t i = 0; i < counts.size(); ++i) {
        EXPECT_GE(ours[i], textbook[i]);
        EXPECT_LE(ours[i], textbook[i] + counts[i] * std::max(below, above));
      }
    }
}

// Sixty rows of one value and forty of another: the median is the first. The textbook's score likes
// the empty leaf between them better, however large ε is.
TEST(Scores, OfRepeatedValuesFindTheQuantile) {
  const Counts two = {0, 0, 60, 0, 40, 0, 0};
  for (const auto& epsilon : {Rational(1), Rational(10)}) {
    EXPECT_LT(our_error(two, 1, 1, epsilon), 0.01);
    EXPECT_GT(textbook_error(two, 1, 1, epsilon), 9.9);
  }
  EXPECT_LT(our_error(two, 1, 9, 1), 0.1);
  EXPECT_GT(textbook_error(two, 1, 9, 1), 1);
}

// Over all small groups together it is the better choice, for each of these p and ε.
TEST(Scores, OfQuantilesHaveTheSmallerRankError) {
  for (const auto& [below, above] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 1}, {1, 9}, {9, 1}, {1, 3}})
    for (const auto& epsilon : {Rational(1, 10), Rational(1), Rational(10)}) {
      double ours = 0, textbook = 0;
      for (const Counts& counts : histograms(4, 3, 12)) {
        ours += our_error(counts, below, above, epsilon);
        textbook += textbook_error(counts, below, above, epsilon);
      }
      EXPECT_LT(ours, textbook) << below << ":" << above << " at ε = " << epsilon.get_d();
    }
}

Secret some_secret() {
  random::testing::Seeded source(4);
  return *Secret::draw(source);
}

// Who came first is private: groups leave in the order of their keys, and all that belongs to them
// goes along. Public ones leave as they were listed.
TEST(Contributions, GroupsLeaveInTheOrderOfTheirKeys) {
  for (const bool listed : {false, true}) {
    Groups groups(some_secret());
    for (const char* key : {"c", "a", "d", "b"}) groups.number(key);
    if (listed) groups.close();
    Shape shape;
    shape.totals = {
        {.kind = Total::Kind::kHistogram, .slot = 0, .scoring = {.kind = Kind::kMode, .leaves = 4}},
        {.kind = Total::Kind::kHistogram,
         .slot = 0,
         .scoring = {.kind = Kind::kMode, .leaves = 4}}};
    // Nothing was added in "b".
    Added added{.units = {3, 1, 4}, .totals = {{30, 10, 40}, {31, 11, 41}}};
    added.pairs = {{{0, 3}, {1, 1}, {2, 0}}, {}};
    added.counted = {{}, {{0, 3, 7}, {1, 1, 8}, {2, 0, 9}}};
    const Contributions out = sorted_contributions(groups, shape, std::move(added));
    const std::vector<std::string> keys = Opened::look(out.keys());
    const Counts leaf_of = {1, -1, 3, 0}, rows_of = {8, 0, 7, 9};  // of a, b, c, d
    EXPECT_EQ(keys, listed ? (std::vector<std::string>{"c", "a", "d", "b"})
                           : (std::vector<std::string>{"a", "b", "c", "d"}));
    EXPECT_EQ(Opened::look(out.units()), listed ? (Counts{3, 1, 4, 0}) : (Counts{1, 0, 3, 4}));
    EXPECT_EQ(Opened::look(*out.total(0, {0, 1, 2, 3})),
              listed ? (Counts{30, 10, 40, 0}) : (Counts{10, 0, 30, 40}));
    for (std::size_t g = 0; g < keys.size(); ++g) {
      const auto name = static_cast<std::size_t>(keys[g][0] - 'a');
      Counts once(4), often(4);
      if (leaf_of[name] >= 0) {
        once[static_cast<std::size_t>(leaf_of[name])] = 1;
        often[static_cast<std::size_t>(leaf_of[name])] = rows_of[name];
      }
      EXPECT_EQ(Opened::look(*out.scores(0, g)), once) << keys[g];
      EXPECT_EQ(Opened::look(*out.scores(1, g)), often) << keys[g];
    }
  }
}

// Sums that 64 bits don't hold end at ±2^62, on their own side of 0.
TEST(Contributions, LargeSumsSaturate) {
  Groups groups(some_secret());
  groups.number("a");
  constexpr std::int64_t kMost = std::int64_t{1} << 62;
  const auto total_of = [&](Wide sum) {
    Shape shape;
    shape.totals = {{.kind = Total::Kind::kSum, .slot = 0}};
    const Contributions out =
        sorted_contributions(groups, shape, {.units = {1}, .totals = {{sum}}});
    return Opened::look(*out.total(0, {0}))[0];
  };
  for (const std::int64_t sign : {-1, 1}) {
    EXPECT_EQ(total_of(sign * Wide{kMost - 1}), sign * (kMost - 1));
    EXPECT_EQ(total_of(sign * Wide{kMost}), sign * kMost);
    for (const Wide sum : {Wide{kMost} + 1, Wide{1} << 63, Wide{1} << 64, Wide{1} << 100})
      EXPECT_EQ(total_of(sign * sum), sign * kMost);
  }
}

// … and wide ones at ±2^120, where there is still room for noise.
TEST(Contributions, WideSumsSaturateLater) {
  Groups groups(some_secret());
  groups.number("a");
  constexpr Wide kMost = Wide{1} << 120;
  const auto total_of = [&](Wide sum) {
    Shape shape;
    shape.totals = {{.kind = Total::Kind::kSum, .slot = 0}};
    const Contributions out =
        sorted_contributions(groups, shape, {.units = {1}, .totals = {{sum}}});
    return Opened::look(*out.wide_total(0, {0}))[0];
  };
  for (const int sign : {-1, 1}) {
    EXPECT_TRUE(total_of(sign * (kMost - 1)) == sign * (kMost - 1));
    for (const Wide sum : {kMost, kMost + 1, Wide{1} << 126})
      EXPECT_TRUE(total_of(sign * sum) == sign * kMost);
  }
}

// What lies beyond the end is somebody's: whoever counts differently than the bounding gets an
// error.
TEST(Contributions, GiveNothingBeyondTheirEnd) {
  Contributions::Parts parts;
  parts.keys = {"a", "b"};
  parts.units = {1, 1};
  parts.totals = {{5, 6}};
  parts.pairs = {{{0, 0}, {1, 3}}};  // a leaf that isn't there
  parts.scorings = {{.kind = Kind::kMode, .leaves = 2}};
  const Contributions contributions(std::move(parts));
  EXPECT_EQ(Opened::look(*contributions.total(0, {1, 0})), (Counts{6, 5}));
  EXPECT_FALSE(contributions.total(0, {0, 2}));
  EXPECT_FALSE(contributions.total(1, {0}));
  EXPECT_FALSE(contributions.wide_total(0, {0, 2}));
  EXPECT_FALSE(contributions.wide_total(1, {0}));
  EXPECT_EQ(Opened::look(*contributions.scores(0, 0)), (Counts{1, 0}));
  EXPECT_FALSE(contributions.scores(0, 1));
  EXPECT_FALSE(contributions.scores(0, 2));
  EXPECT_FALSE(contributions.scores(1, 0));
}

}  // namespace
}  // namespace discreet::bound
