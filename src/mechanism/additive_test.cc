// Laplace, geometric, truncated geometric, Gaussian and discrete Gaussian: privacy, accuracy,
// attacks.
#include "discreet/mechanism/additive.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/discrete_gaussian.h"
#include "discreet/mechanism/gaussian.h"
#include "discreet/mechanism/laplace.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/random/scale.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

using testing::delta_above;
using testing::delta_below;
using testing::distribution;
using testing::kBits;
using testing::middle;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
const Rational kMillionth(1, 1'000'000);

Additive at_scale(const Rational& scale, Range range = {}) {
  return Additive({.grid = Grid::integers(),
                   .noise = *discrete_laplace(scale),
                   .guarantee = {},
                   .cells = 1,
                   .on_grid = false,
                   .range = range});
}

TEST(Laplace, IsPrivateAndTightOverAllEpsilons) {
  for (const Rational& epsilon : testing::epsilons()) {
    for (const long sensitivity : {1L, 3L}) {
      const auto mechanism = *laplace({.epsilon = epsilon, .sensitivity = sensitivity});
      ASSERT_EQ(mechanism.guarantee().epsilon, epsilon);
      for (std::int64_t shift = 1; shift <= sensitivity; ++shift) {
        const auto p = distribution(mechanism, 0, -40, 40),
                   q = distribution(mechanism, shift, -40, 40);
        EXPECT_TRUE(testing::adds_up_to_one(p));
        EXPECT_LE(delta_above(p, q, epsilon), 1e-30);
        // tight: at a hair less it doesn't hold
        if (shift == sensitivity) {
          EXPECT_GT(delta_below(p, q, epsilon * Rational(999'999, 1'000'000)), 0);
        }
      }
      // the broken twins: half the scale; a scale a hair too small (a double rounded down)
      const auto half = at_scale(mechanism.noise().scale() / 2);
      EXPECT_GT(delta_below(distribution(half, 0, -40, 40),
                            distribution(half, sensitivity, -40, 40), epsilon),
                0);
      const auto hair = at_scale(mechanism.noise().scale() * (1 - Rational(1, Integer(1) << 60)));
      EXPECT_GT(delta_below(distribution(hair, 0, -40, 40),
                            distribution(hair, sensitivity, -40, 40), epsilon),
                0);
    }
  }
}

TEST(Laplace, RoundingToTheGridIsPaidFor) {
  // 0.3 on a grid of 1: neighbours 0.4 and 0.6 round to 0 and 1. Noise for 0.3 would be too little.
  const Rational epsilon(1), sensitivity(3, 10);
  const auto mechanism = *laplace({.epsilon = epsilon, .sensitivity = sensitivity, .grid = 1});
  const std::int64_t y = mechanism.grid().round(Rational(4, 10)),
                     y2 = mechanism.grid().round(Rational(6, 10));
  EXPECT_LE(delta_above(distribution(mechanism, y, -20, 20), distribution(mechanism, y2, -20, 20),
                        epsilon),
            1e-30);
  const auto naive = at_scale(sensitivity / epsilon);
  EXPECT_GT(delta_below(distribution(naive, y, -20, 20), distribution(naive, y2, -20, 20), epsilon),
            0.1);
}

TEST(Laplace, VectorsOfReals) {
  const auto real = *laplace({.epsilon = 1, .sensitivity = 2, .grid = 1, .cells = 5});
  EXPECT_EQ(real.noise().scale(), 2 + 4);
  const auto counts =
      *laplace({.epsilon = 1, .sensitivity = 2, .grid = 1, .cells = 5, .on_grid = true});
  EXPECT_EQ(counts.noise().scale(), 2);
  EXPECT_FALSE(
      counts.release(Exact<std::vector<double>>::from_private({1, 2, 3, 4, 5})).has_value());
  EXPECT_FALSE(counts.release(Exact<std::vector<std::int64_t>>::from_private({1, 2})).has_value());
  EXPECT_FALSE(counts.release(Exact<std::int64_t>::from_private(1)).has_value());
  EXPECT_FALSE(counts.release(Exact<std::vector<std::int64_t>>::from_private({1, 2, 3, 4, 5, 6}))
                   .has_value());
  EXPECT_TRUE(
      counts.release(Exact<std::vector<std::int64_t>>::from_private({1, 2, 3, 4, 5})).has_value());
}

// Noise that is too little to be drawn is more instead.
TEST(Laplace, TheSmallestScaleIsDrawn) {
  const Rational smallest = random::kSmallestScale;
  EXPECT_EQ(*drawable_scale(smallest / 2), smallest);
  EXPECT_EQ(*drawable_scale(smallest), smallest);
  EXPECT_EQ(*drawable_scale(smallest * 2), smallest * 2);
}

TEST(Histogram, OneDrawACellAndTheRightSensitivity) {
  const auto add_remove = *histogram({.epsilon = Rational(1, 2), .cells = 3});
  const auto substitute = *histogram(
      {.epsilon = Rational(1, 2), .cells = 3, .relation = privacy::Relation::kSubstitute});
  EXPECT_EQ(add_remove.noise().scale(), 2);
  EXPECT_EQ(substitute.noise().scale(), 4);
  EXPECT_EQ(count({.epsilon = 1, .relation = privacy::Relation::kSubstitute})->noise().scale(), 1);
  // joint distribution of two cells when one unit moves from one to the other
  const auto joint = [](const Additive& m, std::int64_t a, std::int64_t b) {
    const auto p = distribution(m, a, -15, 15), q = distribution(m, b, -15, 15);
    std::vector<Ball> out;
    for (const Ball& x : p)
      for (const Ball& y : q) out.push_back(mul(x, y, kBits));
    return out;
  };
  const Rational epsilon(1, 2);
  EXPECT_LE(delta_above(joint(substitute, 0, 1), joint(substitute, 1, 0), epsilon), 1e-30);
  EXPECT_GT(delta_below(joint(add_remove, 0, 1), joint(add_remove, 1, 0), epsilon),
            0.01);  // the broken twin
  EXPECT_LE(delta_above(joint(add_remove, 0, 1), joint(add_remove, 0, 0), epsilon), 1e-30);
}

TEST(TruncatedGeometric, EndsAndInterior) {
  const Rational epsilon(1, 2);
  const auto mechanism = *truncated_geometric({.epsilon = epsilon, .max = 10});
  const double alpha = std::exp(-0.5);
  for (const std::int64_t y : {0, 3, 10}) {
    const auto p = distribution(mechanism, y, 0, 10);
    EXPECT_TRUE(testing::adds_up_to_one(p));
    for (std::int64_t z = 0; z <= 10; ++z) {
      const double power = std::pow(alpha, static_cast<double>(std::abs(z - y)));
      const double expected =
          z == 0 || z == 10 ? power / (1 + alpha) : (1 - alpha) / (1 + alpha) * power;
      EXPECT_NEAR(middle(p[static_cast<std::size_t>(z)]), expected, 1e-14);
    }
  }
  // the broken twin with its ends off by one: clamped to [−1, 11] and then read as if to [0, 10],
  // some mass is missing
  const auto off = at_scale(2, {-1, 11});
  EXPECT_FALSE(testing::adds_up_to_one(distribution(off, 3, 0, 10)) &&
               middle(off.probability(3, 0, kBits)) == middle(mechanism.probability(3, 0, kBits)));
  EXPECT_LT(middle(off.probability(3, 0, kBits)), 0.5 * middle(mechanism.probability(3, 0, kBits)));
}

TEST(TruncatedGeometric, IsPrivateForEveryNeighbour) {
  for (const Rational& epsilon : testing::epsilons()) {
    const auto mechanism = *truncated_geometric({.epsilon = epsilon, .max = 6});
    for (std::int64_t y = 0; y < 6; ++y) {
      const auto p = distribution(mechanism, y, 0, 6), q = distribution(mechanism, y + 1, 0, 6);
      EXPECT_LE(delta_above(p, q, epsilon), 1e-30);
      EXPECT_GT(delta_below(p, q, epsilon * Rational(999, 1000)), 0);
    }
    // a broken twin: interior probabilities at the ends, renormalised
    const auto renormalised = [&](std::int64_t y) {
      std::vector<Ball> p;
      Ball total(0);
      for (std::int64_t z = 0; z <= 6; ++z) {
        p.push_back(mechanism.noise().mass(Integer(static_cast<long>(z - y)), kBits));
        total = add(total, p.back(), kBits);
      }
      for (Ball& ball : p) ball = div(ball, total, kBits);
      return p;
    };
    EXPECT_GT(delta_below(renormalised(0), renormalised(1), epsilon), 0);
  }
}

// What lies outside the range is as private as its ends: it is clamped before noise is added.
TEST(TruncatedGeometric, WhatIsOutsideTheRangeIsAtItsEnd) {
  const auto mechanism = *truncated_geometric({.epsilon = Rational(1, 2), .max = 10});
  const auto released = [&](std::int64_t y) {
    random::testing::Seeded source(1);
    std::vector<std::int64_t> out;
    for (int i = 0; i < 200; ++i)
      out.push_back(mechanism.release(Exact<std::int64_t>::from_private(y), source)->value());
    return out;
  };
  EXPECT_EQ(released(1'000'000), released(10));
  EXPECT_EQ(released(-1'000'000), released(0));
  EXPECT_NE(released(10), std::vector<std::int64_t>(200, 10));
}

TEST(TruncatedGeometric, AccuracyIsTheWorstValues) {
  for (const Rational& epsilon : {Rational(1, 10), Rational(1, 2), Rational(2)}) {
    for (const std::int64_t max : {1, 4, 7, 20, 60}) {
      const auto mechanism = *truncated_geometric({.epsilon = epsilon, .max = max});
      for (const Rational& beta : {Rational(1, 20), Rational(3, 10)}) {
        const Rational bound = mechanism.accuracy(beta);
        const auto worst = [&](const Rational& m) {
          double most = 0;
          for (std::int64_t y = 0; y <= max; ++y) {
            double outside = 0;
            for (std::int64_t z = 0; z <= max; ++z)
              if (Rational(static_cast<long>(std::abs(z - y))) > m)
                outside += middle(mechanism.probability(y, z, 96));
            most = std::max(most, outside);
          }
          return most;
        };
        EXPECT_LE(worst(bound), beta.get_d() + 1e-12);
        if (bound > 0) {
          EXPECT_GT(worst(bound - 1), beta.get_d() - 1e-12);
        }
      }
    }
  }
}

TEST(Gaussian, IsPrivateOverAllEpsilons) {
  for (const Rational& epsilon : testing::epsilons()) {
    // small ε with a large δ, so that σ stays within tens of steps
    const Rational delta(1, epsilon < Rational(1, 10) ? 100 : 100'000);
    for (const long sensitivity : {1L, 4L}) {
      const auto mechanism =
          *gaussian({.sensitivity = sensitivity, .epsilon = epsilon, .delta = delta});
      EXPECT_EQ(mechanism.guarantee().delta, delta);
      const double sigma = mechanism.noise().scale().get_d();
      const auto reach = static_cast<std::int64_t>(14 * sigma) + 10;
      const auto p = distribution(mechanism, 0, -reach, reach),
                 q = distribution(mechanism, sensitivity, -reach, reach);
      const double above =
          delta_above(p, q, epsilon) + 1e-30;  // what the two lumps at the ends might hide is less
      EXPECT_LE(above, delta.get_d());
      // what rounding loses is little once σ is a few steps
      if (sigma > 3 * static_cast<double>(sensitivity)) {
        EXPECT_GT(above, 0.9 * delta.get_d()) << epsilon;
      }
      const auto half = *rounded_gaussian(mechanism.noise().scale() / 2);
      const Additive twin({.grid = Grid::integers(),
                           .noise = half,
                           .guarantee = {},
                           .cells = 1,
                           .on_grid = false,
                           .range = {}});
      EXPECT_GT(delta_below(distribution(twin, 0, -reach, reach),
                            distribution(twin, sensitivity, -reach, reach), epsilon),
                delta.get_d());
    }
  }
}

TEST(Gaussian, AnyTwoOfThreeParameters) {
  const Rational delta(1, 100'000);
  const auto calibrated = *gaussian({.sensitivity = 10, .epsilon = 1, .delta = delta});
  const Rational sigma = calibrated.noise().scale();
  const auto by_epsilon = *gaussian({.sensitivity = 10, .epsilon = 1, .sigma = sigma});
  EXPECT_NEAR(by_epsilon.guarantee().delta.get_d() / delta.get_d(), 1, 1e-9);
  EXPECT_LE(by_epsilon.guarantee().delta, delta);
  const auto by_delta = *gaussian({.sensitivity = 10, .delta = delta, .sigma = sigma});
  EXPECT_NEAR(by_delta.guarantee().epsilon.get_d(), 1, 1e-9);
  EXPECT_FALSE(gaussian({.sensitivity = 1, .epsilon = 1}).has_value());
  EXPECT_FALSE(gaussian({.sensitivity = 1, .epsilon = 1, .delta = delta, .sigma = 3}).has_value());
  EXPECT_FALSE(gaussian({.sensitivity = 1, .epsilon = 1, .delta = 0}).has_value());
  EXPECT_FALSE(gaussian({.sensitivity = 1, .epsilon = 1, .delta = 1}).has_value());
  // a scale rounded the wrong way is caught by the exact curve
  EXPECT_GT(
      privacy::gaussian_delta(1, sigma * (1 - Rational(1, Integer(1) << 40)), 10, 128).lower(),
      delta.get_d() * (1 - 1e-15));
}

// The δ that is promised for a given σ and ε holds by the exact curve, looked at more closely.
TEST(Gaussian, TheDeltaOfAGivenSigmaHolds) {
  for (const long sigma : {1L, 3L, 40L})
    for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(3)}) {
      const auto smooth = *gaussian({.sensitivity = 3, .epsilon = epsilon, .sigma = sigma});
      EXPECT_TRUE(
          surely_at_most(privacy::gaussian_delta(epsilon, smooth.noise().scale(), 3, 2 * kBits),
                         Ball(smooth.guarantee().delta, 4 * kBits)))
          << sigma << ' ' << epsilon;
    }
}

// Each cell of a vector may be rounded apart: noise is for that too.
TEST(Gaussian, VectorsOfReals) {
  const auto real = *gaussian(
      {.sensitivity = 2, .epsilon = 1, .delta = kMillionth, .grid = Rational(1), .cells = 5});
  const auto counts = *gaussian({.sensitivity = 2,
                                 .epsilon = 1,
                                 .delta = kMillionth,
                                 .grid = Rational(1),
                                 .cells = 5,
                                 .on_grid = true});
  const auto delta = [](const Additive& one, const Rational& sensitivity) {
    return privacy::gaussian_delta(1, one.noise().scale(), sensitivity, kBits);
  };
  const Ball allowed(kMillionth, kBits);
  const Rational moves = real.grid().sensitivity_l2(2, 5);
  EXPECT_GT(moves, 4);  // 2 + √5
  EXPECT_TRUE(surely_at_most(delta(real, moves), allowed));
  EXPECT_TRUE(surely_at_most(delta(counts, 2), allowed));
  EXPECT_FALSE(surely_at_most(delta(counts, moves), allowed));  // the broken twin
}

// The ε that is promised for a given σ and δ holds by the exact curve, and 2^-39 less wouldn't.
TEST(Gaussian, TheEpsilonOfAGivenSigmaHolds) {
  for (const long sigma : {1L, 3L, 40L})
    for (const long one_in : {50L, 100'000L, 1'000'000'000L}) {
      const Rational delta(1, one_in), close = 1 - Rational(1, Integer(1) << 39);
      const auto smooth = *gaussian({.sensitivity = 3, .delta = delta, .sigma = sigma});
      const auto whole = *discrete_gaussian({.sensitivity = 3, .delta = delta, .sigma = sigma});
      const auto smooth_delta = [&](const Rational& epsilon) {
        return privacy::gaussian_delta(epsilon, smooth.noise().scale(), 3, 256);
      };
      const auto whole_delta = [&](const Rational& epsilon) {
        return discrete_gaussian_delta(epsilon, whole.noise().scale(), 3, 256);
      };
      const Ball allowed(delta, 256);
      const Rational promised = smooth.guarantee().epsilon, other = whole.guarantee().epsilon;
      EXPECT_TRUE(surely_at_most(smooth_delta(promised), allowed)) << sigma << ' ' << delta;
      EXPECT_TRUE(surely_at_most(whole_delta(other), allowed)) << sigma << ' ' << delta;
      EXPECT_TRUE(promised == 0 || surely_less(allowed, smooth_delta(promised * close)));
      EXPECT_TRUE(other == 0 || surely_less(allowed, whole_delta(other * close)));
    }
}

TEST(DiscreteGaussian, IsPrivateAndCalibrated) {
  for (const Rational& epsilon : testing::epsilons()) {
    // small ε with a large δ, so that σ stays within tens of steps
    const Rational delta(1, epsilon < Rational(1, 10) ? 100 : 100'000);
    for (const long sensitivity : {1L, 4L}) {
      const auto mechanism =
          *discrete_gaussian({.sensitivity = sensitivity, .epsilon = epsilon, .delta = delta});
      const Rational sigma = mechanism.noise().scale();
      const auto reach = static_cast<std::int64_t>(14 * sigma.get_d()) + 10;
      for (std::int64_t shift = 1; shift <= sensitivity; ++shift) {
        const auto p = distribution(mechanism, 0, -reach, reach),
                   q = distribution(mechanism, shift, -reach, reach);
        EXPECT_LE(delta_above(p, q, epsilon), delta.get_d());
      }
      // a little less noise would not do: δ jumps where a point enters the sum, so "a little" is 1
      // %
      EXPECT_GT(
          discrete_gaussian_delta(epsilon, sigma * Rational(99, 100), sensitivity, kBits).lower(),
          delta.get_d())
          << epsilon;
    }
  }
}

TEST(DiscreteGaussian, NeedsMoreNoiseThanTheContinuousOneSays) {
  // spec section 2: at σ = Δ the discrete δ is up to 1.8 times the continuous one, so calibrating
  // by the continuous is broken
  double worst = 0;
  for (int i = 0; i < 40; ++i) {
    const Rational epsilon(i, 10);
    worst = std::max(worst, middle(discrete_gaussian_delta(epsilon, 1, 1, 128)) /
                                middle(privacy::gaussian_delta(epsilon, 1, 1, 128)));
  }
  EXPECT_GT(worst, 1.5);
}

// 0.3 on a grid of 1 may be 1: noise for a given ρ is for that.
TEST(DiscreteGaussian, ByRhoOfWhatTheGridMakes) {
  const auto mechanism = *discrete_gaussian({.sensitivity = Rational(3, 10),
                                             .delta = kMillionth,
                                             .rho = Rational(1, 8),
                                             .grid = Rational(1)});
  EXPECT_GE(mechanism.noise().scale(), 2);  // 1/√(1/4)
}

TEST(DiscreteGaussian, ByRho) {
  const auto mechanism =
      *discrete_gaussian({.sensitivity = 2, .delta = kMillionth, .rho = Rational(1, 8)});
  EXPECT_NEAR(mechanism.noise().scale().get_d(), 4, 1e-12);  // 2/√(1/4)
  EXPECT_GE(mechanism.noise().scale(), 4);
  // ρ + 2√(ρ ln(1/δ)) is the plain conversion; the exact one is below it
  EXPECT_LT(mechanism.guarantee().epsilon.get_d(), 0.125 + 2 * std::sqrt(0.125 * std::log(1e6)));
  EXPECT_GT(mechanism.guarantee().epsilon.get_d(), 1);
  EXPECT_FALSE(
      discrete_gaussian({.sensitivity = 2, .delta = kMillionth, .sigma = 4, .rho = Rational(1, 8)})
          .has_value());
}

TEST(Additive, AccuracyIsTheExactQuantile) {
  const auto mechanism = *laplace({.epsilon = Rational(1, 2), .sensitivity = 1});
  const Rational bound = mechanism.accuracy(Rational(1, 20));
  const double alpha = std::exp(-0.5);
  // P[|Z| ≥ m] = 2α^m/(1+α)
  const auto tail = [&](double m) { return 2 * std::pow(alpha, m) / (1 + alpha); };
  EXPECT_LE(tail(bound.get_d() + 1), 0.05);
  EXPECT_GT(tail(bound.get_d()), 0.05);
  EXPECT_NEAR(laplace_expected_error(mechanism), 2 * alpha / (1 - alpha * alpha), 1e-12);
  EXPECT_NEAR(deck_laplace_bound(Rational(1, 2), 1, 1, Rational(1, 20)), 2 * std::log(20), 1e-12);
  EXPECT_NEAR(deck_laplace_expected_error(Rational(1, 2), 1, 3), 6, 1e-12);
  EXPECT_NEAR(deck_gaussian_bound(2, 10, Rational(1, 10)), 2 * std::sqrt(2 * std::log(100)), 1e-12);
  // on a grid of 1/4 the bound is in the values' unit
  const auto quarter =
      *laplace({.epsilon = Rational(1, 2), .sensitivity = 1, .grid = Rational(1, 4)});
  EXPECT_EQ(quarter.noise().scale(), 8);
  EXPECT_NEAR(quarter.accuracy(Rational(1, 20)).get_d(), 6, 0.3);
}

TEST(Additive, ReleasesCoverTheTruthAsOftenAsTheySay) {
  random::testing::Seeded source(5);
  const Rational delta(1, 1000);
  const Additive mechanisms[] = {
      *laplace({.epsilon = Rational(1, 3), .sensitivity = 1}),
      *truncated_geometric({.epsilon = Rational(1, 3), .max = 40}),
      *gaussian({.sensitivity = 1, .epsilon = 1, .delta = delta}),
      *discrete_gaussian({.sensitivity = 1, .epsilon = 1, .delta = delta})};
  for (const Additive& mechanism : mechanisms) {
    int inside = 0;
    constexpr int kRuns = 2000;
    for (int i = 0; i < kRuns; ++i) {
      const auto answer = *mechanism.release(Exact<std::int64_t>::from_private(20), source);
      inside += abs(Rational(static_cast<long>(answer.value())) - 20) <= answer.margin()->error;
      ASSERT_EQ(answer.margin()->confidence, kConfidence);
    }
    EXPECT_GT(inside, kRuns * 0.95 - 4 * std::sqrt(kRuns * 0.05 * 0.95));
  }
}

TEST(Additive, SamplesFollowThePmf) {
  const Rational delta(1, 1000);
  const Additive mechanisms[] = {
      *laplace({.epsilon = Rational(1, 3), .sensitivity = 2}),
      *truncated_geometric({.epsilon = Rational(1, 3), .max = 12}),
      *gaussian({.sensitivity = 1, .epsilon = 1, .delta = delta}),
      *discrete_gaussian({.sensitivity = 1, .epsilon = 1, .delta = delta})};
  std::uint64_t seed = 77;
  for (const Additive& mechanism : mechanisms) {
    random::testing::Seeded source(seed++);
    constexpr std::int64_t kReach = 60;
    std::vector<double> counts(2 * kReach + 2), expected;
    double inside = 0;
    for (int i = 0; i < 50'000; ++i) {
      const auto z = mechanism.release(Exact<std::int64_t>::from_private(9), source)->value();
      counts[std::abs(z) <= kReach ? static_cast<std::size_t>(z + kReach) : 2 * kReach + 1] += 1;
    }
    for (std::int64_t z = -kReach; z <= kReach; ++z) {
      expected.push_back(middle(mechanism.probability(9, z, 96)));
      inside += expected.back();
    }
    expected.push_back(std::max(0.0, 1 - inside));
    EXPECT_GT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm);
  }
}

// Mironov 2012, and Haney and others: the outputs for every input lie on the same grid.
TEST(FloatingPointAttacks, OutputsForAllInputsAreOnTheSameGrid) {
  random::testing::Seeded source(6);
  for (const Rational& step : {Rational(1, 1024), Rational(1), Rational(1, 1000)}) {
    const auto mechanism =
        *laplace({.epsilon = Rational(1, 2), .sensitivity = Rational(1, 2), .grid = step});
    for (const double x : {0.0, -0.0, 1.0, 1.0 / 3, 0x1p60, 2.7e-312, -1e-9, 0.1 + 0.2}) {
      for (int i = 0; i < 200; ++i) {
        const auto exact = mechanism.release(Exact<Rational>::from_private(Rational(x)), source);
        const Rational points = exact->value() / step;
        EXPECT_EQ(points.get_den(), 1) << x;
        const double z = mechanism.release(Exact<double>::from_private(x), source)->value();
        // every double that comes out is the nearest to a point of the grid
        EXPECT_EQ(mechanism.grid().nearest_double(mechanism.grid().round(z)), z) << x;
      }
    }
  }
}

TEST(FloatingPointAttacks, NotANumberAndInfinityHaveADefinedResult) {
  random::testing::Seeded source(7);
  const auto mechanism = *laplace({.epsilon = 1, .sensitivity = 1});
  const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 100; ++i) {
    EXPECT_LT(std::abs(mechanism.release(Exact<double>::from_private(nan), source)->value()), 100);
    EXPECT_EQ(mechanism.release(Exact<double>::from_private(infinity), source)->value(), 0x1p63);
    EXPECT_EQ(mechanism.release(Exact<double>::from_private(-infinity), source)->value(), -0x1p63);
  }
}

TEST(Additive, NothingWrapsAtTheEdge) {
  random::testing::Seeded source(8);
  const auto mechanism = *laplace({.epsilon = Rational(1, 1000), .sensitivity = 1});
  bool at_the_end = false;
  for (int i = 0; i < 300; ++i) {
    for (const std::int64_t y : {kMost, kMost - 10, -kMost - 1, -kMost}) {
      const std::int64_t z =
          mechanism.release(Exact<std::int64_t>::from_private(y), source)->value();
      EXPECT_EQ(z > 0, y > 0);
      at_the_end |= z == kMost;
      EXPECT_GE(z, -kMost);
    }
  }
  EXPECT_TRUE(at_the_end);
  EXPECT_EQ(saturating_add(kMost, 1), kMost);
  EXPECT_EQ(saturating_add(-kMost, -kMost), -kMost);
  EXPECT_EQ(saturating_add(-kMost, -1), -kMost);
  EXPECT_EQ(saturating_add(-kMost - 1, 0), -kMost);
  EXPECT_EQ(saturating_add(5, -7), -2);
  // what saturates is still a distribution, and private
  const auto p = distribution(mechanism, kMost - 1, kMost - 30, kMost),
             q = distribution(mechanism, kMost, kMost - 30, kMost);
  EXPECT_TRUE(testing::adds_up_to_one(p));
  EXPECT_LE(delta_above(p, q, Rational(1, 1000)), 1e-30);
}

TEST(Additive, RefusesWhatIsNoParameter) {
  EXPECT_FALSE(laplace({.epsilon = 0, .sensitivity = 1}).has_value());
  EXPECT_FALSE(laplace({.epsilon = -1, .sensitivity = 1}).has_value());
  EXPECT_FALSE(laplace({.epsilon = 1, .sensitivity = 0}).has_value());
  EXPECT_FALSE(laplace({.epsilon = 1, .sensitivity = 1, .grid = 0}).has_value());
  EXPECT_FALSE(laplace({.epsilon = 1, .sensitivity = 1, .cells = 0}).has_value());
  EXPECT_FALSE(truncated_geometric({.epsilon = 1, .max = 0}).has_value());
  const auto wide = laplace({.epsilon = Rational(1, 1'000'000),
                             .sensitivity = 1,
                             .grid = Rational(1, 1'000'000'000'000)});
  ASSERT_FALSE(wide.has_value());
  EXPECT_NE(wide.error().hint.text().find("coarser"), std::string::npos);
}

TEST(Additive, EntropyFailureReleasesNothing) {
  random::testing::Failing source(0);
  const auto mechanism = *laplace({.epsilon = 1, .sensitivity = 1});
  EXPECT_FALSE(mechanism.release(Exact<std::int64_t>::from_private(1), source).has_value());
}

TEST(Additive, RandomParametersArePrivate) {
  rc::check("laplace", [] {
    const Rational epsilon(*rc::gen::inRange(1, 5000), 1000);
    const Rational sensitivity(*rc::gen::inRange(1, 400), *rc::gen::inRange(1, 100));
    const Rational step(1, *rc::gen::inRange(1, 20));
    const auto mechanism = laplace({.epsilon = epsilon, .sensitivity = sensitivity, .grid = step});
    RC_ASSERT(mechanism.has_value());
    const Rational x(*rc::gen::inRange(-1000, 1000), 37);
    const Rational moved = x + sensitivity * Rational(*rc::gen::inRange(0, 100), 99) *
                                   (*rc::gen::arbitrary<bool>() ? 1 : -1);
    const Rational neighbour = abs(moved - x) <= sensitivity ? moved : x;
    const std::int64_t a = mechanism->grid().round(x), b = mechanism->grid().round(neighbour);
    const auto p = distribution(*mechanism, a, a - 30, a + 30),
               q = distribution(*mechanism, b, a - 30, a + 30);
    RC_ASSERT(testing::adds_up_to_one(p));
    RC_ASSERT(delta_above(p, q, epsilon) <= 1e-30);
  });
}

// Sums wider than 64 bits get the noise that narrow ones get, and end at ±2^120; a range of 64 bits
// has no room for them.
TEST(Additive, WideSumsHaveTheSameNoise) {
  Additive::Parts parts;
  parts.noise = *discrete_laplace(1000);
  parts.guarantee = {1, 0};
  parts.cells = 4;
  parts.on_grid = true;
  const Wide far = Wide{1} << 100, most = Wide{1} << 120;
  random::testing::Seeded one(9), other(9);
  const auto wide = Additive(parts).release(
      Exact<std::vector<Wide>>::from_private({0, far, -far, 2 * most}), one);
  const auto narrow =
      Additive(parts).release(Exact<std::vector<std::int64_t>>::from_private({0, 0, 0, 0}), other);
  ASSERT_TRUE(wide && narrow);
  const Wide exact[] = {0, far, -far, most};
  bool noisy = false;
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_TRUE(wide->value()[i] == exact[i] + narrow->value()[i]) << i;
    noisy = noisy || narrow->value()[i] != 0;
  }
  EXPECT_TRUE(noisy);
  parts.range = {0, 100};
  EXPECT_FALSE(Additive(parts).release(Exact<std::vector<Wide>>::from_private({0, 0, 0, 0}), one));
}

}  // namespace
}  // namespace discreet::mechanism
