// The threshold and the mode's gap, against the definitions by brute force. The mechanisms as a
// whole are tried by registry_test.cc, as all are.
#include "discreet/mechanism/gap/stability.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

#include "discreet/mechanism/gap/mode.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

GapTest made(const Rational& epsilon, const Rational& delta) {
  return *GapTest::create({.epsilon = epsilon, .delta = delta});
}

// δ that is left at ε between two data sets with different answers, at distance 1 each, if what
// reaches `least` with noise is told.
double told_apart(const GapTest& test, std::int64_t least, const Rational& epsilon) {
  const Ball told = test.probability(1 + test.threshold() - least, 128);
  const Ball kept = sub(Ball(1), told, 128);
  const std::vector<Ball> one{told, Ball(0), kept}, other{Ball(0), told, kept};
  return testing::delta_above(one, other, epsilon);
}

TEST(Threshold, IsTheLeastThatKeepsDelta) {
  for (const Rational& epsilon : {Rational(1, 10), Rational(1, 2), Rational(1), Rational(3)})
    for (const Rational& delta : {Rational(1, 10), Rational(1, 1000), Rational(1, 1000000)}) {
      const GapTest test = made(epsilon, delta);
      EXPECT_LE(told_apart(test, test.threshold(), epsilon), delta.get_d());
      // One less, the twin that forgets that neighbours are at distance 1, is caught.
      if (test.threshold() > 2) {
        EXPECT_GT(told_apart(test, test.threshold() - 1, epsilon), delta.get_d());
      }
    }
}

TEST(Threshold, TheDecksIsTooSmallBeyondLnTwo) {
  const Rational delta(1, 1000000);
  const double epsilon = 3;
  const auto deck = static_cast<std::int64_t>(std::ceil(std::log(1e6) / epsilon));
  const GapTest test = made(3, delta);
  EXPECT_GT(told_apart(test, deck, 3), delta.get_d());
  // For continuous noise 1 + ln(1/(2δ))/ε is right; with integer noise it overshoots δ, by up to
  // 2/(1+α): most where it is a whole number, as at δ = e^−12/2.
  const Rational half(30722, 10'000'000'000);
  const auto continuous =
      static_cast<std::int64_t>(std::ceil(1 + std::log(1 / (2 * half.get_d())) / epsilon));
  EXPECT_GT(told_apart(made(3, half), continuous, 3), 1.9 * half.get_d());
}

TEST(Threshold, KnownValues) {
  const GapTest test = made(1, Rational(1, 1000000));
  EXPECT_EQ(test.threshold(), 15);  // T = 14: e^−14/(1+e^−1) = 6.1e-7
  EXPECT_NEAR(1 - test.probability(31, 128).middle(), std::exp(-17) / (1 + std::exp(-1)), 1e-15);
  EXPECT_EQ(made(20, Rational(1, 2)).threshold(), 2);  // T is at least 1
  const std::int64_t far = test.distance_for(Rational(19, 20));
  EXPECT_GE(test.probability(far, 128).middle(), 0.95);
  EXPECT_LT(test.probability(far - 1, 128).middle(), 0.95);
}

TEST(Threshold, ExtremeDistancesDontOverflow) {
  const GapTest test = made(Rational(1, 1000000), Rational(1, 1000));
  random::testing::Seeded source(1);
  EXPECT_TRUE(*test.passes(INT64_MAX, source));
  EXPECT_FALSE(*test.passes(INT64_MIN, source));
}

TEST(Threshold, RefusesWhatHasNoMeaning) {
  EXPECT_FALSE(GapTest::create({.epsilon = 0, .delta = Rational(1, 2)}).has_value());
  EXPECT_FALSE(GapTest::create({.epsilon = 1, .delta = 0}).has_value());
  EXPECT_FALSE(GapTest::create({.epsilon = 1, .delta = 1}).has_value());
}

// --- the mode's gap

using Counts = std::vector<std::int64_t>;

std::vector<Counts> all_counts(std::size_t values, std::int64_t most) {
  std::vector<Counts> out{{}};
  for (std::size_t i = 0; i < values; ++i) {
    std::vector<Counts> longer;
    for (const Counts& one : out)
      for (std::int64_t c = 0; c <= most; ++c) {
        longer.push_back(one);
        longer.back().push_back(c);
      }
    out = std::move(longer);
  }
  return out;
}

// All data sets that differ by one unit with up to `rows` rows.
std::set<Counts> neighbours(const Counts& counts, privacy::Relation relation, std::int64_t rows) {
  std::set<Counts> less{counts};
  const auto step = [](const std::set<Counts>& from, std::int64_t by) {
    std::set<Counts> out = from;
    for (const Counts& one : from)
      for (std::size_t i = 0; i < one.size(); ++i)
        if (one[i] + by >= 0) {
          Counts other = one;
          other[i] += by;
          out.insert(std::move(other));
        }
    return out;
  };
  std::set<Counts> more = less;
  for (std::int64_t r = 0; r < rows; ++r) less = step(less, -1), more = step(more, 1);
  if (relation == privacy::Relation::kSubstitute) {
    for (std::int64_t r = 0; r < rows; ++r) less = step(less, 1);
    return less;
  }
  less.insert(more.begin(), more.end());
  return less;
}

using Gap = std::function<Mode(const Counts&, Domain, privacy::Relation, std::int64_t)>;

// Is it a distance: 1 at most where a neighbour's answer differs, and never more than 1 apart? In
// an open domain the last value of each list stands for all that nobody has listed.
bool is_distance(const Gap& gap, Domain domain, privacy::Relation relation, std::int64_t rows) {
  for (const Counts& counts : all_counts(3, 5)) {
    const Mode here = gap(counts, domain, relation, rows);
    for (const Counts& other : neighbours(counts, relation, rows)) {
      const Mode there = gap(other, domain, relation, rows);
      const bool same = here.winner == there.winner && here.distance > 0 && there.distance > 0;
      if (std::abs(here.distance - there.distance) > 1) return false;
      if (!same && (here.distance > 1 || there.distance > 1)) return false;
    }
  }
  return true;
}

Mode real(const Counts& counts, Domain domain, privacy::Relation relation, std::int64_t rows) {
  return mode_of(counts, domain, relation, rows);
}

TEST(Mode, TheGapIsADistance) {
  for (const Domain domain : {Domain::kListed, Domain::kOpen})
    for (const auto relation : {privacy::Relation::kAddRemove, privacy::Relation::kSubstitute})
      for (const std::int64_t rows : {1, 2})
        EXPECT_TRUE(is_distance(real, domain, relation, rows)) << rows;
}

TEST(Mode, TwinsAreCaught) {
  // A substitution closes the gap by 2; a unit with two rows by 2.
  const Gap by_add_remove = [](const Counts& counts, Domain domain, privacy::Relation,
                               std::int64_t rows) {
    return mode_of(counts, domain, privacy::Relation::kAddRemove, rows);
  };
  EXPECT_FALSE(is_distance(by_add_remove, Domain::kListed, privacy::Relation::kSubstitute, 1));
  const Gap by_rows = [](const Counts& counts, Domain domain, privacy::Relation relation,
                         std::int64_t) { return mode_of(counts, domain, relation, 1); };
  EXPECT_FALSE(is_distance(by_rows, Domain::kListed, privacy::Relation::kAddRemove, 2));
  // Without the tie rule two values that lead in turn are both at distance 0 or 2.
  const Gap later = [](const Counts& counts, Domain domain, privacy::Relation relation,
                       std::int64_t rows) {
    Mode out = mode_of(counts, domain, relation, rows);
    out.distance += 1;
    return out;
  };
  EXPECT_FALSE(is_distance(later, Domain::kListed, privacy::Relation::kAddRemove, 1));
}

TEST(Mode, TiesGoToTheFirst) {
  EXPECT_EQ(mode_of(Counts{120, 90, 3}, Domain::kOpen).distance, 31);
  EXPECT_EQ(mode_of(Counts{90, 120, 3}, Domain::kOpen).distance, 30);
  EXPECT_EQ(mode_of(Counts{5, 5}, Domain::kOpen).winner, 0U);
  EXPECT_EQ(mode_of(Counts{5, 5}, Domain::kOpen).distance, 1);
  EXPECT_EQ(mode_of(Counts{120, 90, 3}, Domain::kOpen, privacy::Relation::kSubstitute).distance,
            16);
  // Somebody may bring a value that nobody had.
  EXPECT_EQ(mode_of(Counts{7}, Domain::kOpen).distance, 7);
  EXPECT_EQ(mode_of(Counts{0, 0}, Domain::kOpen).distance, 0);
  EXPECT_EQ(mode_of(Counts{}, Domain::kListed).distance, 0);
}

TEST(Stability, ReleasesTheAnswerOrNothing) {
  const Stability stability = *Stability::create({.epsilon = 1, .delta = Rational(1, 1000)});
  random::testing::Seeded source(1);
  const auto far = Exact<Stable<std::string>>::from_private({"Ada", 1000});
  EXPECT_EQ(stability.release(far, source)->value(), "Ada");
  const auto near = Exact<Stable<std::string>>::from_private({"Ada", -1000});
  EXPECT_EQ(stability.release(near, source)->value(), std::nullopt);
}

}  // namespace
}  // namespace discreet::mechanism::gap
