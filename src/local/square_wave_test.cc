// Square wave on grids small enough to go over every report, its bins against sums over cells, its
// likelihood against the dense one, and shapes estimated from samples.
#include "discreet/local/square_wave.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "discreet/local/likelihood.h"
#include "discreet/local/numeric_shape.h"
#include "discreet/local/testing/numeric_laws.h"

namespace discreet::local {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const std::vector<Rational> kEpsilons = {Rational(1, 1000), Rational(1, 2), Rational(1),
                                         Rational(3), Rational(40)};

TEST(SquareWave, ProbabilitiesSumToOneAndReachEpsilon) {
  for (const Rational& epsilon : kEpsilons)
    for (const std::uint64_t grid : {64U, 37U, 2U}) {
      const auto wave = *SquareWave::on_grid({.epsilon = epsilon, .domain = 2}, grid);
      for (const Value value : some_values())
        EXPECT_TRUE(near_enough(sum_of_probabilities(*wave, value), Ball(1)));
      const Ball relative = div(worst_ratio(*wave), exp(Ball(epsilon, kBits), kBits), kBits);
      EXPECT_TRUE(near_enough(relative, Ball(1))) << epsilon << " " << grid;
    }
}

TEST(SquareWave, AnEpsilonThatIsALittleLargerIsSeen) {
  const Rational epsilon = 1 + Rational(Integer(1), Integer(1) << 50);
  const auto wave = *SquareWave::on_grid({.epsilon = epsilon, .domain = 2}, 64);
  EXPECT_TRUE(surely_less(add(exp(Ball(1), kBits), tiny(), kBits), worst_ratio(*wave)));
}

TEST(SquareWave, SamplesFollowTheProbabilities) {
  const auto right = *SquareWave::on_grid({.epsilon = 1, .domain = 2}, 64);
  const auto wrong = *SquareWave::on_grid({.epsilon = Rational(6, 5), .domain = 2}, 64);
  for (const Value value : {Value{0}, kScale / 7, kScale}) {
    EXPECT_GT(fit(*right, *right, value, 50'000), random::testing::kFalseAlarm);
    EXPECT_LT(fit(*wrong, *right, value, 50'000), random::testing::kFalseAlarm);
  }
}

// The paper's formulas, and its limit 1/2 of b where all cancels in doubles.
TEST(SquareWave, ConstantsAreThePapers) {
  for (const double epsilon : {0.5, 1.0, 2.0, 5.0}) {
    const double e = std::exp(epsilon);
    const double b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon));
    const auto wave = *SquareWave::create({.epsilon = *exactly(epsilon), .domain = 64});
    const Constants& c = wave->constants();
    EXPECT_NEAR(c.own[0].second, b, 1e-12);
    EXPECT_NEAR(c.p, e / (2 * b * e + 1), 1e-12);
    EXPECT_NEAR(c.q, 1 / (2 * b * e + 1), 1e-12);
    // of the continuous one: a mixture of two uniform choices, seen through the line of its mean
    const double window = 2 * b, slope = window * (c.p - c.q);
    const double variance =
        (c.q * std::pow(1 + window, 3) + (c.p - c.q) * std::pow(window, 3)) / 12;
    EXPECT_NEAR(c.variance / (variance / slope / slope), 1, 1e-6);
  }
  for (const char* tiny : {"1e-9", "1e-300", "1e-4000"}) {
    const Rational epsilon = *parse_number(tiny, Rounding::kDown);
    const auto wave = *SquareWave::on_grid({.epsilon = epsilon, .domain = 4}, 1024);
    EXPECT_NEAR(wave->constants().own[0].second, 0.5, 1e-8) << tiny;
  }
}

// Every cell is in the bin between whose edges it is.
TEST(SquareWave, BinsOfReportsAreTheirEdges) {
  for (const Rational& epsilon : kEpsilons)
    for (const std::uint64_t grid : {65U, 64U, 7U})
      for (const std::size_t domain : {2U, 5U, 7U}) {
        const auto wave = *SquareWave::on_grid({.epsilon = epsilon, .domain = domain}, grid);
        const SlidingBins& bins = wave->bins();
        EXPECT_EQ(bins.edge(bins.reports()), wave->window().cells());
        for (Word cell = 0; cell < wave->window().cells(); ++cell) {
          const std::size_t bin = bins.bin_of(cell);
          ASSERT_LT(bin, bins.reports());
          EXPECT_LE(bins.edge(bin), cell);
          EXPECT_LT(cell, bins.edge(bin + 1));
        }
      }
}

// With 65 cells, starts are exactly the multiples of 2^24: cell by cell, the hard way.
double by_cells(const SquareWave& wave, std::size_t bin, std::size_t counter) {
  const std::size_t domain = wave.bins().values();
  const std::uint64_t from = bin * 65 / domain, to = (bin + 1) * 65 / domain;
  double sum = 0;
  for (std::uint64_t start = from; start < to; ++start)
    for (Word cell = 0; cell < wave.window().cells(); ++cell)
      if (wave.bins().bin_of(cell) == counter)
        sum += wave.probability(static_cast<Value>(start << 24), {&cell, 1}, 64).middle();
  return sum / static_cast<double>(to - from);
}

TEST(SquareWave, ProbabilitiesOfCountersAreSumsOverCells) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3), Rational(6)})
    for (const std::size_t domain : {2U, 7U, 13U, 65U}) {
      const auto wave = *SquareWave::on_grid({.epsilon = epsilon, .domain = domain}, 65);
      for (std::size_t bin = 0; bin < wave->bins().values(); ++bin)
        for (std::size_t i = 0; i < wave->constants().counters; ++i)
          ASSERT_NEAR(wave->probability_of_counter(bin, i), by_cells(*wave, bin, i), 1e-14);
    }
}

TEST(SquareWave, TheFastLikelihoodIsTheDenseOne) {
  for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(5), Rational(30)})
    for (const std::uint64_t grid : {std::uint64_t{65}, SquareWave::kGrid})
      for (const std::size_t asked : {2U, 16U, 61U}) {
        const auto wave = *SquareWave::on_grid({.epsilon = epsilon, .domain = asked}, grid);
        const std::size_t domain = wave->bins().values();
        State state(*wave);
        for (std::size_t i = 0; i < state.counters.size(); ++i)
          state.counters[i] = wave->bins().length(i) > 0 ? i * i % 17 : 0;
        state.users = std::accumulate(state.counters.begin(), state.counters.end(), 0ULL);
        const auto n = static_cast<double>(state.users);
        std::vector<double> theta(domain), g(domain), dense(domain);
        for (std::size_t v = 0; v < domain; ++v)
          theta[v] = 2.0 * static_cast<double>(v + 1) / static_cast<double>(domain * (domain + 1));
        const double fast = (*wave->likelihood(state))->gradient(theta, g);
        double likelihood = 0;
        for (std::size_t i = 0; i < state.counters.size(); ++i) {
          if (state.counters[i] == 0) continue;
          double marginal = 0;
          for (std::size_t v = 0; v < domain; ++v)
            marginal += theta[v] * wave->probability_of_counter(v, i);
          const auto count = static_cast<double>(state.counters[i]);
          likelihood += count * std::log(marginal) / n;
          for (std::size_t v = 0; v < domain; ++v)
            dense[v] += count / n * wave->probability_of_counter(v, i) / marginal;
        }
        EXPECT_NEAR(fast, likelihood, 1e-10);
        for (std::size_t v = 0; v < domain; ++v)
          ASSERT_NEAR(g[v], dense[v], 1e-10) << epsilon << " " << grid << " " << domain << " " << v;
      }
}

// Numbers whose density rises linearly from 0 to 2.
std::vector<Value> rising(std::size_t users, std::uint64_t seed) {
  random::testing::Seeded source(seed);
  std::vector<std::uint64_t> words(2 * users);
  EXPECT_TRUE(source.fill(words));
  std::vector<Value> out;
  for (std::size_t i = 0; i < users; ++i)
    out.push_back(static_cast<Value>(std::max(words[2 * i], words[2 * i + 1]) >> 34));
  return out;
}
std::vector<double> rising_bins(std::size_t bins) {
  std::vector<double> out;
  const auto d = static_cast<double>(bins);
  for (std::size_t v = 0; v < bins; ++v) out.push_back((2 * static_cast<double>(v) + 1) / (d * d));
  return out;
}

State collected(const SquareWave& clients, const SquareWave& collector, std::size_t users,
                std::uint64_t seed) {
  random::testing::Seeded source(seed + 1000);
  std::vector<Word> reports(users);
  EXPECT_TRUE(clients.perturb(rising(users, seed), source, reports));
  State state(collector);
  for (Word& report : reports)
    report = std::min(report, static_cast<Word>(collector.window().cells() - 1));
  collector.count(reports, state.counters);
  state.users = users;
  return state;
}

// The largest difference of the cumulated frequencies.
double distance(std::span<const double> a, std::span<const double> b) {
  double worst = 0, sum = 0;
  for (std::size_t v = 0; v < a.size(); ++v) worst = std::max(worst, std::fabs(sum += a[v] - b[v]));
  return worst;
}

TEST(SquareWave, TheShapeComesBackAndAWrongEpsilonDoesNot) {
  const auto wave = *SquareWave::create({.epsilon = 2, .domain = 32});
  const auto wrong = *SquareWave::create({.epsilon = 1, .domain = 32});
  const std::vector<double> truth = rising_bins(32);
  const State state = collected(*wave, *wave, 200'000, 1);
  for (const bool smooth : {true, false}) {
    EstimateOptions options = shape_options();
    options.smooth = smooth;
    const Shape shape = *estimate_shape(*wave, state, options);
    EXPECT_NEAR(
        std::accumulate(shape.bins.distribution.begin(), shape.bins.distribution.end(), 0.0), 1,
        1e-9);
    EXPECT_LT(distance(shape.bins.distribution, truth), 0.02);
    // five standard errors of the noise, and a little for those who happen to be asked
    EXPECT_NEAR(shape.mean.value, 2.0 / 3, 5 * shape.mean.stderr_ + 0.003);
    EXPECT_LT(shape.mean.stderr_, 0.01);
  }
  const State other = collected(*wave, *wrong, 200'000, 1);
  const Shape shape = *estimate_shape(*wrong, other, shape_options());
  EXPECT_GT(distance(shape.bins.distribution, truth), 0.04);
}

// However few bins are asked for, smoothing rounds off little of them: 8 bins of numbers whose
// density rises are within 0.02 of the truth. Smoothed as they are, they would be 0.04 off.
TEST(SquareWave, SmoothingLeavesFewBinsAsTheyAre) {
  const auto wave = *SquareWave::create({.epsilon = 1, .domain = 8});
  EXPECT_EQ(wave->parts(), 32);
  const State state = collected(*wave, *wave, 200'000, 3);
  const Shape shape = *estimate_shape(*wave, state, shape_options());
  EXPECT_LT(distance(shape.bins.distribution, rising_bins(8)), 0.02);
  EXPECT_NEAR(shape.mean.value, 2.0 / 3, 5 * shape.mean.stderr_ + 0.003);
}

// Error bars against how far estimates of many collections spread.
TEST(SquareWave, ErrorBarsAreTheSpreadOfEstimates) {
  const std::size_t runs = 60, domain = 16;
  const auto wave = *SquareWave::on_grid({.epsilon = 1, .domain = domain}, 64);  // 4 parts a bin
  // the same people each time: bars are about the noise
  const std::vector<Value> people = rising(20'000, 5);
  std::vector<double> first(domain), second(domain), bars(domain);
  double mean_first = 0, mean_second = 0, mean_bar = 0;
  for (std::size_t run = 0; run < runs; ++run) {
    random::testing::Seeded source(run);
    std::vector<Word> reports(people.size());
    ASSERT_TRUE(wave->perturb(people, source, reports));
    State state(*wave);
    wave->count(reports, state.counters);
    state.users = people.size();
    const Shape shape = *estimate_shape(*wave, state, shape_options());
    for (std::size_t v = 0; v < domain; ++v) {
      const double f = shape.bins.distribution[v];
      first[v] += f / runs;
      second[v] += f * f / runs;
      bars[v] += shape.bins.stderr_[v] / runs;
    }
    mean_first += shape.mean.value / runs;
    mean_second += shape.mean.value * shape.mean.value / runs;
    mean_bar += shape.mean.stderr_ / runs;
  }
  double spread = 0, bar = 0;
  for (std::size_t v = 0; v < domain; ++v) {
    spread += std::sqrt(second[v] - first[v] * first[v]);
    bar += bars[v];
  }
  EXPECT_NEAR(bar / spread, 1, 0.25);
  EXPECT_NEAR(mean_bar / std::sqrt(mean_second - mean_first * mean_first), 1, 0.35);
}

TEST(SquareWave, WhatCannotBeIsRefused) {
  const auto wave = *SquareWave::create({.epsilon = 1, .domain = 8});
  State state(*wave);
  const auto nobody = estimate_shape(*wave, state, shape_options());
  ASSERT_FALSE(nobody);
  EXPECT_NE(nobody.error().text().find("reports: found none"), std::string::npos);
  state.counters[3] = state.users = 1;
  const auto inverted = estimate_shape(*wave, state, {.method = Method::kInversion});
  ASSERT_FALSE(inverted);
  EXPECT_EQ(inverted.error().parameter, "method");
  EXPECT_FALSE(SquareWave::create({.epsilon = 1, .domain = 1}));
  EXPECT_FALSE(SquareWave::create({.epsilon = 0, .domain = 8}));
  EXPECT_FALSE(SquareWave::on_grid({.epsilon = 1, .domain = 65}, 64));
  Word word = 0;
  EXPECT_EQ(wave->read(std::to_string(wave->window().cells()), {&word, 1}), Fault::kOutOfRange);
  EXPECT_EQ(wave->read(std::to_string(wave->window().cells() - 1), {&word, 1}), Fault::kNone);
}

}  // namespace
}  // namespace discreet::local
