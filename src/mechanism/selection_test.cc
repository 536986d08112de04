// Exponential, permute-and-flip, report noisy max: distribution, privacy on every neighbour,
// accuracy, twins.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/grid.h"
#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/permute_and_flip.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/mechanism/weights.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

using testing::delta_above;
using testing::delta_below;
using testing::kBits;
using testing::middle;
using testing::middles;
using Scores = std::vector<std::int64_t>;

SelectionParameters parameters(const Rational& epsilon, std::size_t candidates,
                               bool monotone = false, const Rational& sensitivity = 1) {
  return {.epsilon = epsilon,
          .sensitivity = sensitivity,
          .candidates = Candidates::numbered(candidates),
          .monotone = monotone};
}

enum class Kind { kExponential, kPermuteAndFlip, kNoisyMax };
constexpr Kind kAll[] = {Kind::kExponential, Kind::kPermuteAndFlip, Kind::kNoisyMax};

std::vector<Ball> pmf(Kind kind, const SelectionParameters& p, const Scores& scores) {
  switch (kind) {
    case Kind::kExponential:
      return Exponential::create(p)->pmf(scores, kBits);
    case Kind::kPermuteAndFlip:
      return *PermuteAndFlip::create(p)->pmf(scores, kBits);
    case Kind::kNoisyMax:
      return *NoisyMax::create(p)->pmf(scores, kBits);
  }
  return {};
}

std::size_t draw(Kind kind, const SelectionParameters& p, const Scores& scores,
                 random::Source& source) {
  const auto exact = Exact<Scores>::from_private(scores);
  switch (kind) {
    case Kind::kExponential:
      return Exponential::create(p)->release(exact, source)->value();
    case Kind::kPermuteAndFlip:
      return PermuteAndFlip::create(p)->release(exact, source)->value();
    case Kind::kNoisyMax:
      return NoisyMax::create(p)->release(exact, source)->value();
  }
  return 0;
}

// Every way three scores can move by at most one each; the same way, if monotone.
std::vector<Scores> neighbours(const Scores& scores, bool monotone) {
  std::vector<Scores> out;
  for (int code = 0; code < 27; ++code) {
    const int moves[] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 - 1};
    const bool up = *std::min_element(moves, moves + 3) >= 0,
               down = *std::max_element(moves, moves + 3) <= 0;
    if (monotone && !up && !down) continue;
    Scores moved = scores;
    for (std::size_t i = 0; i < 3; ++i) moved[i] += moves[i];
    out.push_back(moved);
  }
  return out;
}

TEST(Exponential, HairColourIsExact) {
  const auto p = parameters(Rational(1, 10), 4);
  const Scores scores{500, 399, 399, 399};
  const auto chances = pmf(Kind::kExponential, p, scores);
  EXPECT_NEAR(middle(chances[0]), 1 / (1 + 3 * std::exp(-5.05)), 1e-15);
  EXPECT_NEAR(middle(chances[0]), 0.98113, 5e-6);
  EXPECT_NEAR(deck_selection_chance(p, scores), 1 - 4 * std::exp(-5.0), 1e-12);  // the deck's 0.973
  EXPECT_NEAR(deck_selection_bound(p, 1, Rational(1, 20)), 20 * std::log(80), 1e-10);
}

TEST(PermuteAndFlip, MatchesThePermutations) {
  const Scores scores{5, 3, 3, 0};
  const Rational epsilon(3, 2);
  const auto chances = middles(pmf(Kind::kPermuteAndFlip, parameters(epsilon, 4), scores));
  std::vector<double> expected(4);
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    double reached = 1.0 / 24;
    for (const std::size_t i : order) {
      const double heads = std::exp(0.75 * static_cast<double>(scores[i] - 5));
      expected[i] += reached * heads;
      reached *= 1 - heads;
    }
  } while (std::next_permutation(order.begin(), order.end()));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(chances[i], expected[i], 1e-14);
}

TEST(PermuteAndFlip, IsNeverWorseThanExponential) {
  rc::check([] {
    const auto size = *rc::gen::inRange<std::size_t>(1, 12);
    const Scores scores =
        *rc::gen::container<Scores>(size, rc::gen::inRange<std::int64_t>(-20, 20));
    const auto p = parameters(Rational(*rc::gen::inRange(1, 400), 100), size);
    const std::int64_t best = *std::max_element(scores.begin(), scores.end());
    const auto loss = [&](const std::vector<double>& chances) {
      double sum = 0;
      for (std::size_t i = 0; i < size; ++i)
        sum += chances[i] * static_cast<double>(best - scores[i]);
      return sum;
    };
    RC_ASSERT(loss(middles(pmf(Kind::kPermuteAndFlip, p, scores))) <=
              loss(middles(pmf(Kind::kExponential, p, scores))) + 1e-12);
  });
}

TEST(NoisyMax, MatchesTheDoubleSum) {
  // two candidates by hand: 0 wins ties
  const auto noise = *discrete_laplace(2);
  const Scores scores{1, 2};
  double first = 0;
  for (long a = -80; a <= 80; ++a)
    for (long b = -80; b <= 80; ++b)
      if (a + 1 >= b + 2) first += middle(noise->mass(a, 64)) * middle(noise->mass(b, 64));
  const auto chances = pmf(Kind::kNoisyMax, parameters(1, 2), scores);
  EXPECT_NEAR(middle(chances[0]), first, 1e-12);
  EXPECT_NEAR(middle(chances[0]) + middle(chances[1]), 1, 1e-15);
}

TEST(Selection, SamplesFollowThePmf) {
  std::uint64_t seed = 30;
  for (const Kind kind : kAll) {
    for (const auto& [scores, epsilon] : {std::pair<Scores, Rational>{{5, 3, 3, 0, -40}, 1},
                                          {{0, 0, 0}, Rational(1, 100)},
                                          {{7}, 1},
                                          {{-1, 4, 4, 2, 3, 1, 0}, Rational(1, 2)}}) {
      const auto p = parameters(epsilon, scores.size());
      random::testing::Seeded source(seed++);
      std::vector<double> counts(scores.size());
      constexpr int kDraws = 20'000;
      const auto expected = middles(pmf(kind, p, scores));
      const auto exact = Exact<Scores>::from_private(scores);
      const auto exponential = *Exponential::create(p);
      const auto flip = *PermuteAndFlip::create(p);
      const auto noisy = *NoisyMax::create(p);
      for (int i = 0; i < kDraws; ++i) {
        const auto chosen = kind == Kind::kExponential      ? exponential.release(exact, source)
                            : kind == Kind::kPermuteAndFlip ? flip.release(exact, source)
                                                            : noisy.release(exact, source);
        counts[chosen->value()] += 1;
      }
      EXPECT_GT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm);
      if (scores.size() == 5) {  // the broken twin: half the noise
        const auto twin = middles(pmf(kind, parameters(2 * epsilon, 5), scores));
        EXPECT_LT(random::testing::goodness_of_fit(counts, twin), random::testing::kFalseAlarm);
      }
    }
  }
}

TEST(Selection, IsPrivateOnEveryNeighbour) {
  for (const Kind kind : kAll) {
    for (const bool monotone : {false, true}) {
      for (const Rational& epsilon : testing::epsilons()) {
        if (kind == Kind::kNoisyMax && epsilon < Rational(1, 10)) continue;  // its own test below
        const auto p = parameters(epsilon, 3, monotone);
        for (const Scores& scores : {Scores{0, 0, 0}, Scores{4, 0, -3}, Scores{0, 50, 1}}) {
          const auto base = pmf(kind, p, scores);
          EXPECT_TRUE(testing::adds_up_to_one(base, 1e-14));
          for (const Scores& moved : neighbours(scores, monotone))
            EXPECT_LE(delta_above(base, pmf(kind, p, moved), epsilon), 1e-16) << epsilon;
        }
      }
    }
  }
}

TEST(Selection, NoisyMaxIsPrivateAtSmallEpsilon) {
  for (const Rational& epsilon : {Rational(1, 1000), Rational(1, 100)}) {
    const auto p = parameters(epsilon, 2);
    const auto base = pmf(Kind::kNoisyMax, p, {0, 300});
    for (const Scores& moved : {Scores{1, 299}, Scores{-1, 301}})
      EXPECT_LE(delta_above(base, pmf(Kind::kNoisyMax, p, moved), epsilon), 1e-16);
  }
}

TEST(Selection, IsTightWhereTheorySaysSo) {
  // a candidate far behind that gains while the leader loses: its chance grows by e^ε in the limit
  for (const Kind kind : kAll) {
    for (const Rational& epsilon : {Rational(1, 2), Rational(2)}) {
      const std::int64_t far = 20;
      const auto p = parameters(epsilon, 2);
      const auto a = pmf(kind, p, {far, 0}), b = pmf(kind, p, {far - 1, 1});
      const double ratio = std::log(middle(b[1]) / middle(a[1]));
      EXPECT_GT(ratio, (kind == Kind::kNoisyMax ? 0.8 : 0.99) * epsilon.get_d());
      EXPECT_LE(ratio, epsilon.get_d() + 1e-9);
    }
  }
}

TEST(Selection, BrokenTwinsAreCaught) {
  const Rational epsilon(1);
  const Scores scores{20, 0, 0}, moved{19, 1, 1};
  // ε/Δ where the scores are not monotone
  for (const Kind kind : kAll) {
    const auto twin = parameters(epsilon, 3, true);
    EXPECT_GT(delta_below(pmf(kind, twin, scores), pmf(kind, twin, moved), epsilon), 0);
  }
  // the deck's report noisy max at Δ/ε, over all ε
  for (const Rational& e : testing::epsilons()) {
    // (outside, the balls' width of 2^-64 times e^2ε is too much to say anything)
    if (e < Rational(1, 10) || e > 2) continue;
    const auto a = noisy_max_pmf(scores, 1 / e, kBits), b = noisy_max_pmf(moved, 1 / e, kBits);
    EXPECT_GT(delta_below(*a, *b, e), 0) << e;
    EXPECT_LE(delta_above(*a, *b, 2 * e), 1e-16);  // it is 2ε-DP
  }
  // close scores, where more is at stake
  EXPECT_GT(delta_below(*noisy_max_pmf(Scores{1, 0}, 1, kBits),
                        *noisy_max_pmf(Scores{0, 1}, 1, kBits), 1),
            0.01);
}

TEST(Selection, MonotoneIsForAddRemove) {
  auto p = parameters(1, 3, true);
  p.relation = privacy::Relation::kSubstitute;
  EXPECT_FALSE(Exponential::create(p).has_value());
  EXPECT_FALSE(PermuteAndFlip::create(p).has_value());
  EXPECT_FALSE(NoisyMax::create(p).has_value());
}

TEST(Selection, AccuracyIsExactOnTheDistribution) {
  const Scores scores{100, 97, 90, 60, 60};
  for (const Kind kind : kAll) {
    const auto chances = pmf(kind, parameters(Rational(1, 5), 5), scores);
    for (const Rational& beta : {Rational(1, 2), Rational(1, 20), Rational(1, 1000)}) {
      const Rational bound = selection_accuracy(scores, chances, beta);
      double beyond = 0, at_least = 0;
      for (std::size_t i = 0; i < 5; ++i) {
        const Rational loss(static_cast<long>(100 - scores[i]));
        beyond += loss > bound ? middle(chances[i]) : 0;
        at_least += loss >= bound ? middle(chances[i]) : 0;
      }
      EXPECT_LE(beyond, beta.get_d());
      if (bound > 0) {
        EXPECT_GT(at_least, beta.get_d());
      }
      // and the deck's theorem holds
      if (kind != Kind::kNoisyMax) {
        EXPECT_LE(bound.get_d(), deck_selection_bound(parameters(Rational(1, 5), 5), 1, beta));
      }
    }
  }
}

TEST(Selection, WeightsStayWithinTheirProof) {
  rc::check([] {
    const Rational rate(*rc::gen::inRange<long>(1, 1'000'000'000),
                        *rc::gen::inRange<long>(1, 1'000'000'000));
    const auto best = *rc::gen::inRange<std::int64_t>(-kLargestScore, kLargestScore);
    const auto loss = *rc::gen::inRange<std::int64_t>(0, 200);
    const Weights weights(rate, clamped_score(best));
    const std::int64_t score = clamped_score(best - loss), a = weights.approximate(score);
    const Ball exact = weights.exact(score, a, 256);  // W − a
    const Ball slack(static_cast<long>(Weights::slack(a)));
    RC_ASSERT(surely_less(exact, slack));
    RC_ASSERT(surely_less(-slack, exact));
  });
  // the largest losses there are
  const Weights weights(Rational(1, 1'000'000), kLargestScore);
  EXPECT_EQ(weights.approximate(-kLargestScore), 0);
  EXPECT_EQ(weights.approximate(kLargestScore), std::int64_t{1} << 62);
}

// What is drawn where the dart falls on integer `offset` of candidate 1, with `digits` behind it;
// if it misses, the next dart hits candidate 0.
std::size_t after_dart(const Scores& scores, std::int64_t offset, std::uint64_t digits) {
  const auto p = parameters(2, scores.size());  // a rate of 1
  const Weights weights(p, scores);
  const auto integer = [&](std::size_t i) {
    const std::int64_t a = weights.approximate(scores[i]);
    return Integer(static_cast<long>(a + Weights::slack(a)));
  };
  const Integer total = integer(0) + integer(1), place = integer(0) + offset;
  // The least r of 128 bits with ⌊r·total/2^128⌋ = place, and one more: no r is thrown away.
  const Integer scaled = place * (Integer(1) << 128);
  const Integer r = ceiling(Rational(scaled) / Rational(total)) + 1;
  const Integer low = r & ((Integer(1) << 64) - 1), high = r >> 64;
  random::testing::Scripted source({low.get_ui(), high.get_ui(), digits, 1, 0});
  return Exponential::create(p)->release(Exact<Scores>::from_private(scores), source)->value();
}

// A dart between a − slack and a + slack hits only if it falls below the exact weight: there is a
// last integer that surely hits, one that the digits behind it decide, and none above it that hits.
TEST(Selection, AnUndecidedDartIsComparedWithTheExactWeight) {
  for (const std::int64_t loss : {1, 2, 7, 19}) {
    const Scores scores{0, -loss};
    const Weights weights(parameters(2, 2), scores);
    const std::int64_t a = weights.approximate(-loss), slack = Weights::slack(a);
    const Integer exact = weights.exact(-loss, 0, 256).floor_shifted(0);  // ⌊W⌋
    const std::int64_t whole = exact.get_si();
    ASSERT_LT(std::abs(whole - a), slack);
    for (const std::uint64_t digits : {std::uint64_t{0}, ~std::uint64_t{0}}) {
      EXPECT_EQ(after_dart(scores, a - slack, digits), 1u) << loss;
      EXPECT_EQ(after_dart(scores, whole - 1, digits), 1u) << loss;
      EXPECT_EQ(after_dart(scores, whole, digits), digits == 0 ? 1u : 0u) << loss;
      EXPECT_EQ(after_dart(scores, whole + 1, digits), 0u) << loss;
      EXPECT_EQ(after_dart(scores, a + slack - 1, digits), 0u) << loss;
    }
  }
  // The best one's weight is whole: 2^62 − 1 is its last integer.
  const std::int64_t one = std::int64_t{1} << 62;
  EXPECT_EQ(after_dart({0, 0}, one - 1, ~std::uint64_t{0}), 1u);
  EXPECT_EQ(after_dart({0, 0}, one, ~std::uint64_t{0}), 0u);
}

TEST(Selection, UndecidedDartsAndTiesAreResolved) {
  const Scores scores{0, 0};
  const auto p = parameters(1, 2);
  // The same word for both: the digits that follow decide, and both win about half of the time. So
  // too where the words are 0, and where they differ in the last bit only.
  for (const std::uint64_t word :
       {std::uint64_t{42}, std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{1} << 40}) {
    int first = 0;
    constexpr int kRuns = 400;
    for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
      random::testing::Scripted ties({word, word}, seed);
      first +=
          PermuteAndFlip::create(p)->release(Exact<Scores>::from_private(scores), ties)->value() ==
          0;
    }
    EXPECT_NEAR(first, kRuns / 2, 5 * std::sqrt(kRuns / 4));
  }
  random::testing::Scripted nearly({0x8000000000000001, 0x8000000000000000}, 1);
  EXPECT_EQ(
      PermuteAndFlip::create(p)->release(Exact<Scores>::from_private(scores), nearly)->value(), 1u);
  // a far candidate with a word of 0 still loses to one that is ahead by e^-50000 against
  // 2^-64·(what follows)
  random::testing::Scripted far({std::uint64_t{1} << 63, 0}, 1);
  EXPECT_EQ(
      PermuteAndFlip::create(p)->release(Exact<Scores>::from_private({100'000, 0}), far)->value(),
      0u);
}

TEST(Selection, RandomnessUsedDoesNotDependOnTheScores) {
  for (const Kind kind : kAll) {
    std::vector<std::uint64_t> words;
    for (const Scores& scores : {Scores(3000, 0), Scores(3000, -1'000'000), Scores{}}) {
      Scores used = scores.empty() ? Scores(3000) : scores;
      if (scores.empty()) std::iota(used.begin(), used.end(), 0);
      random::testing::Seeded seeded(3);
      random::testing::Counting counting(seeded);
      draw(kind, parameters(1, 3000), used, counting);
      words.push_back(counting.count());
    }
    EXPECT_EQ(words[0], words[1]);
    EXPECT_EQ(words[0], words[2]);
  }
}

TEST(Selection, EdgesOfSixtyFourBits) {
  random::testing::Seeded source(4);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max(),
                         kLeast = std::numeric_limits<std::int64_t>::min();
  for (const Kind kind : kAll) {
    for (int i = 0; i < 20; ++i)
      EXPECT_EQ(draw(kind, parameters(1, 3), {kLeast, kMost, 0}, source), 1u);
  }
}

TEST(Selection, RefusesWhatDoesNotFit) {
  EXPECT_FALSE(Exponential::create(parameters(0, 3)).has_value());
  EXPECT_FALSE(Exponential::create(parameters(1, 0)).has_value());
  EXPECT_FALSE(Exponential::create(parameters(1, 3, false, 0)).has_value());
  EXPECT_FALSE(Exponential::create(parameters(1, 3))
                   ->release(Exact<Scores>::from_private({1, 2}))
                   .has_value());
  EXPECT_EQ(Candidates::named({"dark", "red"}).name(1), "red");
  EXPECT_EQ(Candidates::numbered(3).name(2), "2");
}

TEST(Selection, ManyCandidates) {
  // more than one block, the best in the last
  Scores scores(5000, 0);
  scores[4999] = 100;
  random::testing::Seeded source(11);
  for (const Kind kind : kAll) EXPECT_EQ(draw(kind, parameters(2, 5000), scores, source), 4999u);
  const auto wide = PermuteAndFlip::create(parameters(1, 5000))->pmf(scores, 64);
  ASSERT_TRUE(wide.has_value());
  EXPECT_NEAR(middle((*wide)[4999]), 1, 1e-12);
}

}  // namespace
}  // namespace discreet::mechanism
