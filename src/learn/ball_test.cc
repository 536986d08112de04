#include "discreet/learn/ball.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace discreet::learn {
namespace {

Examples rows_of(std::vector<std::vector<float>> rows) {
  Examples out;
  out.count = rows.size();
  out.shape.width = rows[0].size();
  for (const auto& row : rows) out.x.insert(out.x.end(), row.begin(), row.end());
  return out;
}

std::int64_t squares(std::span<const std::int16_t> row) {
  std::int64_t out = 0;
  for (const std::int16_t q : row) out += std::int64_t{q} * q;
  return out;
}

TEST(BallTest, EveryRowIsInTheBall) {
  constexpr float kHuge = std::numeric_limits<float>::max();
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<std::vector<float>> rows = {
      {0, 0, 0},   {1, 1, 1},         {kHuge, 1, 0},  {-kHuge, kHuge, kHuge},
      {NAN, 0, 0}, {INFINITY, -1, 2}, {1e-40F, 0, 0}, {0.57735026F, 0.57735026F, 0.57735026F}};
  for (int i = 0; i < 2000; ++i) rows.push_back({normal(random), normal(random), normal(random)});
  std::int64_t most = 0;
  for (const bool intercept : {false, true})
    for (const double radius : {1.0, 0.3, 3.0}) {
      const BallRows ball = in_ball(rows_of(rows), {radius, intercept});
      ASSERT_EQ(ball.width, intercept ? 4U : 3U);
      for (std::size_t i = 0; i < ball.count; ++i) {
        ASSERT_LE(squares(ball.row(i)), BallRows::kOne * BallRows::kOne) << i;
        most = std::max(most, squares(ball.row(i)));
      }
      EXPECT_EQ(squares(ball.row(4)), 0);  // what isn't a number is nothing at all
    }
  // The check can fail: rounding alone would leave the ball, by as little as one step.
  EXPECT_GT(most, BallRows::kOne * BallRows::kOne - 4 * BallRows::kOne);
}

TEST(BallTest, ShortRowsAreOnlyDivided) {
  const Examples rows = rows_of({{1, -2, 0.5F}});
  const BallRows ball = in_ball(rows, {3, true});
  const double unit = double(BallRows::kOne);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(ball.row(0)[i] / unit, rows.x[i] / std::sqrt(10), 1 / unit);
  EXPECT_NEAR(ball.row(0)[3] / unit, 1 / std::sqrt(10), 1 / unit);
  // A linear function of the ball's row is one of the example.
  const std::vector<double> weights = {1, 2, 3, 4};
  const auto own = of_examples(weights, {3, true});
  double ball_score = 0, score = own[3];
  for (std::size_t i = 0; i < 4; ++i) ball_score += weights[i] * ball.row(0)[i] / unit;
  for (std::size_t i = 0; i < 3; ++i) score += own[i] * rows.x[i];
  EXPECT_NEAR(ball_score, score, 1e-3);
}

// … and long ones cut before: what has to be shortened to fit is the example, not its intercept,
// and its direction stays.
TEST(BallTest, LongRowsKeepTheirDirectionAndTheirIntercept) {
  const Examples rows = rows_of({{3, 4}, {-300, 400}});
  const double unit = double(BallRows::kOne);
  for (const double radius : {0.5, 1.0, 2.0}) {
    const BallRows bare = in_ball(rows, {radius, false}), ball = in_ball(rows, {radius, true});
    const double root = std::sqrt(radius * radius + 1);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NEAR(bare.row(i)[0] / unit, i == 0 ? 0.6 : -0.6, 2 / unit);
      EXPECT_NEAR(bare.row(i)[1] / unit, 0.8, 2 / unit);
      EXPECT_NEAR(ball.row(i)[0] / unit, (i == 0 ? 0.6 : -0.6) * radius / root, 2 / unit);
      EXPECT_NEAR(ball.row(i)[1] / unit, 0.8 * radius / root, 2 / unit);
      EXPECT_NEAR(ball.row(i)[2] / unit, 1 / root, 2 / unit);
    }
  }
}

}  // namespace
}  // namespace discreet::learn
