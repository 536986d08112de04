#include "discreet/random/uniform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "discreet/random/bernoulli.h"
#include "discreet/random/poisson_sampling.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::random {
namespace {

using testing::Counting;
using testing::goodness_of_fit;
using testing::kFalseAlarm;
using testing::Scripted;
using testing::Seeded;

std::vector<double> uniform(std::size_t n) {
  return std::vector<double>(n, 1.0 / static_cast<double>(n));
}

TEST(Uniform, EveryValueIsEquallyLikely) {
  for (const std::uint64_t n : {1u, 2u, 3u, 10u, 100u, 257u}) {
    Seeded source(n);
    std::vector<double> counts(n);
    std::vector<std::uint64_t> out(200000);
    ASSERT_TRUE(fill_uniform_below(source, n, out).has_value());
    for (const std::uint64_t value : out) {
      ASSERT_LT(value, n);
      ++counts[value];
    }
    EXPECT_GT(goodness_of_fit(counts, uniform(n)), kFalseAlarm) << n;
  }
}

// Near 2^64 a plain multiplication without rejection would make a third of the values twice as
// likely.
TEST(Uniform, IsFairWhereRejectionMatters) {
  const std::uint64_t n =
      3 * (std::uint64_t{1} << 62);  // 3/4 of 2^64: every fourth word must be rejected
  Seeded seeded(5);
  Counting source(seeded);
  std::vector<std::uint64_t> out(100000);
  ASSERT_TRUE(fill_uniform_below(source, n, out).has_value());
  std::vector<double> counts(3), residues(3);
  for (const std::uint64_t value : out) {
    ++counts[value >> 62];
    ++residues[value % 3];
  }
  EXPECT_GT(goodness_of_fit(counts, uniform(3)), kFalseAlarm);
  EXPECT_GT(goodness_of_fit(residues, uniform(3)), kFalseAlarm);
  EXPECT_NEAR(static_cast<double>(source.count()), 100000 * 4.0 / 3, 1500);
  // the twin: the multiplication alone
  std::vector<double> unfair(3);
  for (int i = 0; i < 100000; ++i) {
    std::uint64_t word = 0;
    ASSERT_TRUE(seeded.fill({&word, 1}).has_value());
    ++unfair[static_cast<std::uint64_t>((static_cast<__uint128_t>(word) * n) >> 64) % 3];
  }
  EXPECT_LT(goodness_of_fit(unfair, uniform(3)), kFalseAlarm);
}

TEST(Uniform, SignedRanges) {
  Seeded source(16);
  std::vector<std::int64_t> out(50000);
  ASSERT_TRUE(fill_uniform_between(source, -3, 3, out).has_value());
  std::vector<double> counts(7);
  for (const std::int64_t value : out) {
    ASSERT_TRUE(value >= -3 && value <= 3);
    ++counts[static_cast<std::size_t>(value + 3)];
  }
  EXPECT_GT(goodness_of_fit(counts, uniform(7)), kFalseAlarm);
  constexpr std::int64_t kLow = std::numeric_limits<std::int64_t>::min(),
                         kHigh = std::numeric_limits<std::int64_t>::max();
  ASSERT_TRUE(fill_uniform_between(source, kLow, kHigh, out).has_value());
  EXPECT_NEAR(static_cast<double>(
                  std::count_if(out.begin(), out.end(), [](std::int64_t v) { return v < 0; })),
              25000, 900);
  EXPECT_FALSE(fill_uniform_between(source, 1, 0, out).has_value());
}

TEST(Uniform, RefusesAnEmptyRange) {
  Seeded source(1);
  EXPECT_FALSE(uniform_below(source, 0).has_value());
}

TEST(Uniform, EveryPermutationIsEquallyLikely) {
  Seeded source(6);
  std::map<std::vector<int>, double> seen;
  for (int i = 0; i < 120000; ++i) {
    std::vector<int> items{1, 2, 3, 4};
    ASSERT_TRUE(shuffle(source, std::span(items)).has_value());
    ++seen[items];
  }
  ASSERT_EQ(seen.size(), 24u);
  std::vector<double> counts;
  for (const auto& [items, count] : seen) counts.push_back(count);
  EXPECT_GT(goodness_of_fit(counts, uniform(24)), kFalseAlarm);
}

TEST(Uniform, EverySubsetIsEquallyLikely) {
  Seeded source(7);
  std::map<std::vector<std::uint64_t>, double> seen;
  for (int i = 0; i < 100000; ++i) ++seen[*sample_without_replacement(source, 6, 3)];
  ASSERT_EQ(seen.size(), 20u);
  std::vector<double> counts;
  for (const auto& [items, count] : seen) counts.push_back(count);
  EXPECT_GT(goodness_of_fit(counts, uniform(20)), kFalseAlarm);
  EXPECT_TRUE(sample_without_replacement(source, 5, 0)->empty());
  EXPECT_EQ(sample_without_replacement(source, 3, 3)->size(), 3u);
  EXPECT_FALSE(sample_without_replacement(source, 3, 4).has_value());
  EXPECT_EQ(sample_without_replacement(source, ~std::uint64_t{0}, 1000)->size(), 1000u);
}

TEST(Bernoulli, FollowsItsProbability) {
  for (const char* text : {"1/3", "0.001", "99/100", "2/65537"}) {
    const Rational p = *parse_number(text, Rounding::kDown);
    Seeded source(10);
    std::vector<double> counts(2), real(2);
    for (int i = 0; i < 100000; ++i) {
      ++counts[*bernoulli(source, p)];
      if (i < 20000) ++real[*bernoulli(source, Real([&](long bits) { return Ball(p, bits); }))];
    }
    const std::vector<double> expected{1 - p.get_d(), p.get_d()};
    EXPECT_GT(goodness_of_fit(counts, expected), kFalseAlarm) << text;
    EXPECT_GT(goodness_of_fit(real, expected), kFalseAlarm) << text;
  }
  Seeded source(1);
  std::vector<std::int64_t> batch(100000);
  ASSERT_TRUE(Bernoulli::create(Rational(2, 7))->fill(source, batch).has_value());
  const double ones = static_cast<double>(std::count(batch.begin(), batch.end(), 1));
  EXPECT_GT(goodness_of_fit(std::vector<double>{100000 - ones, ones},
                            std::vector<double>{5.0 / 7, 2.0 / 7}),
            kFalseAlarm);
  EXPECT_FALSE(bernoulli(source, Rational(-1, 2)).has_value());
  EXPECT_FALSE(bernoulli(source, Rational(3, 2)).has_value());
  EXPECT_FALSE(bernoulli_exp(source, Rational(-1)).has_value());
}

TEST(Bernoulli, ExponentialFollowsItsProbability) {
  for (const char* text : {"0", "1/7", "1", "5", "1000"}) {
    const Rational gamma = *parse_number(text, Rounding::kDown);
    Seeded source(12);
    std::vector<double> counts(2);
    for (int i = 0; i < 200000; ++i) ++counts[*bernoulli_exp(source, gamma)];
    const double p = std::exp(-gamma.get_d());
    EXPECT_GT(goodness_of_fit(counts, std::vector<double>{1 - p, p}), kFalseAlarm) << text;
    if (p > 0.001 && p < 1) {
      EXPECT_LT(goodness_of_fit(counts, std::vector<double>{1 - p * 0.8, p * 0.8}), kFalseAlarm)
          << text << ", the twin";
    }
  }
}

TEST(PoissonSampling, SelectsEachIndexIndependently) {
  auto sampling = PoissonSampling::create(Rational(1, 10));
  Seeded source(13);
  constexpr std::uint64_t kIndices = 50;
  std::vector<double> hits(kIndices), sizes(30), pairs(4);
  constexpr int kRuns = 40000;
  for (int run = 0; run < kRuns; ++run) {
    const std::vector<std::uint64_t> lot = *sampling->sample(source, kIndices);
    ASSERT_TRUE(std::is_sorted(lot.begin(), lot.end()));
    for (const std::uint64_t index : lot) {
      ASSERT_LT(index, kIndices);
      ++hits[index];
    }
    ++sizes[std::min<std::size_t>(lot.size(), 29)];
    const auto has = [&](std::uint64_t i) {
      return static_cast<std::size_t>(std::binary_search(lot.begin(), lot.end(), i));
    };
    ++pairs[2 * has(20) + has(21)];
  }
  // sizes are binomial(50, 1/10)
  std::vector<double> binomial(30);
  double p = std::pow(0.9, 50);
  for (std::size_t k = 0; k < 30; ++k) {
    binomial[k] = p;
    p *= (50.0 - static_cast<double>(k)) / (static_cast<double>(k) + 1) / 9;
  }
  EXPECT_GT(goodness_of_fit(sizes, binomial), kFalseAlarm);
  EXPECT_GT(goodness_of_fit(hits, uniform(kIndices)), kFalseAlarm);
  EXPECT_GT(goodness_of_fit(pairs, std::vector<double>{0.81, 0.09, 0.09, 0.01}), kFalseAlarm)
      << "neighbours are independent";
}

TEST(PoissonSampling, CostsWhatItSelects) {
  auto sampling = PoissonSampling::create(Rational(1, 1000000));
  Seeded seeded(14);
  Counting source(seeded);
  const std::vector<std::uint64_t> lot = *sampling->sample(source, 1'000'000'000'000u);
  EXPECT_NEAR(static_cast<double>(lot.size()), 1e6, 8e3);
  EXPECT_LT(source.count(), 4 * lot.size() + 2000) << "words drawn, out of 10^12 indices";
}

TEST(PoissonSampling, TheEndsOfTheRange) {
  Seeded source(15);
  EXPECT_TRUE(PoissonSampling::create(Rational(0))->sample(source, 100)->empty());
  EXPECT_EQ(PoissonSampling::create(Rational(1))->sample(source, 100)->size(), 100u);
  EXPECT_TRUE(PoissonSampling::create(Rational(1, 2))->sample(source, 0)->empty());
  EXPECT_FALSE(PoissonSampling::create(Rational(-1)).has_value());
  EXPECT_FALSE(PoissonSampling::create(Rational(2)).has_value());
  EXPECT_FALSE(PoissonSampling::create(*parse_number("2^-41", Rounding::kDown)).has_value());
}

}  // namespace
}  // namespace discreet::random
