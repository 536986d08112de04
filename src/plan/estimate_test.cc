// Noisy histograms of known populations: what is estimated from them is near what is true, and
// noise alone is not believed.
#include "discreet/plan/estimate.h"

#include <gtest/gtest.h>

#include <numeric>

#include "discreet/plan/testing/populations.h"

namespace discreet::plan {
namespace {

using testing::count_histogram;
using testing::populations;
using testing::value_histogram;

constexpr int kSeeds = 40;
const Rational kEpsilon(1, 10);  // of a bin: noise of scale 10

double sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

TEST(Estimate, UnitsAndRowsOfKnownPopulations) {
  for (int seed = 0; seed < kSeeds; ++seed)
    for (const auto& [name, rows] : populations(20'000, static_cast<std::uint64_t>(seed))) {
      std::mt19937_64 draw(static_cast<std::uint64_t>(1000 + seed));
      const Estimate estimate = estimate_counts(count_histogram(rows, kEpsilon, draw));
      ASSERT_TRUE(estimate.shows) << name;
      // After a sharp end a little noise is taken for the beginning of a tail.
      EXPECT_NEAR(estimate.units() / 20'000, 1, 0.05) << name << seed;
      // Bins are a factor 1.5 wide at the most, and rows stand for their middles; few units with
      // very many rows are as much as all others, and drown in the noise.
      const double factor = name == "Zipf" ? 1.6 : 1.25;
      EXPECT_GT(estimate.sum() / sum_of(rows), 1 / factor) << name << seed;
      EXPECT_LT(estimate.sum() / sum_of(rows), factor) << name << seed;
      for (const double bound : {4.0, 16.0}) {
        double above = 0, beyond = 0;
        for (const double one : rows) {
          above += one > bound;
          beyond += std::max(0.0, one - bound);
        }
        EXPECT_NEAR(estimate.units_above(bound), above, 0.05 * 20'000) << name << seed;
        EXPECT_NEAR(estimate.beyond(bound) / sum_of(rows), beyond / sum_of(rows), factor - 1)
            << name << seed;
      }
    }
}

// Once in a thousand is promised; a rule that took the largest bin for a unit would say it always.
TEST(Estimate, NoiseAloneDoesNotShow) {
  constexpr int kTries = 3000;
  int counts = 0, values = 0, larger_than_noise = 0;
  for (int seed = 0; seed < kTries; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    const Histogram empty = count_histogram({}, kEpsilon, draw);
    counts += estimate_counts(empty).shows;
    larger_than_noise += static_cast<double>(*std::max_element(
                             empty.bins.begin(), empty.bins.end())) > 3 * empty.noise();
    values += estimate_values(value_histogram({}, kEpsilon, -20, draw)).shows;
  }
  EXPECT_LE(counts, 12);
  EXPECT_LE(values, 24);  // two sides and zero
  EXPECT_GT(larger_than_noise, kTries / 2);
}

// Noise in bins of a million rows must not make up rows: one unit there would be as much as all.
TEST(Estimate, NothingFarAwayIsBelieved) {
  int far = 0, by_positive_bins = 0;
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    const std::vector<double> rows(5000, 3);
    const Histogram histogram = count_histogram(rows, kEpsilon, draw);
    const Estimate estimate = estimate_counts(histogram);
    far += estimate.sum() > 2 * sum_of(rows);
    // Whoever believed every bin above 0:
    double believed = 0;
    for (std::size_t i = 1; i < histogram.bins.size(); ++i)
      believed += static_cast<double>(std::max<std::int64_t>(0, histogram.bins[i])) *
                  static_cast<double>(bound::count_edge(i));
    by_positive_bins += believed > 2 * sum_of(rows);
  }
  EXPECT_LE(far, 2);
  EXPECT_GT(by_positive_bins, 190);
}

// A few of another kind: 49 among 20,000 customers have ten to twenty times as many orders as the
// rest, a twentieth of all orders. Behind the gap they were taken for noise.
TEST(Estimate, AFewFarAwayShow) {
  std::vector<double> rows(19'951, 3);
  for (int i = 0; i < 49; ++i) rows.push_back(33 + i * 32 / 48);
  int seen = 0, unseen = 0, hinted = 0;
  for (int seed = 0; seed < 200; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    const Estimate enough = estimate_counts(count_histogram(rows, Rational(1, 4), draw));
    seen += enough.units_above(16) > 25 && enough.sum() < 1.1 * sum_of(rows);
    // Where noise hides them nobody sees them, and at times something is seen of them.
    const Estimate little = estimate_counts(count_histogram(rows, Rational(1, 8), draw));
    if (little.units_above(16) > 25) continue;
    ++unseen;
    hinted += little.most_beyond(3, 3) > 1000;
  }
  EXPECT_GT(seen, 150);
  EXPECT_GT(unseen, 50);
  EXPECT_GT(hinted, unseen / 5);
}

TEST(Estimate, WhereNothingIsHiddenNothingIsHinted) {
  int hinted = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    hinted += estimate_counts(count_histogram(std::vector<double>(5000, 3), kEpsilon, draw))
                  .most_beyond(3, 3) > 0;
  }
  EXPECT_LT(hinted, 250);
}

// Nobody at all: what is guessed is a few rows, not the millions in which noise happened to be.
TEST(Estimate, AGuessIsSmall) {
  int large = 0, largest_bin_is_far = 0;
  for (int seed = 0; seed < 1000; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    const Histogram empty = count_histogram({}, kEpsilon, draw);
    const Estimate guess = estimate_counts(empty);
    ASSERT_FALSE(guess.bins.empty());
    large += guess.bins.back().edge > 64;
    largest_bin_is_far +=
        std::max_element(empty.bins.begin(), empty.bins.end()) - empty.bins.begin() > 15;
  }
  EXPECT_LT(large, 30);
  EXPECT_GT(largest_bin_is_far, 500);
}

TEST(Estimate, ValuesOfBothSigns) {
  int off = 0;
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    std::vector<double> values;
    double sizes = 0;
    for (int i = 0; i < 9000; ++i) {
      const double value = i % 3 == 0   ? 0
                           : i % 3 == 1 ? std::exp(3 + testing::normal(draw))
                                        : -5 * std::exp(testing::normal(draw));
      values.push_back(value);
      sizes += std::abs(value);
    }
    const ValueEstimate found = estimate_values(value_histogram(values, kEpsilon, -20, draw));
    ASSERT_TRUE(found.shows && found.above.shows && found.below.shows);
    EXPECT_NEAR(found.zeros, 3000, 150);
    EXPECT_NEAR(found.above.units(), 3000, 400) << seed;
    EXPECT_NEAR(found.below.units(), 3000, 400) << seed;
    // Noise that is taken for a tail weighs most here.
    EXPECT_NEAR(found.mean_size() / (sizes / 9000), 1, 0.5) << seed;
    off += std::abs(found.mean_size() / (sizes / 9000) - 1) > 0.2;
  }
  EXPECT_LE(off, kSeeds / 4);
}

TEST(Estimate, ColumnsOfZeros) {
  for (int seed = 0; seed < kSeeds; ++seed) {
    std::mt19937_64 draw(static_cast<std::uint64_t>(seed));
    const ValueEstimate found =
        estimate_values(value_histogram(std::vector<double>(5000), kEpsilon, 0, draw));
    EXPECT_TRUE(found.shows);
    EXPECT_NEAR(found.zeros, 5000, 150);
    EXPECT_EQ(found.above.units() + found.below.units(), 0) << seed;
    EXPECT_EQ(found.mean_size(), 0);
  }
}

// Damaged or empty ones say nothing.
TEST(Estimate, HistogramsThatAreNone) {
  EXPECT_FALSE(estimate_counts({"", 0, {}, 1}).shows);
  EXPECT_FALSE(estimate_counts({"", 0, {1'000'000}, 1}).shows);
  EXPECT_FALSE(estimate_values({"", 0, {1, 2, 1'000'000}, 1}).shows);
  EXPECT_EQ(estimate_counts({"", 0, {}, 1}).sum(), 0);
}

}  // namespace
}  // namespace discreet::plan
