#include "discreet/learn/moments.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

using random::testing::Seeded;

BallRows some_rows(std::size_t count, std::size_t width, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Examples examples;
  examples.count = count;
  examples.shape.width = width;
  for (std::size_t i = 0; i < count * width; ++i) examples.x.push_back(normal(random));
  return in_ball(examples, {.radius = 1});
}

std::vector<float> some_targets(std::size_t count) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> out(count);
  for (float& y : out) y = uniform(random);
  return out;
}

TEST(MomentsTest, AreExactButForTheirNoise) {
  const BallRows rows = some_rows(200, 17, 1);
  const auto targets = some_targets(200);
  Seeded source(1);
  const auto found = release_moments(rows, targets, Rational(1, 1000), source);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->sigma, 0.001 * std::sqrt(2), 1e-12);
  double squares = 0;
  for (std::size_t i = 0; i < 17; ++i) {
    for (std::size_t k = 0; k < 17; ++k) {
      double exact = 0;
      for (std::size_t r = 0; r < 200; ++r)
        exact += double(rows.row(r)[i]) * rows.row(r)[k] * 0x1p-28;
      const double noise = found->products[i * 17 + k] - exact;
      ASSERT_LT(std::abs(noise), 7 * found->sigma);
      if (k >= i) squares += noise * noise / (found->sigma * found->sigma);
      EXPECT_EQ(found->products[i * 17 + k], found->products[k * 17 + i]);
    }
    double exact = 0;
    for (std::size_t r = 0; r < 200; ++r)
      exact += double(rows.row(r)[i]) * std::round(targets[r] * 0x1p14F) * 0x1p-28;
    squares += std::pow((found->targets[i] - exact) / found->sigma, 2);
  }
  // χ² of the 153 + 17 numbers with noise of their own: neither too little nor too much.
  EXPECT_GT(random::testing::chi_square_tail(squares, 170), 1e-6);
  EXPECT_LT(random::testing::chi_square_tail(squares, 170), 1 - 1e-6);
}

// Two numbers with the same noise would tell their difference.
TEST(MomentsTest, EveryNumberHasNoiseOfItsOwn) {
  constexpr std::size_t kWidth = 9;
  const BallRows nothing{1, kWidth, std::vector<std::int16_t>(kWidth)};
  const std::vector<float> zero = {0};
  Seeded source(7);
  const auto found = release_moments(nothing, zero, 1, source);
  ASSERT_TRUE(found);
  std::set<double> all(found->targets.begin(), found->targets.end());
  for (std::size_t i = 0; i < kWidth; ++i)
    for (std::size_t k = i; k < kWidth; ++k) all.insert(found->products[i * kWidth + k]);
  EXPECT_EQ(all.size(), kWidth * (kWidth + 1) / 2 + kWidth);
}

// What one more row changes, over the noise: at most 1/σ, for the multiplier that is charged.
double change(const BallRows& with, std::span<const float> targets, const Moments& moments) {
  double squares = 0;
  const auto row = with.row(0);
  for (std::size_t i = 0; i < with.width; ++i)
    for (std::size_t k = i; k < with.width; ++k)
      squares += std::pow(double(row[i]) * row[k] * 0x1p-28, 2);
  if (!targets.empty())
    for (const std::int16_t q : row) squares += std::pow(q * double(targets[0]) * 0x1p-14, 2);
  return std::sqrt(squares) / moments.sigma;
}

TEST(MomentsTest, OneRowChangesNoMoreThanIsCharged) {
  Seeded source(3);
  const Rational sigma = 4;
  double most = 0, most_with = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const BallRows row = some_rows(1, 1 + seed % 5, seed);
    const std::vector<float> target = {1};
    const auto plain = release_moments(row, {}, sigma, source);
    const auto both = release_moments(row, target, sigma, source);
    ASSERT_TRUE(plain && both);
    most = std::max(most, change(row, {}, *plain));
    most_with = std::max(most_with, change(row, target, *both));
  }
  EXPECT_LE(most, 0.25);
  EXPECT_LE(most_with, 0.25);
  // The twins: the bounds are met, so noise for half a row, or without the √2, would not do.
  EXPECT_GT(most, 0.24);
  EXPECT_GT(most_with * std::sqrt(2), 0.25);
  EXPECT_EQ(privacy::describe(moments_event(sigma)), "gaussian(sigma=4)");
}

TEST(MomentsTest, ThreadsAndBlocksAddUpTheSame) {
  // 67 rows: blocks of 64 with a rest; widths around the cuts between threads.
  for (const std::size_t width : {1, 2, 3, 31}) {
    const BallRows rows = some_rows(67, width, 9);
    Seeded source(4);
    const auto found = release_moments(rows, {}, Rational(1, 1024), source);
    ASSERT_TRUE(found);
    for (std::size_t i = 0; i < width; ++i) {
      double exact = 0;
      for (std::size_t r = 0; r < 67; ++r) exact += std::pow(rows.row(r)[i] * 0x1p-14, 2);
      EXPECT_NEAR(found->products[i * width + i], exact, 0.01);
    }
  }
}

TEST(MomentsTest, TargetsThatAreNoneAreClamped) {
  const BallRows rows = some_rows(3, 1, 5);
  Seeded source(6);
  const std::vector<float> wild = {NAN, 1e9F, -INFINITY};
  const auto found = release_moments(rows, wild, Rational(1, 1024), source);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->targets[0], (rows.row(1)[0] - rows.row(2)[0]) * 0x1p-14, 0.02);
  EXPECT_FALSE(release_moments(rows, std::span(wild).first(2), 1, source));
}

// A sum of products beyond 2^53, most of them odd: doubles, which hold every other whole number
// there, lose one unit after the other, and none is lost in whole numbers. The noise is known (the
// same generator with a row of zeros), so that single units show.
TEST(MomentsTest, MoreRowsThanDoublesAddUpExactly) {
  constexpr std::size_t kCount = (std::size_t{1} << 25) + (std::size_t{1} << 16);
  BallRows rows{kCount, 1, std::vector<std::int16_t>(kCount, BallRows::kOne - 1)};
  for (std::size_t i = 3; i < kCount; i += 4) rows.values[i] = BallRows::kOne;
  const std::vector<float> targets(kCount, 1.0F - 0x1p-14F);
  const auto released = [](const BallRows& of, std::span<const float> with) {
    Seeded source(3);
    return release_moments(of, with, Rational(1, 100), source);
  };
  const BallRows nothing{1, 1, {0}};
  const std::vector<float> zero = {0};
  const auto found = released(rows, targets), noise = released(nothing, zero);
  ASSERT_TRUE(found && noise);
  std::int64_t squares = 0, products = 0;
  double plain_squares = 0, plain_products = 0;  // the twin
  for (const std::int16_t x : rows.values) {
    squares += std::int64_t{x} * x;
    products += std::int64_t{x} * (BallRows::kOne - 1);
    plain_squares += double(x) * double(x);
    plain_products += double(x) * double(BallRows::kOne - 1);
  }
  const auto units_off = [](double with, double without, double exact) {
    return std::abs((with - without) * 0x1p28 - exact);
  };
  // A unit for each number that was rounded to a double.
  constexpr double kRounded = 4;
  EXPECT_LE(units_off(found->products[0], noise->products[0], double(squares)), kRounded);
  EXPECT_LE(units_off(found->targets[0], noise->targets[0], double(products)), kRounded);
  EXPECT_GT(std::abs(plain_squares - double(squares)), 1000 * kRounded);
  EXPECT_GT(std::abs(plain_products - double(products)), 1000 * kRounded);
}

}  // namespace
}  // namespace discreet::learn
