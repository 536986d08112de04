#include "discreet/mechanism/gap/smooth_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/gap/window.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/mechanism/testing/small_data.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

using mechanism::testing::all_data;
using mechanism::testing::all_neighbours;
using mechanism::testing::SmallData;
using privacy::Relation;

constexpr long kBits = 192;
constexpr std::int64_t kHighest = 3;

// ∫ max(0, p − e^ε·q) of Laplace densities around 0, by sums.
double by_integral(double p_scale, double q_scale, double epsilon) {
  const double step = 1e-3;
  double out = 0;
  for (double x = step / 2; x < 400; x += step) {
    const double p = std::exp(-x / p_scale) / (2 * p_scale),
                 q = std::exp(-x / q_scale) / (2 * q_scale);
    out += 2 * step * std::max(0.0, p - std::exp(epsilon) * q);
  }
  return out;
}

TEST(SmoothNoise, WhatADilationLeaves) {
  for (const auto& [beta, epsilon] : {std::pair<Rational, Rational>{Rational(1, 2), Rational(1, 2)},
                                      {Rational(1, 4), 1},
                                      {Rational(1, 10), Rational(1, 2)},
                                      {1, 2}}) {
    const double b = beta.get_d(), e = epsilon.get_d(),
                 stated = dilation_delta(beta, epsilon, kBits).middle();
    EXPECT_NEAR(by_integral(std::exp(b), 1, e), stated, 1e-6 * (1 + stated));
    EXPECT_GT(stated, 0);
    EXPECT_NEAR(by_integral(1, std::exp(b), e), 0, 1e-12);
    EXPECT_LT(by_integral(std::exp(b / 2), 1, e), stated);
  }
}

TEST(SmoothNoise, WhatASlideOfCauchyNoiseCosts) {
  for (const double a : {0.1, 1.0, 5.0}) {
    double worst = 0;
    for (double z = -50; z < 50; z += 1e-3)
      worst = std::max(worst, std::log((1 + (z + a) * (z + a)) / (1 + z * z)));
    EXPECT_NEAR(worst, 2 * std::asinh(a / 2), 1e-5);
  }
}

TEST(SmoothNoise, KeepsWhatWasAskedFor) {
  for (const Rational& epsilon : {Rational(1, 100), Rational(1), Rational(20), Rational(1000)}) {
    for (const Rational& delta : {Rational(9, 10), Rational(1, 1000), Rational(1, 1000000000)}) {
      for (const bool optimised : {false, true}) {
        const SmoothNoise noise = *SmoothNoise::create({epsilon, delta, optimised});
        EXPECT_EQ(noise.guarantee().epsilon, epsilon);
        EXPECT_LE(noise.guarantee().delta, delta);
        const Rational second = epsilon - 1 / noise.factor();
        EXPECT_GE(second, noise.beta());
        EXPECT_TRUE(surely_at_most(dilation_delta(noise.beta(), second, kBits),
                                   Ball(noise.guarantee().delta, kBits)));
      }
    }
    const SmoothNoise pure = *SmoothNoise::create({.epsilon = epsilon});
    EXPECT_EQ(pure.shape(), random::NoiseShape::kCauchy);
    EXPECT_EQ(pure.guarantee().delta, 0);
    const double c = pure.factor().get_d();
    EXPECT_LE(2 * std::asinh(1 / (2 * c)) + pure.beta().get_d(), epsilon.get_d() * (1 + 1e-12));
    EXPECT_GE(2 * std::asinh(1 / (2 * c)) + pure.beta().get_d(),
              std::min(800.0, epsilon.get_d()) * (1 - 1e-12));
  }
  // the textbook's numbers, and the δ that is proved for them
  const SmoothNoise textbook = *SmoothNoise::create({1, Rational(1, 1000000)});
  EXPECT_EQ(textbook.factor(), 2);
  EXPECT_NEAR(textbook.beta().get_d(), 1 / (2 * std::log(2e6)), 1e-12);
  EXPECT_LE(textbook.beta().get_d(), 1 / (2 * std::log(2e6)));
  EXPECT_LT(textbook.guarantee().delta, Rational(1, 20000000));
  const SmoothNoise optimised = *SmoothNoise::create({1, Rational(1, 1000000), true});
  EXPECT_GT(optimised.beta() / optimised.factor(),
            Rational(6, 5) * textbook.beta() / textbook.factor());

  EXPECT_FALSE(SmoothNoise::create({0, Rational(1, 2)}).has_value());
  EXPECT_FALSE(SmoothNoise::create({1, 1}).has_value());
  EXPECT_FALSE(SmoothNoise::create({1, 0, true}).has_value());
}

// The exact distributions on all small data sets and all their neighbours: the most that ε leaves.
using Scaled = std::function<random::ScaledNoise(const SmoothQuantile&, const Ordered&)>;
double worst_delta(const SmoothQuantile& mechanism, std::size_t most, const Scaled& scaled,
                   bool from_above) {
  const Range& range = mechanism.parameters().range;
  std::map<SmallData, std::vector<Ball>> known;
  const auto at = [&](const SmallData& data) -> const std::vector<Ball>& {
    const auto found = known.find(data);
    if (found != known.end()) return found->second;
    const random::ScaledNoise noise = scaled(mechanism, Ordered::of(data, range));
    std::vector<Ball> all;
    for (std::int64_t z = range.low; z <= range.high; ++z)
      all.push_back(noise.probability(z, {range.low, range.high}, kBits));
    return known[data] = std::move(all);
  };
  double out = 0;
  for (const SmallData& data : all_data(kHighest, most)) {
    const std::vector<Ball> here = at(data);
    for (const SmallData& other : all_neighbours(data, kHighest, mechanism.parameters().unit)) {
      const Rational epsilon = mechanism.guarantee().epsilon;
      out = std::max(out, from_above ? mechanism::testing::delta_above(here, at(other), epsilon)
                                     : mechanism::testing::delta_below(here, at(other), epsilon));
    }
  }
  return out;
}

random::ScaledNoise honest(const SmoothQuantile& mechanism, const Ordered& rows) {
  return mechanism.distribution(rows);
}

TEST(SmoothQuantile, KeepsItsGuaranteeOnAllSmallDataSets) {
  for (const SmoothNoiseParameters& noise :
       {SmoothNoiseParameters{1, Rational(1, 1000)}, {3, Rational(1, 100), true}, {1}, {3}}) {
    for (const Rational& p : {Rational(0), Rational(1, 2), Rational(3, 4)}) {
      for (const Relation relation : {Relation::kAddRemove, Relation::kSubstitute}) {
        for (const std::int64_t rows : {1, 2}) {
          const SmoothQuantile mechanism = *SmoothQuantile::create(
              {noise, p, *Range::create(0, kHighest), Unit{rows, relation}});
          EXPECT_LE(worst_delta(mechanism, rows == 1 ? 4 : 2, honest, true),
                    mechanism.guarantee().delta.get_d() + 1e-16)
              << p << " rows " << rows;
        }
      }
    }
  }
}

TEST(SmoothQuantile, BrokenTwinsAreCaught) {
  for (const SmoothNoiseParameters& parameters :
       {SmoothNoiseParameters{1, Rational(1, 1000)}, SmoothNoiseParameters{1}}) {
    const SmoothQuantile mechanism =
        *SmoothQuantile::create({.noise = parameters, .range = *Range::create(0, kHighest)});
    const double promised = mechanism.guarantee().delta.get_d();
    // noise by the local sensitivity, which is 0 where all rows near the middle are equal
    const Scaled local = [](const SmoothQuantile& m, const Ordered& rows) {
      const Damped gap{window_gap(rows, *Quantile::create(Rational(1, 2)), 1), 0};
      return m.noise().around(Rational(Integer(static_cast<long>(m.exact(rows)))),
                              SmoothSensitivity(Damping(1), gap));
    };
    EXPECT_GT(worst_delta(mechanism, 5, local, false), promised + 1e-3);
    // noise for three times the ε
    const Scaled less = [](const SmoothQuantile& m, const Ordered& rows) {
      const random::ScaledNoise noise = m.distribution(rows);
      return random::ScaledNoise{noise.shape, noise.centre, [scale = noise.scale](long bits) {
                                   return div(scale(bits), Ball(3), bits);
                                 }};
    };
    EXPECT_GT(worst_delta(mechanism, 4, less, false), promised + 1e-3);
  }
}

TEST(SmoothQuantile, SamplesFollowTheDistribution) {
  const Range range = *Range::create(0, 20);
  const Ordered rows = Ordered::of({3, 9, 9, 10, 11, 11, 12, 18}, range);
  for (const SmoothNoiseParameters& noise :
       {SmoothNoiseParameters{2, Rational(1, 1000)}, SmoothNoiseParameters{2}}) {
    const SmoothQuantile mechanism = *SmoothQuantile::create({.noise = noise, .range = range});
    random::testing::Seeded source(3);
    const auto exact = Exact<Ordered>::from_private(rows);
    std::vector<double> counts(21), expected;
    for (int i = 0; i < 10000; ++i)
      counts[static_cast<std::size_t>(mechanism.release(exact, source)->value())] += 1;
    const random::ScaledNoise distribution = mechanism.distribution(rows);
    for (std::int64_t z = 0; z <= 20; ++z)
      expected.push_back(distribution.probability(z, {0, 20}, 128).middle());
    EXPECT_GT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm);

    // the stated error, by adding up
    for (const Rational& beta : {Rational(1, 2), Rational(1, 20)}) {
      const std::int64_t error = mechanism.error(rows, beta);
      const auto within = [&](std::int64_t m) {
        double sum = 0;
        for (std::int64_t z = 0; z <= 20; ++z)
          if (std::abs(z - mechanism.exact(rows)) <= m)
            sum += expected[static_cast<std::size_t>(z)];
        return sum;
      };
      EXPECT_GE(within(error), 1 - beta.get_d());
      EXPECT_LT(within(error - 1), 1 - beta.get_d());
    }
  }
  const SmoothQuantile other = *SmoothQuantile::create({.noise = {1}, .range = {0, 21}});
  random::testing::Seeded source(3);
  EXPECT_FALSE(other.release(Exact<Ordered>::from_private(rows), source).has_value());
  EXPECT_FALSE(SmoothQuantile::create({.noise = {1}, .range = {5, 5}}).has_value());
  EXPECT_FALSE(SmoothQuantile::create({.noise = {1}, .range = {0, 5}, .unit = {0}}).has_value());
}

}  // namespace
}  // namespace discreet::mechanism::gap
