// The parts that make the samplers exact: integer tables, their remainder, the proved exponential,
// the decision of ties.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "discreet/random/alias.h"
#include "discreet/random/bernoulli.h"
#include "discreet/random/exp_bound.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/geometric.h"
#include "discreet/random/lazy_uniform.h"
#include "discreet/random/remainder.h"
#include "discreet/random/saturate.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"
#include "discreet/random/wide.h"

namespace discreet::random {
namespace {

using testing::Counting;
using testing::kFalseAlarm;
using testing::Scripted;
using testing::Seeded;

// How many of the 2^64 words fall on each symbol, counted without drawing any: a cell's threshold
// is found by bisection.
std::vector<Wide> words_per_symbol(const AliasTable& table, std::size_t symbols) {
  const unsigned bits = static_cast<unsigned>(std::bit_width(symbols - 1));
  std::vector<Wide> counts(symbols);
  for (std::uint64_t cell = 0; cell < (std::uint64_t{1} << bits); ++cell) {
    const std::uint64_t first = cell << (64 - bits), size = std::uint64_t{1} << (64 - bits);
    const std::uint32_t own = table.pick(first), other = table.pick(first + (size - 1));
    std::uint64_t low = 0, high = size;  // the cell's own symbol up to low, the alias from high on
    while (own != other && high - low > 1) {
      const std::uint64_t middle = low + (high - low) / 2;
      (table.pick(first + middle) == own ? low : high) = middle;
    }
    const std::uint64_t share = own == other ? size : high;
    counts[own] += share;
    counts[other] += size - share;
  }
  return counts;
}

TEST(Alias, GivesEverySymbolExactlyItsWords) {
  Seeded seeded(3);
  for (std::size_t size : {1u, 2u, 3u, 77u, 255u, 256u, 510u, 511u}) {
    for (int shape = 0; shape < 3; ++shape) {
      std::vector<std::uint64_t> weights(size);
      ASSERT_TRUE(seeded.fill(weights).has_value());
      for (std::size_t i = 0; i < size; ++i) {
        weights[i] /= size + 1;
        if (shape == 1) weights[i] >>= i % 60;  // very uneven
        if (shape == 2)
          weights[i] = i == size / 2 ? ~std::uint64_t{0} - size : 1;  // one has nearly all
      }
      const AliasTable table(weights);
      const std::vector<Wide> counts = words_per_symbol(table, size + 1);
      Wide rest = static_cast<Wide>(1) << 64;
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_TRUE(counts[i] == weights[i])
            << "symbol " << i << " of " << size << ", shape " << shape;
        rest -= weights[i];
      }
      ASSERT_TRUE(counts[size] == rest) << size << ", shape " << shape;
    }
  }
}

// The identity p = w/2^64 + R/2^64·r with weights that are far too small on purpose, so that the
// remainder is drawn half the time: the mixture must still follow p, the tail included.
TEST(Remainder, MakesUpForWhateverTheWeightsLack) {
  // p = 1/2, 1/3·e^-1, and the rest a tail
  const auto probabilities = [](long bits) {
    return std::vector<Ball>{Ball(Rational(1, 2), bits),
                             mul(Ball(Rational(1, 3), bits), exp(-Ball(1), bits), bits)};
  };
  const double second = std::exp(-1.0) / 3;
  const std::vector<std::uint64_t> weights{std::uint64_t{1} << 62,
                                           std::uint64_t{1} << 59};  // 1/4 and 1/32
  const AliasTable table(weights);
  Seeded source(8);
  std::vector<double> counts(3), skipped(3);
  for (int i = 0; i < 40000; ++i) {
    std::uint64_t word = 0;
    ASSERT_TRUE(source.fill({&word, 1}).has_value());
    std::uint32_t symbol = table.pick(word);
    if (symbol != table.remainder()) ++skipped[symbol];
    if (symbol == table.remainder()) symbol = *sample_remainder(source, weights, probabilities);
    ++counts[symbol];
  }
  const std::vector<double> p{0.5, second, 0.5 - second};
  EXPECT_GT(testing::goodness_of_fit(counts, p), kFalseAlarm);
  skipped[2] = 40000 - skipped[0] - skipped[1];
  EXPECT_LT(testing::goodness_of_fit(skipped, p), kFalseAlarm)
      << "dropping the remainder must show";
}

TEST(Remainder, WeightsNeverExceedTheProbability) {
  EXPECT_EQ(weight_below(Ball(Rational(1, 2), 64)), std::uint64_t{1} << 63);
  EXPECT_EQ(weight_below(Ball(1)), ~std::uint64_t{0});
  EXPECT_EQ(weight_below(Ball()), 0u);
  EXPECT_EQ(weight_below(Ball(Rational(1, 3), 128)), 0x5555555555555555u);
  EXPECT_EQ(weight_below(exp(-Ball(1000), 128)), 0u);
}

// The remainder of a real sampler, forced: at scale 1 the one table has 2·39 symbols, so symbol 78
// is the remainder, and its own cell of the 128 begins at 78·2^57.
TEST(Ties, TheRemainderOfASamplerIsDrawnExactly) {
  auto sampler = DiscreteLaplace::create(Rational(1));
  const double alpha = std::exp(-1.0);
  // P[remainder and z] = frac(2^64·p_z)·2^-64 for the values in the table
  const auto leftover = [&](std::int64_t z) {
    const Ball a = exp(-Ball(1), 256);
    const Ball p = mul(div(sub(Ball(1), a, 256), add(Ball(1), a, 256), 256),
                       pow(a, static_cast<unsigned long>(std::labs(z)), 256), 256);
    const Ball scaled = mul(p, Ball(Rational(Integer(1) << 64), 64), 256);
    return sub(scaled, Ball(Rational(p.floor_shifted(64)), 128), 256).lower();
  };
  // values −39 … 38 have a place in the table; beyond it is the tail, 2^64·α^39
  std::vector<double> expected;
  double total = 0;
  for (std::int64_t z = -39; z <= 38; ++z) expected.push_back(leftover(z));
  expected.push_back(0x1p64 * std::pow(alpha, 39));
  for (const double e : expected) total += e;
  for (double& e : expected) e /= total;
  std::vector<double> counts(expected.size());
  for (std::uint64_t seed = 0; seed < 20000; ++seed) {
    Scripted scripted({std::uint64_t{78} << 57}, seed);
    Counting source(scripted);
    const std::int64_t z = *sampler->sample(source);
    ASSERT_GT(source.count(), 1u) << "the tie path draws more words";
    ++counts[z >= -39 && z <= 38 ? static_cast<std::size_t>(z + 39) : 78];
  }
  EXPECT_GT(testing::goodness_of_fit(counts, expected), kFalseAlarm);
}

TEST(Ties, AProbabilityIsTakenToTheLastBit) {
  // ⌊2^64/3⌋ = 0x5555…: the first word can't decide, the next ones do: 0x0… is below 1/3's digits,
  // 0xffff… above
  for (const auto& [next, expected] :
       {std::pair{std::uint64_t{0}, true}, std::pair{~std::uint64_t{0}, false}}) {
    Scripted source({0x5555555555555555u, next});
    EXPECT_EQ(*bernoulli(source, Rational(1, 3)), expected);
    Scripted real({0x5555555555555555u, next});
    EXPECT_EQ(*bernoulli(real, Real([](long bits) { return Ball(Rational(1, 3), bits); })),
              expected);
    // even 63 more equal digits later
    Scripted late({0x5555555555555555u, 0x5555555555555555u, 0x5555555555555555u, next});
    EXPECT_EQ(*bernoulli(late, Rational(1, 3)), expected);
  }
  for (const auto& [word, expected] : {std::pair{std::uint64_t{0x5555555555555554u}, true},
                                       std::pair{std::uint64_t{0x5555555555555556u}, false}}) {
    Scripted scripted({word});
    Counting source(scripted);
    EXPECT_EQ(*bernoulli(source, Rational(1, 3)), expected);
    EXPECT_EQ(source.count(), 1u);
  }
  Scripted half({std::uint64_t{1} << 63});
  EXPECT_FALSE(*bernoulli(half, Rational(1, 2)));
  Scripted certain({~std::uint64_t{0}});
  EXPECT_TRUE(*bernoulli(certain, Rational(1)));
  Scripted never({0});
  EXPECT_FALSE(*bernoulli(never, Rational(0)));
}

TEST(Ties, AnExponentialIsTakenToTheLastBit) {
  // words just below, at and above ⌊2^64·e^-1⌋: doubles can't tell them apart
  const Integer cut = exp(-Ball(1), 256).floor_shifted(64);
  for (const long offset : {-2000L, -2L, -1L, 1L, 2L, 2000L}) {
    const std::uint64_t word = Integer(cut + offset).get_ui();
    Scripted source({word});
    EXPECT_EQ(*bernoulli_exp(source, Rational(1)), offset < 0) << offset;
  }
  const Integer digits = exp(-Ball(1), 256).floor_shifted(128);
  for (const long offset : {-1L, 1L}) {
    const Integer near = digits + offset;
    const Integer low = near & ((Integer(1) << 64) - 1), high = near >> 64;
    Scripted source({high.get_ui(), low.get_ui()});
    EXPECT_EQ(*bernoulli_exp(source, Rational(1)), offset < 0) << offset;
  }
}

// The acceptance boundary of a wide Gaussian's trial, found by bisection over the coin word: within
// one cell the boundaries at two places have the exact ratio of the densities, far beyond what
// doubles resolve (2^-50).
std::uint64_t boundary(const RoundedGaussian& sampler, std::uint64_t cell_word,
                       std::uint64_t place) {
  const auto accepted = [&](std::uint64_t coin) {
    Scripted scripted({cell_word, place, coin, /* the next trial: */ 0, 0, 0});
    Counting source(scripted);
    EXPECT_TRUE(sampler.sample(source).has_value());
    return source.count() == 3;
  };
  std::uint64_t low = 0, high = ~std::uint64_t{0};
  if (accepted(high)) return high;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (accepted(middle) ? low : high) = middle;
  }
  return high;
}

TEST(Ties, AGaussianIsAcceptedByTheExactDensity) {
  const Rational sigma(1000);
  auto sampler = RoundedGaussian::create(sigma);  // cells of 32 integers
  // Cell 20 (positive side) is symbol 40; it may be reached through its own cell of the table or as
  // an alias: take whichever word gives a first trial that lands there, by its value: 20·32 + step.
  std::uint64_t cell_word = 0;
  for (std::uint64_t guess = 0; guess < 512; ++guess) {
    Scripted source({guess << 55, 0, 0});
    if (*sampler->sample(source) == 640) cell_word = guess << 55;
  }
  ASSERT_NE(cell_word, 0u);
  const std::uint64_t at_zero = boundary(*sampler, cell_word, 0);
  for (const std::uint64_t place :
       {std::uint64_t{1} << 62, std::uint64_t{1} << 63, std::uint64_t{0xF000000000000000u}}) {
    const std::uint64_t here = boundary(*sampler, cell_word, place);
    // d = 32·place/2^64, ratio = e^(-d(2·640 + d)/2σ²)
    const Rational d = Rational(32) * Rational(Integer(static_cast<unsigned long>(place))) /
                       Rational(Integer(1) << 64);
    const Ball exact = exp(-Ball(d * (1280 + d) / (2 * sigma * sigma), 128), 128);
    const Ball seen(Rational(Integer(static_cast<unsigned long>(here))) /
                        Rational(Integer(static_cast<unsigned long>(at_zero))),
                    128);
    EXPECT_LT(std::fabs(sub(seen, exact, 128).upper()), 0x1p-60) << place;
  }
}

TEST(ExpMinus, KeepsItsProvedBound) {
  Seeded seeded(21);
  std::vector<std::uint64_t> words(20000);
  ASSERT_TRUE(seeded.fill(words).has_value());
  double worst = 0;
  const auto error = [](double x, double value) {
    const Ball exact = exp(-Ball(Rational(x), 128), 128);
    return std::fabs(div(sub(Ball(Rational(value), 128), exact, 128), exact, 128).upper());
  };
  for (std::size_t i = 0; i < words.size(); ++i) {
    double x = static_cast<double>(words[i] >> 11) * 0x1p-53 * 64;
    if (i % 4 == 0) x = std::ldexp(x, -static_cast<int>(i % 60));  // near 0 too
    worst = std::max(worst, error(x, exp_minus(x)));
  }
  for (int n = 0; n <= 92; ++n)  // where the reduction changes over
    for (const double side : {-0x1p-40, 0.0, 0x1p-40}) {
      const double x = std::clamp((n + 0.5) * M_LN2 + side, 0.0, 64.0);
      worst = std::max(worst, error(x, exp_minus(x)));
    }
  EXPECT_LT(worst, 0x1p-48);
  EXPECT_GT(worst, 0x1p-55) << "an error this small would mean that the check measures nothing";
  EXPECT_EQ(exp_minus(0), 1.0);
  EXPECT_EQ(exp_minus(1e300), exp_minus(64.0));
  EXPECT_GT(error(1.0, exp_minus(1.0) * (1 + 0x1p-47)), 0x1p-48)
      << "the twin: an error just past the bound is seen";
}

TEST(Saturate, EndsInsteadOfWrapping) {
  EXPECT_EQ(saturate(Integer(1) << 80), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate(-(Integer(1) << 80)), -std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate(-(Integer(1) << 63)), -std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(saturate(Integer(-5)), -5);
}

}  // namespace
}  // namespace discreet::random
