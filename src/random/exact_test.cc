// The parts that make the samplers exact: integer tables, their remainder, the proved exponential,
// the decision of ties.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include "discreet/random/alias.h"
#include "discreet/random/bernoulli.h"
#include "discreet/random/exp_bound.h"
#include "discreet/random/gaussian.h"
#include "discreet/random/gaussian_tables.h"
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

// The remainder of real samplers, forced. At scale 1 the one table of each kind has 39 values for
// every head, so the symbol 39·heads is the remainder, and its own cell of the table begins at that
// symbol times the cell's size. What comes out must be distributed as frac(2^64·p) over the symbols
// and, for the tail, as the whole distribution moved out by 39.
struct ForcedKind {
  const char* name;
  std::size_t heads;
  std::int64_t (*value)(std::size_t head, std::int64_t g);
  Result<std::int64_t> (*draw)(Source& source);
};

template <class Sampler>
Result<std::int64_t> draw_at_1(Source& source) {
  static const auto sampler = Sampler::create(Rational(1));
  return sampler->sample(source);
}

std::vector<Ball> heads_of(std::size_t heads, long bits) {
  const Ball alpha = exp(-Ball(1), bits);
  if (heads == 1) return {Ball(1)};
  if (heads == 2) {
    const Ball sum = add(Ball(1), alpha, bits);
    return {div(Ball(1), sum, bits), div(alpha, sum, bits)};
  }
  const Ball outside = exp(-Ball(Rational(1, 2), bits), bits), half(Rational(1, 2), bits);
  return {sub(Ball(1), outside, bits), mul(outside, half, bits), mul(outside, half, bits)};
}

TEST(Ties, TheRemainderOfASamplerIsDrawnExactly) {
  constexpr long kBits = 256;
  constexpr std::int64_t kValues = 39;
  const ForcedKind kinds[] = {
      {"geometric", 1, [](std::size_t, std::int64_t g) { return g; }, draw_at_1<Geometric>},
      {"discrete Laplace", 2,
       [](std::size_t head, std::int64_t g) { return head == 0 ? g : -1 - g; },
       draw_at_1<DiscreteLaplace>},
      {"rounded Laplace", 3,
       [](std::size_t head, std::int64_t g) { return head == 0   ? 0
                                                     : head == 1 ? 1 + g
                                                                 : -1 - g; },
       draw_at_1<RoundedLaplace>},
  };
  for (const ForcedKind& kind : kinds) {
    const Ball alpha = exp(-Ball(1), kBits), stop = sub(Ball(1), alpha, kBits);
    const std::vector<Ball> heads = heads_of(kind.heads, kBits);
    const double tail = 0x1p64 * std::exp(-static_cast<double>(kValues));
    std::map<std::int64_t, double> expected;
    for (std::size_t head = 0; head < kind.heads; ++head)
      for (std::int64_t g = 0; g < 3 * kValues; ++g) {
        const Ball p = mul(
            heads[head], mul(stop, pow(alpha, static_cast<unsigned long>(g), kBits), kBits), kBits);
        const Ball scaled = mul(p, Ball(Rational(Integer(1) << 64), 128), kBits);
        if (g < kValues) {
          expected[kind.value(head, g)] +=
              sub(scaled, Ball(Rational(p.floor_shifted(64)), 128), kBits).lower();
        }
        expected[kind.value(head, g + kValues)] +=
            tail * p.lower();  // the tail: the same again, 39 further out
      }
    double total = 0;
    for (const auto& [value, mass] : expected) total += mass;
    std::map<std::int64_t, double> seen;
    const std::size_t symbol = kValues * kind.heads;
    const std::uint64_t word = symbol << (64 - static_cast<unsigned>(std::bit_width(symbol)));
    constexpr int kRuns = 6000;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      Scripted scripted({word}, seed);
      Counting source(scripted);
      ++seen[*kind.draw(source)];
      ASSERT_GT(source.count(), 1u) << kind.name << ": the tie path draws more words";
    }
    std::vector<double> counts, probabilities;
    for (const auto& [value, mass] : expected) {
      counts.push_back(seen[value]);
      probabilities.push_back(mass / total);
    }
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), 0.0), kRuns) << kind.name;
    EXPECT_GT(testing::goodness_of_fit(counts, probabilities), kFalseAlarm) << kind.name;
  }
}

double normal_mass(double from, double to) {
  return (std::erfc(from / M_SQRT2) - std::erfc(to / M_SQRT2)) / 2;
}

// The Gaussians' tails: everything beyond x0, against the mass it should have; and the share of
// attempts that succeed, which is the mass over the envelope's.
TEST(Ties, AGaussianTailIsDrawnExactly) {
  const double sigma = 3;
  for (const auto& [kind, x0] : {std::pair{GaussianKind::kDiscrete, Rational(3)},
                                 std::pair{GaussianKind::kRounded, Rational(3)},
                                 std::pair{GaussianKind::kRounded, Rational(7, 2)}}) {
    const GaussianTail tail(kind, Rational(3), x0);
    const double edge = x0.get_d();
    const auto mass = [&](double k) {  // unnormalised, as the envelope is
      if (kind == GaussianKind::kDiscrete) return std::exp(-k * k / (2 * sigma * sigma));
      return sigma * std::sqrt(2 * M_PI) *
             normal_mass(std::max(edge, k - 0.5) / sigma, (k + 0.5) / sigma);
    };
    const double first = kind == GaussianKind::kDiscrete ? edge : std::floor(edge + 0.5);
    std::vector<double> probabilities, counts(30);
    double total = 0;
    for (double k = first; k < first + 30; ++k) {
      probabilities.push_back(mass(k));
      total += probabilities.back();
    }
    for (double& p : probabilities) p /= total;
    Seeded source(31);
    double accepted = 0;
    constexpr int kRuns = 12000;
    for (int run = 0; run < kRuns; ++run) {
      const auto value = *tail.attempt(source);
      if (!value) continue;
      const double k = value->get_d();
      ASSERT_GE(k, first);
      ASSERT_LT(k, first + 30);
      ++counts[static_cast<std::size_t>(k - first)];
      ++accepted;
    }
    EXPECT_GT(testing::goodness_of_fit(counts, probabilities), kFalseAlarm) << edge;
    const double rate = total / tail.envelope(128).lower();
    EXPECT_GT(testing::goodness_of_fit(std::vector<double>{accepted, kRuns - accepted},
                                       std::vector<double>{rate, 1 - rate}),
              kFalseAlarm)
        << edge;
  }
}

TEST(Ties, ASmallGaussiansRemainderIsDrawnExactly) {
  // σ = 1: values −10 … 10, so symbol 21 of 32 cells is the remainder; beyond ±10 there is less
  // than 2^-60
  auto sampler = RoundedGaussian::create(Rational(1));
  std::vector<double> expected, counts(21);
  double total = 0;
  for (int k = -10; k <= 10; ++k) {
    const Ball root = sqrt(Ball(2), 256);
    const auto at = [&](int twice) {
      return erf(div(Ball(Rational(twice, 2), 256), root, 256), 256);
    };
    const Ball p = mul(sub(at(2 * k + 1), at(2 * k - 1), 256), Ball(Rational(1, 2), 256), 256);
    const Ball scaled = mul(p, Ball(Rational(Integer(1) << 64), 128), 256);
    expected.push_back(sub(scaled, Ball(Rational(p.floor_shifted(64)), 128), 256).lower());
    total += expected.back();
  }
  for (double& e : expected) e /= total;
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Scripted source({std::uint64_t{21} << 59}, seed);
    const std::int64_t z = *sampler->sample(source);
    ASSERT_LE(std::labs(z), 10);
    ++counts[static_cast<std::size_t>(z + 10)];
  }
  EXPECT_GT(testing::goodness_of_fit(counts, expected), kFalseAlarm);
}

TEST(Ties, AWideGaussiansTailIsDrawnExactly) {
  // σ = 1000: cells of 32, the tail begins at 255·32 = 8160 and is symbol 510 of 512
  for (const bool discrete : {false, true}) {
    const auto rounded = RoundedGaussian::create(Rational(1000));
    const auto integer = DiscreteGaussian::create(Rational(1000));
    std::vector<std::int64_t> beyond;
    double negative = 0;
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
      testing::Seeded coins(seed + 77);
      std::uint64_t coin = 0;
      ASSERT_TRUE(coins.fill({&coin, 1}).has_value());
      Scripted source({std::uint64_t{510} << 55, 0, coin}, seed);
      const std::int64_t z = discrete ? *integer->sample(source) : *rounded->sample(source);
      if (std::labs(z) < 8160)
        continue;  // the tail's trial was rejected, and an ordinary one followed
      beyond.push_back(std::labs(z));
      negative += z < 0;
    }
    const double n = static_cast<double>(beyond.size());
    ASSERT_GT(n, 3000);
    EXPECT_NEAR(negative, n / 2, 6 * std::sqrt(n) / 2);
    const double start = std::erfc((discrete ? 8159.5 : 8160.0) / 1000 / M_SQRT2);
    const auto cdf = [&](double z) {
      return z < 8160 ? 0 : 1 - std::erfc((z + 0.5) / 1000 / M_SQRT2) / start;
    };
    EXPECT_GT(testing::fits_cdf(beyond, cdf, 20), kFalseAlarm) << discrete;
    const auto off = [&](double z) { return cdf(8160 + (z - 8160) * 1.2); };
    EXPECT_LT(testing::fits_cdf(beyond, off, 20), kFalseAlarm)
        << "the twin: a tail 1.2 times too short";
  }
}

// A block in which one trial falls on the tail is decided by intervals, all of it. There too the
// discrete Gaussian's 0 belongs to the positive side alone: from the negative side it is no trial.
TEST(Ties, ZeroHasOneSignOnTheExactPathToo) {
  // σ = 1000: cells of 32. The negative side's first cell, by the value at its far end.
  const auto sampler = *DiscreteGaussian::create(Rational(1000));
  std::uint64_t negative = 0, positive = 0;
  for (std::uint64_t guess = 0; guess < 512; ++guess) {
    Scripted source({guess << 55, ~std::uint64_t{0}, 0});
    const std::int64_t z = *sampler.sample(source);
    if (z == -31) negative = guess << 55;
    if (z == 31) positive = guess << 55;
  }
  ASSERT_NE(negative, positive);
  const std::uint64_t tail = std::uint64_t{510} << 55;
  int zeros[] = {0, 0};
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const bool sign : {false, true}) {
      // two trials: cells, places, coins
      Scripted source({sign ? negative : positive, tail, 0, 0, 0, 0}, seed);
      std::array<std::int64_t, 2> out{};
      ASSERT_TRUE(sampler.fill(source, out).has_value());
      zeros[sign ? 1 : 0] += out[0] == 0;
    }
  EXPECT_EQ(zeros[0], 100);
  EXPECT_LE(zeros[1], 3);  // of the trials that follow, one in 2500
}

// What docs/noise.md states: the tie path is taken with probability below 2^-40 a draw. A trial of
// the wide Gaussian is undecided within ±kExpTolerance, its tail begins at 255 cells of at least
// σ/32; the tables' remainders are below 512 units of 2^-64 each, and the digit tables end where
// less than 2^-56 is left.
TEST(Ties, AreAsRareAsStated) {
  const double tail = std::erfc(255.0 / 32 / M_SQRT2);
  EXPECT_LT(1.05 * (2 * kExpTolerance + tail), 0x1p-41);
  EXPECT_GT(kExpTolerance, 0x1p-44)
      << "narrower than what the proof and a changed rounding mode need";
  EXPECT_LT(7 * 512 * 0x1p-64 + 0x1p-56, 0x1p-40);
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
template <class Sampler>
std::uint64_t boundary(const Sampler& sampler, std::uint64_t cell_word, std::uint64_t place) {
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

template <class Sampler>
void expect_exact_density(bool discrete) {
  const Rational sigma(1000);
  auto sampler = Sampler::create(sigma);  // cells of 32 integers
  // Cell 20 (positive side) is symbol 40; it may be reached through its own cell of the table or as
  // an alias: take whichever word gives a first trial that lands there, by its value: 20·32 + step.
  std::uint64_t cell_word = 0;
  for (std::uint64_t guess = 0; guess < 512; ++guess) {
    Scripted source({guess << 55, 0, 0});
    if (*sampler->sample(source) == 640) cell_word = guess << 55;
  }
  ASSERT_NE(cell_word, 0u);
  const auto rational = [](std::uint64_t word) {
    return Rational(Integer(static_cast<unsigned long>(word)));
  };
  const std::uint64_t at_zero = boundary(*sampler, cell_word, 0);
  for (const std::uint64_t place :
       {std::uint64_t{1} << 62, std::uint64_t{1} << 63, std::uint64_t{0xF123456789ABCDEFu}}) {
    const std::uint64_t here = boundary(*sampler, cell_word, place);
    // d = 32·place/2^64, or the integer below; ratio = e^(-d(2·640 + d)/2σ²)
    const Rational d = discrete ? rational(place >> 59)
                                : Rational(32 * rational(place) / Rational(Integer(1) << 64));
    const Ball exact = exp(-Ball(d * (1280 + d) / (2 * sigma * sigma), 128), 128);
    const Ball seen(rational(here) / rational(at_zero), 128);
    EXPECT_LT(std::fabs(sub(seen, exact, 128).upper()), 0x1p-60) << place;
  }
}

TEST(Ties, AGaussianIsAcceptedByTheExactDensity) {
  expect_exact_density<RoundedGaussian>(false);
  expect_exact_density<DiscreteGaussian>(true);
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
