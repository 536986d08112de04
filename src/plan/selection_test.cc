// Groups that are shown by a choice of their own or by their number of units: the estimates that
// the choice among ways goes by, and the intervals of numbers that were shown.
#include "discreet/plan/selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/mechanism/noise.h"
#include "discreet/random/testing/sources.h"

namespace discreet::plan {
namespace {

using mechanism::gap::SelectionStrategy;
using Bytes = mechanism::Exact<std::vector<std::string>>;
using Units = mechanism::Exact<std::vector<std::int64_t>>;

TEST(GroupChoice, TheEstimatesAreThoseOfTheMechanisms) {
  for (const auto strategy :
       {SelectionStrategy::kOptimal, SelectionStrategy::kLaplace, SelectionStrategy::kGaussian})
    for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(5)})
      for (const Rational& delta : {Rational(1, 1000000), Rational(1, 1000)})
        for (const long groups : {1, 3, 20}) {
          const Selection selection{.epsilon = epsilon, .delta = delta, .strategy = strategy};
          const auto chooser = GroupChooser::own(selection, Integer(groups));
          ASSERT_TRUE(chooser) << chooser.error().text();
          const auto exact = static_cast<double>(*chooser->units_for(Rational(1, 2)));
          EXPECT_NEAR(half_shown(selection, Integer(groups)), exact, 1 + exact / 50)
              << name_of(selection) << " " << epsilon << " " << delta << " " << groups;
        }
}

TEST(GroupChoice, GroupsOfTooFewUnitsAreNotShown) {
  for (const auto strategy :
       {SelectionStrategy::kOptimal, SelectionStrategy::kLaplace, SelectionStrategy::kGaussian}) {
    const Selection selection{
        .epsilon = 1, .delta = Rational(1, 100), .min_units = 5, .strategy = strategy};
    const auto chooser = GroupChooser::own(selection, Integer(1));
    ASSERT_TRUE(chooser) << chooser.error().text();
    for (const std::int64_t units : {0, 1, 4}) EXPECT_EQ(chooser->keep_probability(units), 0);
    EXPECT_GT(chooser->keep_probability(5), 0);
    EXPECT_GT(chooser->keep_probability(1000), 0.99);
  }
}

TEST(GroupChoice, NoiseOfTheCountDecides) {
  const auto chooser = *GroupChooser::by_count(3, Rational(1, 1000), 3);
  const std::int64_t threshold = *chooser.threshold();
  EXPECT_LE(chooser.keep_probability(1), 1e-3 / 3);
  random::testing::Seeded source(1);
  const auto shown = *chooser.release(Bytes::from_private({"small", "none", "large"}),
                                      Units::from_private({1, 0, 1000}), source);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown[0].key, "large");
  EXPECT_EQ(shown[0].place, 2U);
  EXPECT_GE(*shown[0].units, threshold);
  EXPECT_NEAR(static_cast<double>(*shown[0].units), 1000, 60);
}

// How often an interval holds the number of units, of those times that it is shown.
double coverage(std::int64_t units, std::int64_t threshold, double scale, double beta, bool naive) {
  const double alpha = std::exp(-1 / scale);
  double holds = 0, all = 0;
  for (std::int64_t v = threshold; v < units + 60 * static_cast<std::int64_t>(scale) + threshold;
       ++v) {
    const double mass =
        (1 - alpha) / (1 + alpha) * std::pow(alpha, std::abs(static_cast<double>(v - units)));
    auto [low, high] = shown_interval(v, threshold, scale, beta);
    if (naive) {  // as if it hadn't been chosen by its noise
      const double margin = std::ceil(scale * std::log(1 / beta));
      low = static_cast<double>(v) - margin, high = static_cast<double>(v) + margin;
    }
    all += mass;
    if (low <= static_cast<double>(units) && static_cast<double>(units) <= high) holds += mass;
  }
  return holds / all;
}

TEST(GroupChoice, IntervalsHoldForTheGroupsThatAreShown) {
  for (const double scale : {1.0, 3.0, 10.0})
    for (const std::int64_t threshold : {15, 60, 150})
      for (const std::int64_t units : {1, 5, 14, 15, 40, 60, 100, 150, 200, 1000})
        EXPECT_GE(coverage(units, threshold, scale, 0.05, false), 0.95 - 1e-9)
            << scale << " " << threshold << " " << units;
  // Without that, a small group that noise has shown is never where its interval says.
  EXPECT_LT(coverage(5, 60, 3, 0.05, true), 0.01);
  // Far from the threshold it is the usual interval.
  const auto [low, high] = shown_interval(1000, 15, 3, 0.05);
  const double margin = (*mechanism::discrete_laplace(3))->quantile(Rational(1, 20)).get_d();
  EXPECT_EQ(low, 1000 - margin);
  EXPECT_EQ(high, 1000 + margin);
}

// An interval begins at the first number of units that would be shown as this or more with a chance
// of beta/2, given that it is shown.
TEST(GroupChoice, AnIntervalBeginsWhereTheTailOfWhatIsShownDoes) {
  constexpr std::int64_t kThreshold = 15;
  constexpr double kBeta = 0.05;
  for (const double scale : {1.0, 3.0, 10.0}) {
    const double alpha = std::exp(-1 / scale);
    const auto at_least = [&](std::int64_t units, std::int64_t shown) {
      double sum = 0;
      for (std::int64_t i = shown; i < units + shown + 60 * static_cast<std::int64_t>(scale); ++i)
        sum += std::pow(alpha, std::abs(static_cast<double>(i - units)));
      return sum;
    };
    for (std::int64_t v = kThreshold; v < kThreshold + 8 * static_cast<std::int64_t>(scale); ++v) {
      const double low = shown_interval(v, kThreshold, scale, kBeta).first;
      for (std::int64_t units = 1; units <= v; ++units) {
        const double tail = at_least(units, v) / at_least(units, kThreshold) / (kBeta / 2);
        if (std::abs(tail - 1) < 1e-9) continue;
        EXPECT_EQ(static_cast<double>(units) >= low, tail > 1) << scale << " " << v << " " << units;
      }
    }
  }
}

}  // namespace
}  // namespace discreet::plan
