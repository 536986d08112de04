#include "discreet/learn/measure.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

using random::testing::Seeded;

std::vector<double> spread(double low, double high, std::size_t count) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(low + (high - low) * (double(i) + 0.5) / double(count));
  return out;
}

TEST(MeasureTest, FindsRangesAndClasses) {
  Seeded source(5);
  struct Case {
    double low, high;
  };
  for (const Case& one :
       {Case{0, 1}, Case{18, 95}, Case{1990, 2020}, Case{-5, 5}, Case{-3e6, -1e6}, Case{0, 255}}) {
    auto values = spread(one.low, one.high, 20'000);
    values.push_back(1e30);  // one person far away
    values.push_back(NAN);
    values.push_back(-INFINITY);
    std::vector<double> labels;
    for (std::size_t i = 0; i < 9000; ++i) labels.push_back(i % 3 == 0 ? -1 : double(i % 3));
    labels.push_back(7);
    labels.push_back(0.5);
    const auto found = measure({1, true}, 20, {&values}, &labels, source);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->classes, (std::vector<std::int64_t>{-1, 1, 2}));
    // Of 64 bins of the doubling range around it, those at the ends may miss.
    const double width = std::max(std::abs(one.low), std::abs(one.high)) * 4 / 64 + 1e-9;
    EXPECT_NEAR(found->ranges[0].low, one.low, width);
    EXPECT_NEAR(found->ranges[0].high, one.high, width);
    EXPECT_LT(found->ranges[0].low, found->ranges[0].high);
  }
}

// With as few people as small trainings have, and the noise that a twentieth of ε = 2 buys: how
// often of 300 times a range is of no use. It must hold most people (else they are clamped), and
// not so much more than they need that all look alike.
TEST(MeasureTest, RangesOfFewPeopleAreOfUse) {
  Seeded source(7);
  constexpr int kTimes = 300;
  const Rational sigma(12);  // 21 for each count of three histograms
  const auto normal = [](double middle, double deviation, std::size_t count) {
    std::vector<double> out;  // by its quantiles, about (Tukey's lambda)
    for (double u : spread(0, 1, count))
      out.push_back(middle + deviation * (std::pow(u, 0.1349) - std::pow(1 - u, 0.1349)) / 0.1975);
    return out;
  };
  const struct {
    const char* name;
    std::vector<double> values;
    double low, high;  // the middle nine tenths
    double widest;     // years are a part of 1024 … 2048, in 64 bins
  } cases[] = {{"uniform", spread(0, 100, 2000), 5, 95, 130},
               {"normal", normal(5, 2, 2000), 1.7, 8.3, 16},
               {"years", spread(1960, 2020, 2000), 1963, 2017, 400},
               {"signed", spread(-1, 1, 2000), -0.9, 0.9, 3},
               {"many", spread(0, 100, 10'000), 5, 95, 130}};
  for (const auto& one : cases) {
    int narrow = 0, wide = 0;
    const double width = one.high - one.low;
    for (int i = 0; i < kTimes; ++i) {
      const std::vector<double> labels(500, 1.0);
      const Range range = measure({1, true}, sigma, {&one.values}, &labels, source)->ranges[0];
      const double within = std::min(range.high, one.high) - std::max(range.low, one.low);
      narrow += within < 0.8 * width ? 1 : 0;
      wide += range.high - range.low > one.widest ? 1 : 0;
    }
    EXPECT_LE(narrow, 6) << one.name;
    EXPECT_LE(wide, 6) << one.name;
  }
}

// A bin with nobody in it stands out once in a thousand times at most, of all columns together.
TEST(MeasureTest, NobodyIsNotSeen) {
  Seeded source(10);
  const std::vector<double> values = spread(0, 100, 10'000), labels(5000, 3.0);
  int seen = 0;
  for (int i = 0; i < 200; ++i) {
    const std::vector<const std::vector<double>*> columns(20, &values);
    const auto found = measure({20, true}, 12, columns, &labels, source);
    for (const Range& range : found->ranges) seen += range.low < -1 || range.high > 140 ? 1 : 0;
    seen += found->classes == std::vector<std::int64_t>{3} ? 0 : 1;
  }
  EXPECT_LE(seen, 3);  // of 200 trainings a thousandth each
}

TEST(MeasureTest, OfNobodyThereIsSomeRangeAndNoClass) {
  Seeded source(6);
  const std::vector<double> none;
  const auto found = measure({1, true}, 20, {&none}, &none, source);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->classes.empty());
  EXPECT_LT(found->ranges[0].low, found->ranges[0].high);
}

// The noise of all histograms together against what is charged: a unit stands in each of k, and a
// noise of s in each is a multiplier of s/√k.
bool covers(const Measuring& measuring, const Rational& sigma, const Rational& noise) {
  const Rational k(static_cast<unsigned long>(measuring.histograms()));
  return noise * noise >= k * sigma * sigma;
}

TEST(MeasureTest, NoiseCoversEveryHistogram) {
  for (const Measuring& measuring :
       {Measuring{1, false}, Measuring{0, true}, Measuring{3, true}, Measuring{50, false}}) {
    const Rational sigma(13, 2);
    EXPECT_EQ(privacy::describe(measuring.event(sigma)), "gaussian(sigma=6.5)");
    EXPECT_TRUE(covers(measuring, sigma, measuring.noise(sigma)));
    // The twins: noise for one histogram, and for one of the two of a range.
    if (measuring.histograms() > 1) {
      EXPECT_FALSE(covers(measuring, sigma, sigma));
    }
    const Measuring fewer{measuring.ranges, !measuring.classes};
    if (fewer.histograms() < measuring.histograms() && fewer.histograms() > 0) {
      EXPECT_FALSE(covers(measuring, sigma, fewer.noise(sigma)));
    }
  }
}

// A class with as many people as the threshold shows itself half of the time: the noise that is
// really added has the size that is charged. Noise of half the size is told apart.
TEST(MeasureTest, NoiseIsWhatItSays) {
  Seeded source(8);
  const Measuring measuring{.ranges = 0, .classes = true};
  const auto shown = [&](double people, const Rational& sigma) {
    const std::vector<double> labels(static_cast<std::size_t>(people), 4.0);
    int times = 0;
    for (int i = 0; i < 400; ++i)
      times +=
          measure(measuring, sigma, {}, &labels, source)->classes == std::vector<std::int64_t>{4};
    return times;
  };
  const double threshold = 40 * std::sqrt(2 * std::log(1000.0 * 2001));
  // One deviation above the threshold: Φ(1) = 0.841 of 400, give or take 4 deviations.
  EXPECT_NEAR(shown(threshold + 40, 40), 0.841 * 400, 30);
  EXPECT_GT(shown(threshold + 40, 20), 0.841 * 400 + 30);  // the twin
}

TEST(MeasureTest, RefusesOtherColumnsThanWerePaidFor) {
  Seeded source(9);
  const std::vector<double> values(10, 1.0);
  EXPECT_FALSE(measure({2, false}, 1, {&values}, nullptr, source));
  EXPECT_FALSE(measure({1, false}, 1, {&values}, &values, source));
}

}  // namespace
}  // namespace discreet::learn
