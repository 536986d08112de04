#include "discreet/mechanism/noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/mechanism/discrete_gaussian.h"
#include "discreet/mechanism/laplace_table.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/privacy/expression.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

using testing::kBits;
using testing::middle;

struct Kind {
  const char* name;
  Result<NoisePointer> (*make)(const Rational& scale);
};
constexpr Kind kKinds[] = {{"laplace", discrete_laplace},
                           {"gaussian", rounded_gaussian},
                           {"discrete", discrete_gaussian_noise}};

TEST(Noise, MassesAndTailsAreOneDistribution) {
  for (const Kind& kind : kKinds) {
    for (const Rational& scale :
         {Rational(1, 10), Rational(2, 3), Rational(1), Rational(31, 10), Rational(20)}) {
      const auto noise = *kind.make(scale);
      // at_least(m) − at_least(m+1) is mass(m), on both sides of 0; all of it is 1
      for (long m = -12; m <= 12; ++m) {
        const Ball step = sub(noise->at_least(m, kBits), noise->at_least(m + 1, kBits), kBits);
        const Ball off = sub(step, noise->mass(m, kBits), kBits);
        EXPECT_LE(off.lower(), 0) << kind.name << " " << scale << " " << m;
        EXPECT_GE(off.upper(), 0) << kind.name << " " << scale << " " << m;
        EXPECT_LT(off.upper() - off.lower(), 1e-30);
        EXPECT_EQ(noise->mass(m, kBits).upper(), noise->mass(-m, kBits).upper());
      }
      const Ball all = add(noise->mass(0, kBits), noise->beyond(0, kBits), kBits);
      EXPECT_NEAR(middle(all), 1, 1e-15);
    }
  }
}

TEST(Noise, SamplesFollowTheMass) {
  std::uint64_t seed = 1;
  for (const Kind& kind : kKinds) {
    for (const Rational& scale : {Rational(1, 2), Rational(3), Rational(40)}) {
      const auto noise = *kind.make(scale);
      random::testing::Seeded source(seed++);
      std::vector<std::int64_t> samples(200'000);
      ASSERT_TRUE(noise->fill(source, samples).has_value());
      constexpr std::int64_t kReach = 200;
      std::vector<double> counts(2 * kReach + 2), wrong = {}, expected;
      for (const std::int64_t z : samples)
        counts[std::abs(z) <= kReach ? static_cast<std::size_t>(z + kReach) : 2 * kReach + 1] += 1;
      for (long z = -kReach; z <= kReach; ++z) expected.push_back(middle(noise->mass(z, 64)));
      expected.push_back(middle(noise->beyond(kReach, 64)));
      EXPECT_GT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm)
          << kind.name << " " << scale;
      // the broken twin: 5 % more scale doesn't pass
      const auto other = *kind.make(scale * Rational(105, 100));
      for (long z = -kReach; z <= kReach; ++z) wrong.push_back(middle(other->mass(z, 64)));
      wrong.push_back(middle(other->beyond(kReach, 64)));
      EXPECT_LT(random::testing::goodness_of_fit(counts, wrong), random::testing::kFalseAlarm)
          << kind.name << " " << scale;
    }
  }
}

TEST(Noise, QuantilesAreTheLeast) {
  for (const Kind& kind : kKinds) {
    for (const Rational& scale :
         {Rational(1, 4), Rational(2), Rational(1000), Rational(Integer(1) << 30)}) {
      const auto noise = *kind.make(scale);
      for (const Rational& beta : {Rational(1, 2), Rational(1, 20), Rational(1, 1'000'000'000)}) {
        for (const unsigned long cells : {1ul, 10ul, 1'000'000ul}) {
          const Integer m = noise->quantile(beta, cells);
          const auto outside = [&](const Integer& bound) {
            return sub(Ball(1), pow(sub(Ball(1), noise->beyond(bound, kBits), kBits), cells, kBits),
                       kBits);
          };
          EXPECT_TRUE(surely_at_most(outside(m), Ball(beta, kBits)))
              << kind.name << " " << scale << " " << beta;
          if (m > 0) {
            EXPECT_FALSE(surely_at_most(outside(m - 1), Ball(beta, kBits)))
                << kind.name << " " << scale << " " << beta;
          }
        }
      }
    }
  }
}

TEST(Noise, QuantilesOfTheFarthestTails) {
  // 1 − β rounds to 1 at any precision that is tried; the tail itself is far below the smallest
  // double
  const Rational beta = *parse_number("1e-4000", Rounding::kDown);
  for (const Kind& kind : kKinds) {
    const auto noise = *kind.make(3);
    const Integer m = noise->quantile(beta, 5);
    EXPECT_TRUE(surely_at_most(any_of(noise->beyond(m, kBits), 5, kBits), Ball(beta, kBits)))
        << kind.name;
    EXPECT_FALSE(surely_at_most(any_of(noise->beyond(m - 1, kBits), 5, kBits), Ball(beta, kBits)))
        << kind.name;
  }
  EXPECT_NEAR(discrete_laplace(3).value()->quantile(beta).get_d(), 3 * 4000 * std::log(10), 5);
}

TEST(Noise, DiscreteGaussianTailsAgreeWhereTheMethodsMeet) {
  // Just below and just above the σ from which the sum is replaced by an integral: the same curve.
  for (const long m : {1L, 1000L, 4096L, 8000L, 20000L, 40000L}) {
    const Rational below(4096), above = below + Rational(1, 1'000'000'000);
    const Ball direct = discrete_gaussian_tail(below, m, 128),
               smooth = discrete_gaussian_tail(above, m, 128);
    EXPECT_NEAR(middle(direct) / middle(smooth), 1, 1e-7) << m;
    EXPECT_GT(middle(smooth), 0);
    EXPECT_LT(smooth.upper() / smooth.lower(), 1 + 1e-6);
  }
}

TEST(Noise, DiscreteGaussianDeltaIsTheHockeyStick) {
  for (const Rational& sigma : {Rational(1, 2), Rational(1), Rational(7, 3), Rational(9)}) {
    for (const long shift : {1L, 2L, 5L}) {
      for (const Rational& epsilon : {Rational(0), Rational(1, 100), Rational(1), Rational(3)}) {
        const auto noise = *discrete_gaussian_noise(sigma);
        std::vector<Ball> p, q;
        for (long z = -150; z <= 150; ++z)
          p.push_back(noise->mass(z, kBits)), q.push_back(noise->mass(z - shift, kBits));
        const double direct = testing::delta_above(p, q, epsilon);
        EXPECT_NEAR(middle(discrete_gaussian_delta(epsilon, sigma, shift, kBits)), direct,
                    1e-14 * direct + 1e-60);
      }
    }
  }
}

TEST(Noise, EventsReadBackAndRoundUp) {
  const Rational scale(10, 3);
  EXPECT_EQ(privacy::describe((*discrete_laplace(scale))->event(2)),
            "discrete-laplace(scale=10/3, sensitivity=2)");
  // discrete noise knows whole steps only: a fraction of one counts as one
  EXPECT_EQ(privacy::describe((*discrete_gaussian_noise(scale))->event(Rational(3, 2))),
            "discrete-gaussian(sigma=10/3, sensitivity=2)");
  EXPECT_EQ(privacy::describe((*rounded_gaussian(scale))->event(Rational(3, 2))),
            "gaussian(sigma=10/3, sensitivity=1.5)");
  for (const Kind& kind : kKinds) {
    for (const Rational& sensitivity : {Rational(1, 7), Rational(1), Rational(5, 2)}) {
      const privacy::Event event = (*kind.make(scale))->event(sensitivity);
      EXPECT_TRUE(privacy::check(event).has_value()) << kind.name;
      EXPECT_EQ(privacy::describe(*privacy::parse_event(privacy::describe(event))),
                privacy::describe(event));
    }
  }
}

TEST(Noise, TheTableSaysTheSame) {
  const Rational scale(10, 3);
  const LaplaceTable table(scale, 600, 128);
  const auto noise = *discrete_laplace(scale);
  for (const long z : {0L, 1L, -1L, 255L, 256L, 257L, -599L, 600L, 601L, 5000L}) {
    EXPECT_DOUBLE_EQ(middle(table.mass(z)), middle(noise->mass(z, 128)));
    EXPECT_DOUBLE_EQ(middle(table.at_least(z)), middle(noise->at_least(z, 128)));
    EXPECT_DOUBLE_EQ(middle(table.at_most(z)), middle(noise->at_least(-z, 128)));
  }
  EXPECT_LT(noise->beyond(negligible_beyond(scale), 128).upper(), 0x1p-64);
}

}  // namespace
}  // namespace discreet::mechanism
