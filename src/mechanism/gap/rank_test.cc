#include "discreet/mechanism/gap/rank.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "discreet/mechanism/gap/winsorised_mean.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

using testing::delta_above;
using testing::delta_below;
using Points = std::vector<std::int64_t>;

RankChoice choice(const Rational& epsilon, std::int64_t steps, const Rational& quantile) {
  return *RankChoice::create(
      {.epsilon = epsilon, .low = 0, .high = 10, .steps = steps, .quantile = quantile});
}

// All lists of `count` points in order, whose multisets are all data sets there are.
std::vector<Points> all_lists(std::int64_t steps, std::size_t count) {
  std::vector<Points> out{{}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Points> longer;
    for (const Points& list : out)
      for (std::int64_t point = list.empty() ? 0 : list.back(); point <= steps; ++point) {
        longer.push_back(list);
        longer.back().push_back(point);
      }
    out = std::move(longer);
  }
  return out;
}

TEST(RankChoice, EveryReplacementOfEveryListKeepsItsPromise) {
  for (const Rational& quantile : {Rational(1, 4), Rational(1, 2), Rational(3, 4)}) {
    const RankChoice mechanism = choice(1, 3, quantile);
    for (const Points& list : all_lists(3, 5)) {
      const std::vector<Ball> p = mechanism.pmf(list, testing::kBits);
      EXPECT_TRUE(testing::adds_up_to_one(p));
      for (std::size_t i = 0; i < list.size(); ++i)
        for (std::int64_t point = 0; point <= 3; ++point) {
          Points other = list;
          other[i] = point;
          EXPECT_LE(delta_above(p, mechanism.pmf(other, testing::kBits), 1), 1e-16);
        }
    }
  }
}

// A wide gap between the middle numbers, all of whose points lose a rank at once while those beyond
// gain one.
Points gap() {
  Points out;
  for (int i = 0; i < 6; ++i) out.push_back(0);
  for (const std::int64_t point : {60, 61, 61, 61, 61, 61}) out.push_back(point);
  return out;
}

TEST(RankChoice, TheProofHasNoSlack) {
  Points other = gap();
  other[0] = 61;
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)}) {
    const auto loss_at = [&](const Rational& made_with) {
      const RankChoice mechanism = choice(made_with, 61, Rational(1, 2));
      return delta_below(mechanism.pmf(gap(), testing::kBits), mechanism.pmf(other, testing::kBits),
                         epsilon);
    };
    EXPECT_LE(loss_at(epsilon), 1e-16);
    EXPECT_GT(loss_at(epsilon * Rational(5, 4)), 1e-6) << "a broken twin isn't caught";
  }
}

// Under add/remove the median's rank moves by half: a mechanism made for that fails here.
TEST(RankChoice, HalfASensitivityIsCaught) {
  const RankChoice half =
      choice(2, 61, Rational(1, 2));  // what sensitivity 1/2 would make of ε = 1
  Points other = gap();
  other[0] = 61;
  EXPECT_GT(delta_below(half.pmf(gap(), testing::kBits), half.pmf(other, testing::kBits), 1), 1e-3);
}

TEST(RankChoice, NumbersAreClampedAndRounded) {
  const RankChoice mechanism = choice(1, 10, Rational(1, 2));
  EXPECT_EQ(mechanism.points({-5, 0, Rational(1, 2), Rational(49, 10), 10, 1'000'000}),
            (Points{0, 0, 1, 5, 10, 10}));
  EXPECT_EQ(mechanism.at(3), 3);
}

TEST(RankChoice, TheMedianOfManyNumbersIsFound) {
  random::testing::Seeded source(7);
  const RankChoice mechanism = choice(8, 100, Rational(1, 2));
  std::vector<Rational> numbers(60, 4);
  numbers.resize(100, 9);
  for (int i = 0; i < 100; ++i) {
    const auto told =
        mechanism.release(Exact<std::vector<Rational>>::from_private(numbers), source);
    ASSERT_TRUE(told.has_value());
    EXPECT_EQ(told->value(), 4);  // every other point misses by ten ranks or more
  }
  EXPECT_EQ(mechanism.accuracy(mechanism.points(numbers), Rational(1, 2)), 0);
  EXPECT_NEAR(mechanism.deck_accuracy(Rational(1, 20)), std::log(101 * 20) / 4, 1e-9);
}

TEST(RankChoice, WhatIsRefused) {
  EXPECT_FALSE(RankChoice::create({.epsilon = 0, .low = 0, .high = 1}).has_value());
  EXPECT_FALSE(RankChoice::create({.epsilon = 1, .low = 1, .high = 1}).has_value());
  EXPECT_FALSE(RankChoice::create({.epsilon = 1, .low = 0, .high = 1, .steps = 0}).has_value());
  EXPECT_FALSE(RankChoice::create({.epsilon = 1, .low = 0, .high = 1, .quantile = 2}).has_value());
}

WinsorisedMean mean(const Rational& epsilon, std::int64_t count, std::int64_t steps) {
  return *WinsorisedMean::create(
      {.epsilon = epsilon, .low = 0, .high = 10, .count = count, .steps = steps});
}

std::vector<Rational> numbers_of(const Points& points, std::int64_t steps) {
  std::vector<Rational> out;
  for (const std::int64_t point : points)
    out.emplace_back(Integer(static_cast<long>(10 * point)), Integer(static_cast<long>(steps)));
  for (Rational& number : out) number.canonicalize();
  return out;
}

TEST(WinsorisedMean, EveryReplacementOfEveryListKeepsItsPromise) {
  const WinsorisedMean mechanism = mean(1, 4, 4);
  std::map<Points, std::vector<Ball>> known;
  for (const Points& list : all_lists(4, 4))
    known[list] = *mechanism.pmf(numbers_of(list, 4), testing::kBits);
  EXPECT_EQ(known.size(), 70U);
  for (const auto& [list, p] : known) {
    EXPECT_TRUE(testing::adds_up_to_one(p));
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::int64_t point = 0; point <= 4; ++point) {
        Points other = list;
        other[i] = point;
        std::sort(other.begin(), other.end());
        EXPECT_LE(delta_above(p, known.at(other), 1), 1e-16);
      }
  }
}

// With 9/4 of the ε that it promises: quartiles and sum are never at their worst together.
TEST(WinsorisedMean, ABrokenTwinIsCaught) {
  double worst = 0;
  const WinsorisedMean twin = mean(Rational(9, 4), 4, 4);
  for (const Points& list : all_lists(4, 4)) {
    Points other = list;
    other[0] = list[0] == 4 ? 0 : 4;
    worst = std::max(worst, delta_below(*twin.pmf(numbers_of(list, 4), testing::kBits),
                                        *twin.pmf(numbers_of(other, 4), testing::kBits), 1));
  }
  EXPECT_GT(worst, 1e-3);
}

TEST(WinsorisedMean, AnOutlierDoesNotPullTheMean) {
  random::testing::Seeded source(3);
  const WinsorisedMean mechanism = *WinsorisedMean::create(
      {.epsilon = 4, .low = 0, .high = 1'000'000, .count = 200, .steps = 10'000});
  std::vector<Rational> numbers;
  for (long i = 0; i < 199; ++i) numbers.emplace_back(40'000 + 100 * (i % 21));
  numbers.emplace_back(1'000'000);
  double total = 0;
  for (int i = 0; i < 200; ++i) {
    const auto told =
        mechanism.release(Exact<std::vector<Rational>>::from_private(numbers), source);
    ASSERT_TRUE(told.has_value());
    EXPECT_LT(told->margin()->error, 1000);  // 1'000'000/200·ln(20)/2 without the quartiles: 7500
    total += told->value().get_d();
  }
  EXPECT_NEAR(total / 200, 41'000, 100);
}

// A quarter of ε for each quartile and a half for the sum, not more.
TEST(WinsorisedMean, ItsPartsCostWhatItPromises) {
  const auto mean =
      *WinsorisedMean::create({.epsilon = 2, .low = 0, .high = 1, .count = 20, .steps = 64});
  const auto quartile = [](long which) {
    return RankChoice::create({.epsilon = Rational(1, 2),
                               .low = 0,
                               .high = 1,
                               .steps = 64,
                               .quantile = Rational(which, 4)})
        ->event();
  };
  EXPECT_EQ(privacy::describe(mean.event()),
            privacy::describe(
                {privacy::Composed{{quartile(1), quartile(3), {privacy::DiscreteLaplace{1, 1}}}}}));
}

TEST(WinsorisedMean, AnotherNumberOfNumbersIsRefused) {
  const auto refused = mean(1, 4, 4).release(Exact<std::vector<Rational>>::from_private({1, 2, 3}));
  EXPECT_FALSE(refused.has_value());
}

}  // namespace
}  // namespace discreet::mechanism::gap
