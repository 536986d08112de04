// Trials in vectors against one trial after the other in plain words, on every version that this
// processor can run.
#include "discreet/random/gaussian_trials.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <vector>

#include "discreet/random/exp_bound.h"
#include "discreet/random/testing/sources.h"

namespace discreet::random {
namespace {

struct Made {
  std::vector<double> factor;
  std::vector<std::uint64_t> weights;
  std::unique_ptr<AliasTable> alias;
  TrialTables tables;
};

// Cells of 2^shift integers, 24 of them a standard deviation.
Made make(unsigned shift, bool continuous) {
  Made out;
  const double width = std::ldexp(1.0, static_cast<int>(shift)), sigma = 24 * width;
  for (std::uint32_t cell = 0; cell < kCells; ++cell) {
    const double at = cell * width / sigma;
    out.weights.insert(out.weights.end(), 2,
                       static_cast<std::uint64_t>(0x1p58 * std::exp(-at * at / 2)) + 1);
    out.factor.push_back(1 - cell * 1e-4);
  }
  out.weights.push_back(std::uint64_t{1} << 50);  // the tail: often, for once
  out.alias = std::make_unique<AliasTable>(out.weights);
  out.tables = {out.alias->entries(), out.factor.data(), shift, 1 / (2 * sigma * sigma),
                continuous};
  return out;
}

struct Expected {
  std::int64_t value;
  bool accepted, undecided;
};

Expected one(const Made& made, std::uint64_t cell_word, std::uint64_t place, std::uint64_t coin) {
  const std::uint32_t symbol = made.alias->pick(cell_word);
  const std::uint32_t cell = std::min(symbol / 2, kCells - 1);
  const unsigned shift = made.tables.shift;
  const double width = std::ldexp(1.0, static_cast<int>(shift));
  const bool continuous = made.tables.continuous;
  const std::uint64_t step =
      continuous ? ((place >> (63 - shift)) + 1) >> 1 : (place >> 1) >> (63 - shift);
  const double d = continuous ? std::ldexp(static_cast<double>(place >> 12), -52) * width
                              : static_cast<double>(step);
  const double near = cell * width;
  const double chance = made.factor[cell] * exp_minus(d * (2 * near + d) * made.tables.rate);
  const double u = std::ldexp(static_cast<double>(coin >> 12), -52);
  const auto magnitude =
      static_cast<std::int64_t>((static_cast<std::uint64_t>(cell) << shift) + step);
  const bool negative = (symbol & 1) != 0;
  const bool counted = symbol < kTailSymbol && (continuous || magnitude != 0 || !negative);
  return {negative ? -magnitude : magnitude, counted && u < chance,
          symbol == kTailSymbol || (counted && std::abs(u - chance) < kExpTolerance)};
}

// How many of n trials differ.
std::size_t different(RunTrials run, const Made& made, const Made& told, std::size_t n,
                      std::uint64_t seed) {
  testing::Seeded source(seed);
  Trials trials;
  EXPECT_TRUE(source.fill(std::span(trials.words).first(n * Trials::kWords)).has_value());
  const bool any = run(told.tables, n, trials);
  std::size_t out = 0;
  bool expected_any = false;
  for (std::size_t t = 0; t < n; ++t) {
    const Expected right = one(made, trials.words[t], trials.words[n + t], trials.words[2 * n + t]);
    expected_any |= right.undecided;
    out += right.undecided ? 0
                           : static_cast<std::size_t>(trials.values[t] != right.value ||
                                                      trials.accepted[t] != right.accepted);
  }
  EXPECT_TRUE(any || !expected_any) << "something undecided went by";
  return out;
}

TEST(GaussianTrials, EveryVersionSaysTheSame) {
  RunTrials all[3] = {};
  const std::size_t versions = runnable_trials(all);
  for (std::size_t v = 0; v < versions; ++v)
    for (const bool continuous : {true, false})
      for (const unsigned shift : {0U, 1U, 5U, 20U, 36U}) {
        const Made made = make(shift, continuous);
        for (const std::size_t n :
             {std::size_t{1}, std::size_t{7}, std::size_t{8}, std::size_t{100}, Trials::kMost})
          EXPECT_EQ(different(all[v], made, made, n, 100 * shift + n), 0U)
              << v << " " << shift << " " << n;
      }
}

// Twins of a version: a rate that is off by a hundredth, factors of the neighbours, cells of
// another width. Each shows.
TEST(GaussianTrials, AVersionThatIsOffShows) {
  RunTrials all[3] = {};
  const std::size_t versions = runnable_trials(all);
  for (std::size_t v = 0; v < versions; ++v)
    for (const bool continuous : {true, false}) {
      const Made made = make(20, continuous);
      const auto shows = [&](const Made& twin) {
        std::size_t out = 0;
        for (std::uint64_t seed = 0; seed < 50; ++seed)
          out += different(all[v], made, twin, Trials::kMost, seed);
        return out > 0;
      };
      Made rate = make(20, continuous);
      rate.tables.rate *= 1.01;
      EXPECT_TRUE(shows(rate));
      Made factor = make(20, continuous);
      for (double& one : factor.factor) one -= 1e-3;
      EXPECT_TRUE(shows(factor));
      EXPECT_TRUE(shows(make(21, continuous)));
      EXPECT_TRUE(shows(make(20, !continuous)));
      EXPECT_FALSE(shows(made));
    }
}

// What doubles can't decide is said, in every place of a vector: coins at the very chance.
TEST(GaussianTrials, CloseCallsAreSaid) {
  RunTrials all[3] = {};
  const std::size_t versions = runnable_trials(all);
  const Made made = make(20, true);
  for (std::size_t v = 0; v < versions; ++v)
    for (std::size_t at = 0; at < 20; ++at) {
      constexpr std::size_t kN = 20;
      for (const double off : {0.0, 0.4 * kExpTolerance, 3 * kExpTolerance}) {
        Trials trials;
        const std::uint64_t cell = std::uint64_t{60} << 55, place = std::uint64_t{0xABCDEF} << 40;
        for (std::size_t t = 0; t < kN; ++t) {
          trials.words[t] = cell;
          trials.words[kN + t] = place;
          trials.words[2 * kN + t] = t == at ? 0 : std::uint64_t{1};
        }
        const std::uint32_t symbol = made.alias->pick(cell);
        const double d = std::ldexp(static_cast<double>(place >> 12), -52) * 0x1p20;
        const double near = (symbol / 2) * 0x1p20;
        const double chance =
            made.factor[symbol / 2] * exp_minus(d * (2 * near + d) * made.tables.rate);
        trials.words[2 * kN + at] = static_cast<std::uint64_t>(std::ldexp(chance + off, 64));
        EXPECT_EQ(all[v](made.tables, kN, trials), off < kExpTolerance) << at << " " << off;
      }
    }
}

}  // namespace
}  // namespace discreet::random
