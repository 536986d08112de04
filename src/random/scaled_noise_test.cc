#include "discreet/random/scaled_noise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::random {
namespace {

constexpr NoiseShape kShapes[] = {NoiseShape::kLaplace, NoiseShape::kCauchy};
constexpr int kSamples = 20000;

Real constant(const Rational& value) {
  return [value](long bits) { return Ball(value, bits); };
}
Real third_power() {  // e^(1/3): a scale that no rational is
  return [](long bits) { return exp(Ball(Rational(1, 3), bits), bits); };
}

// The p-value of samples of `drawn` under the distribution that `stated` has.
double fit(const ScaledNoise& drawn, const ScaledNoise& stated, std::int64_t low,
           std::int64_t high) {
  testing::Seeded source(7);
  std::vector<double> counts(static_cast<std::size_t>(high - low + 1)), expected;
  for (int i = 0; i < kSamples; ++i) {
    const std::int64_t z = std::clamp(*drawn.sample(source), low, high);
    counts[static_cast<std::size_t>(z - low)] += 1;
  }
  for (std::int64_t z = low; z <= high; ++z)
    expected.push_back(stated.probability(z, {low, high}, 128).middle());
  return testing::goodness_of_fit(counts, expected);
}

TEST(ScaledNoise, FollowsItsDistribution) {
  for (const NoiseShape shape : kShapes) {
    for (const Rational& centre : {Rational(0), Rational(1, 2), Rational(22, 7)}) {
      for (const Real& scale : {third_power(), constant(Rational(1, 5)), constant(9)}) {
        const ScaledNoise noise{shape, centre, scale};
        EXPECT_GT(fit(noise, noise, -40, 40), testing::kFalseAlarm);
        // a broken twin: a fifth too little noise
        const Real less = [scale](long bits) {
          return mul(scale(bits), Ball(Rational(4, 5), bits), bits);
        };
        EXPECT_LT(fit({shape, centre, less}, noise, -40, 40), testing::kFalseAlarm);
      }
    }
  }
}

TEST(ScaledNoise, TheShapesDiffer) {
  EXPECT_LT(
      fit({NoiseShape::kLaplace, 0, constant(3)}, {NoiseShape::kCauchy, 0, constant(3)}, -40, 40),
      testing::kFalseAlarm);
}

// Against the textbook's densities, integrated by hand.
TEST(ScaledNoise, ProbabilitiesAreTheIntegrals) {
  const auto laplace = [](double x) { return x < 0 ? std::exp(x) / 2 : 1 - std::exp(-x) / 2; };
  const auto cauchy = [](double x) { return 0.5 + std::atan(x) / M_PI; };
  for (const NoiseShape shape : kShapes) {
    const auto cdf = [&](double x) {
      return shape == NoiseShape::kLaplace ? laplace(x) : cauchy(x);
    };
    for (const double b : {0.3, 1.0, 7.5}) {
      const ScaledNoise noise{shape, Rational(5, 4), constant(*exactly(b))};
      double sum = 0;
      for (int z = -6; z <= 9; ++z) {
        const double from = z == -6 ? 0 : cdf((z - 0.5 - 1.25) / b),
                     to = z == 9 ? 1 : cdf((z + 0.5 - 1.25) / b);
        const double stated = noise.probability(z, {-6, 9}, 128).middle();
        EXPECT_NEAR(stated, to - from, 1e-14);
        sum += stated;
      }
      EXPECT_NEAR(sum, 1, 1e-14);
      EXPECT_EQ(noise.probability(10, {-6, 9}, 128).upper(), 0);
    }
  }
}

TEST(ScaledNoise, WithoutScaleIsRounding) {
  const std::pair<Rational, std::int64_t> cases[] = {
      {0, 0}, {Rational(1, 2), 1}, {Rational(-1, 2), 0}, {Rational(7, 3), 2}, {-5, -5}};
  for (const NoiseShape shape : kShapes) {
    for (const auto& [centre, rounded] : cases) {
      testing::Seeded source(3);
      const ScaledNoise noise{shape, centre, [](long) { return Ball(0); }};
      for (int i = 0; i < 50; ++i) EXPECT_EQ(*noise.sample(source), rounded);
      EXPECT_EQ(noise.probability(rounded, {-9, 9}, 128).lower(), 1);
      EXPECT_EQ(noise.probability(rounded + 1, {-9, 9}, 128).upper(), 0);
      EXPECT_EQ(noise.probability(rounded - 1, {rounded - 1, 9}, 128).upper(), 0);
    }
  }
}

TEST(ScaledNoise, SaturatesUnderAHugeScale) {
  const Rational huge(Integer(1) << 200);
  for (const NoiseShape shape : kShapes) {
    testing::Seeded source(5);
    const ScaledNoise noise{shape, 0, constant(huge)};
    int up = 0;
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t z = *noise.sample(source);
      EXPECT_EQ(std::abs(z), kMostScaled);
      up += z > 0 ? 1 : 0;
    }
    EXPECT_NEAR(up, 500, 100);
  }
}

// The median of a symmetric noise around a half is a tie; so is a number that begins with zeros
// only, whose logarithm is anything. Both are settled by more digits.
TEST(ScaledNoise, TiesAreSettledByMoreDigits) {
  const std::uint64_t top = std::uint64_t{1} << 63;
  for (const NoiseShape shape : kShapes) {
    const ScaledNoise noise{shape, Rational(1, 2), constant(1)};
    testing::Scripted above({top, 0, 0, 0, 0, 1}), below({top - 1, ~0ULL, ~0ULL, ~0ULL, 5, 5});
    testing::Counting counted(above);
    EXPECT_EQ(*noise.sample(counted), 1);
    EXPECT_GE(counted.count(), 6U);
    EXPECT_EQ(*noise.sample(below), 0);
    testing::Scripted far({0, 0, 0, 1, 0, 0});
    EXPECT_LT(*noise.sample(far), -50);
  }
  testing::Failing failing(4);
  const ScaledNoise noise{NoiseShape::kLaplace, 0, constant(1)};
  ASSERT_TRUE(noise.sample(failing).has_value());
  EXPECT_FALSE(noise.sample(failing).has_value());
}

TEST(ScaledNoise, TheBytesTellNothing) {
  for (const NoiseShape shape : kShapes) {
    for (const Real& scale : {constant(0), constant(Rational(1, 1 << 30)), third_power(),
                              constant(Rational(Integer(1) << 90))}) {
      testing::Seeded seeded(11);
      testing::Counting source(seeded);
      const ScaledNoise noise{shape, Rational(10, 3), scale};
      for (std::uint64_t i = 1; i <= 200; ++i) {
        ASSERT_TRUE(noise.sample(source).has_value());
        EXPECT_EQ(source.count(), 3 * i);
      }
    }
  }
}

}  // namespace
}  // namespace discreet::random
