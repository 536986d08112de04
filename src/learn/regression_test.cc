#include "discreet/learn/regression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "discreet/learn/dense.h"
#include "discreet/learn/pca.h"
#include "discreet/privacy/accountant.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

using random::testing::Seeded;

Examples normal_rows(std::size_t count, std::size_t width, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  Examples out;
  out.count = count;
  out.shape.width = width;
  for (std::size_t i = 0; i < count * width; ++i) out.x.push_back(normal(random));
  return out;
}

TEST(RegressionTest, FindsTheWeights) {
  const Examples examples = normal_rows(20'000, 3, 1);
  const BallRows rows = in_ball(examples, {.radius = 3, .intercept = true});
  const std::vector<double> truth = {0.5, -0.8, 0.2, 0.3};
  std::vector<float> targets;
  for (std::size_t i = 0; i < rows.count; ++i) {
    double y = 0;
    for (std::size_t k = 0; k < 4; ++k) y += truth[k] * rows.row(i)[k] * 0x1p-14;
    targets.push_back(float(y));
  }
  Seeded source(2);
  const auto sigma = regression_sigma(1, Rational(1, 100000));
  ASSERT_TRUE(sigma);
  EXPECT_NEAR(to_double(*sigma), 3.7306, 1e-3);
  const auto found = regress(rows, targets, *sigma, source);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->ridge, 0);  // there is data enough
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found->weights[k], truth[k], 0.06);
}

TEST(RegressionTest, TakesARidgeWhereNoiseWins) {
  const BallRows rows = in_ball(normal_rows(10, 8, 1), {.radius = 3});
  const std::vector<float> targets(10, 1.0F);
  Seeded source(3);
  const auto found = regress(rows, targets, 10, source);
  ASSERT_TRUE(found);
  EXPECT_GT(found->ridge, 0);
  double norm = 0;
  for (const double w : found->weights) norm += w * w;
  EXPECT_LT(std::sqrt(norm), 10);  // and not what a singular matrix would make of it
}

TEST(RegressionTest, OfNobodyIsAnAnswerToo) {
  Seeded source(4);
  const BallRows none{0, 3, {}};
  const auto found = regress(none, {}, 5, source);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->weights.size(), 3U);
  EXPECT_FALSE(regression_sigma(1, 0));
}

TEST(RegressionTest, WhatIsMeasuredBeforeIsPaidForToo) {
  const Rational delta(1, 100000);
  const privacy::Event before{privacy::Gaussian{6}};
  const auto alone = regression_sigma(1, delta), beside = regression_sigma(1, delta, {before});
  ASSERT_TRUE(alone && beside);
  const auto found = [&](const Rational& sigma) {
    const privacy::Event all{privacy::Composed{{before, moments_event(sigma)}}};
    return privacy::account_epsilon(all, delta, {})->value.upper;
  };
  EXPECT_LE(found(*beside), 1.001);
  EXPECT_GT(found(*alone), 1.1);  // the twin
}

TEST(DenseTest, SolvesAndFindsTheLeastEigenvalue) {
  const Symmetric a{3, {4, 1, 0, 1, 3, 1, 0, 1, 2}};
  const auto x = solve(a, 0.5, {1, 2, 3});
  ASSERT_TRUE(x);
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0.5 * (*x)[i];
    for (std::size_t k = 0; k < 3; ++k) sum += a.at(i, k) * (*x)[k];
    EXPECT_NEAR(sum, double(i + 1), 1e-12);
  }
  // 3 + √3·cos(…): the roots of its polynomial, (3 − λ)((4 − λ)(2 − λ) − 1) − (2 − λ).
  EXPECT_NEAR(least_eigenvalue(a), 3 - std::sqrt(3), 1e-4);
  EXPECT_FALSE(solve(a, -3, {1, 2, 3}));
}

TEST(DenseTest, LeadingVectorsAreEigenvectors) {
  // By rotations (small) and by iteration (large): A = Σ λ_i v_i v_iᵀ with known λ.
  for (const std::size_t size : {20, 130}) {
    std::vector<double> basis(size * size);
    Symmetric a{size, std::vector<double>(size * size)};
    for (std::size_t i = 0; i < size; ++i)  // cosines, which are orthonormal
      for (std::size_t k = 0; k < size; ++k)
        basis[i * size + k] = std::sqrt((i == 0 ? 1.0 : 2.0) / double(size)) *
                              std::cos(M_PI * double(i) * (double(k) + 0.5) / double(size));
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t k = 0; k < size; ++k)
        for (std::size_t m = 0; m < size; ++m)
          a.at(i, k) +=
              (m < 3 ? 100.0 / double(m + 1) : -5.0) * basis[m * size + i] * basis[m * size + k];
    const auto found = leading(a, 3, 5);
    for (std::size_t m = 0; m < 3; ++m) {
      double along = 0;
      for (std::size_t k = 0; k < size; ++k) along += found[m * size + k] * basis[m * size + k];
      EXPECT_NEAR(std::abs(along), 1, 1e-6) << size << " " << m;
    }
  }
}

TEST(PcaTest, PrivateComponentsAreNearThePublicOnes) {
  Examples examples = normal_rows(3000, 12, 7);
  for (std::size_t i = 0; i < examples.count; ++i)  // two directions that matter
    for (std::size_t k = 2; k < 12; ++k) examples.x[i * 12 + k] *= 0.05F;
  Seeded source(8);
  const auto open = public_components(examples, 2);
  const auto secret = private_components(examples, 2, 4, source);
  ASSERT_TRUE(open && secret);
  for (const auto* one : {&*open, &*secret})
    for (std::size_t c = 0; c < 2; ++c) {
      double inside = 0, all = 0;
      for (std::size_t k = 0; k < 12; ++k) {
        const double x = one->components[c * 12 + k];
        all += x * x;
        inside += k < 2 ? x * x : 0;
      }
      EXPECT_GT(inside, 0.95 * all);
      EXPECT_NEAR(all, 1, 0.1);  // equal eigenvalues have equal weights
    }
  EXPECT_FALSE(public_components(examples, 13));
  EXPECT_FALSE(private_components(examples, 0, 4, source));
}

// Where noise is all there is to see, the same noise makes the same components.
TEST(PcaTest, PrivateComponentsAreThoseOfNoisyMoments) {
  constexpr std::size_t kWidth = 5, kCount = 2;
  const Examples examples = normal_rows(20, kWidth, 7);
  const Rational sigma = 50;
  // The examples at norm 1: whatever is longer than the radius is cut to it.
  const BallRows rows = in_ball(examples, {.radius = 1e-3, .intercept = false});
  Seeded source(8);
  const auto found = private_components(examples, kCount, sigma, source);
  ASSERT_TRUE(found) << found.error().text();
  const auto alike = [&](const Rational& noise) {
    Seeded again(8);
    const Moments moments = *release_moments(rows, {}, noise, again);
    const auto expected = leading({kWidth, moments.products}, kCount, 2 * moments.sigma);
    double least = 1;
    for (std::size_t c = 0; c < kCount; ++c) {
      double along = 0, squares = 0;
      for (std::size_t k = 0; k < kWidth; ++k) {
        const double x = found->components[c * kWidth + k];
        along += x * expected[c * kWidth + k];
        squares += x * x;
      }
      least = std::min(least, std::abs(along) / std::sqrt(squares));
    }
    return least;
  };
  EXPECT_GT(alike(sigma), 0.999);
  EXPECT_LT(alike(sigma / 100), 0.9);  // the twin
}

TEST(PcaTest, WeightsEvenOutComponents) {
  Examples examples = normal_rows(4000, 3, 7);
  for (std::size_t i = 0; i < examples.count; ++i) {
    examples.x[i * 3] *= 16;
    examples.x[i * 3 + 2] = 0;
  }
  const auto found = public_components(examples, 2);
  ASSERT_TRUE(found);
  double first = 0, second = 0, values[2] = {};
  for (std::size_t k = 0; k < 3; ++k) {
    first += std::pow(found->components[k], 2);
    second += std::pow(found->components[3 + k], 2);
  }
  for (std::size_t i = 0; i < examples.count; ++i) {  // of rows at norm 1
    const auto row = examples.row(i);
    const double squares = row[0] * row[0] + row[1] * row[1];
    values[0] += row[0] * row[0] / squares;
    values[1] += row[1] * row[1] / squares;
  }
  EXPECT_NEAR(second / first, std::sqrt(values[0] / values[1]), 0.01);
  EXPECT_NEAR(first * values[0] + second * values[1], values[0] + values[1], 1);
}

TEST(PcaTest, ProjectsEachRowByItself) {
  Examples examples = normal_rows(50, 6, 9);
  examples.y.assign(50, 1.0F);
  examples.classes = 2;
  for (std::size_t k = 0; k < 6; ++k) examples.x[3 * 6 + k] = 0;  // nothing
  examples.x[4 * 6] = std::numeric_limits<float>::infinity();     // no number
  const auto components = public_components(normal_rows(40, 6, 10), 4);
  ASSERT_TRUE(components);
  const Examples all = project(*components, examples);
  EXPECT_EQ(all.shape.width, 4U);
  EXPECT_EQ(all.y, examples.y);
  for (std::size_t i = 0; i < 50; ++i) {
    Examples one;
    one.count = 1;
    one.shape = examples.shape;
    one.x.assign(examples.row(i).begin(), examples.row(i).end());
    const Examples alone = project(*components, one);
    double squares = 0;
    for (std::size_t k = 0; k < 4; ++k) {
      ASSERT_EQ(alone.x[k], all.row(i)[k]);
      squares += alone.x[k] * alone.x[k];
    }
    EXPECT_LE(squares, 4 * 3);  // √4 times at most the longest component
    if (i == 3 || i == 4) {
      EXPECT_EQ(squares, 0);
    }
  }
}

}  // namespace
}  // namespace discreet::learn
