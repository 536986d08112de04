#include "discreet/mechanism/sparse_vector.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

using testing::delta_above;
using testing::delta_below;
using testing::kBits;
using testing::middle;
using Answers = std::vector<std::int64_t>;

SparseVectorParameters parameters(const Rational& epsilon, std::uint64_t positives,
                                  bool monotone = false) {
  return {.epsilon = epsilon,
          .sensitivity = 1,
          .threshold = 2,
          .positives = positives,
          .monotone = monotone};
}

std::vector<Ball> chances(const std::vector<SparseOutcome>& outcomes) {
  std::vector<Ball> out;
  for (const SparseOutcome& outcome : outcomes) out.push_back(outcome.probability);
  return out;
}

std::vector<Answers> neighbours(const Answers& answers, bool monotone) {
  std::vector<Answers> out;
  int codes = 1;
  for (std::size_t i = 0; i < answers.size(); ++i) codes *= 3;
  for (int code = 0; code < codes; ++code) {
    Answers moved = answers;
    bool up = true, down = true;
    for (std::size_t i = 0, rest = static_cast<std::size_t>(code); i < answers.size();
         ++i, rest /= 3) {
      const int move = static_cast<int>(rest % 3) - 1;
      moved[i] += move, up &= move >= 0, down &= move <= 0;
    }
    if (!monotone || up || down) out.push_back(moved);
  }
  return out;
}

TEST(SparseVector, IsPrivateOnEveryNeighbour) {
  for (const bool monotone : {false, true}) {
    for (const std::uint64_t positives : {1u, 2u}) {
      for (const Rational& epsilon : testing::epsilons()) {
        if (epsilon < Rational(1, 2)) continue;
        const auto mechanism = *SparseVector::create(parameters(epsilon, positives, monotone));
        const Answers answers{0, 2, 4};
        const auto base = chances(*mechanism.pmf(answers, 128));
        EXPECT_TRUE(testing::adds_up_to_one(base, 1e-14));
        for (const Answers& moved : neighbours(answers, monotone))
          EXPECT_LE(delta_above(base, chances(*mechanism.pmf(moved, 128)), epsilon), 1e-17)
              << epsilon;
      }
    }
  }
}

TEST(SparseVector, IsPrivateAtSmallEpsilon) {
  for (const Rational& epsilon : {Rational(1, 1000), Rational(1, 50)}) {
    const auto mechanism = *SparseVector::create(parameters(epsilon, 1));
    const auto base = chances(*mechanism.pmf(Answers{0, 4}, 96));
    for (const Answers& moved : {Answers{1, 3}, Answers{-1, 5}})
      EXPECT_LE(delta_above(base, chances(*mechanism.pmf(moved, 96)), epsilon), 1e-17);
  }
}

TEST(SparseVector, BrokenTwinsAreCaught) {
  const Rational epsilon(1);
  // Negatives that only a high threshold explains, positives that only their own noise explains:
  // each part of the budget is used.
  const auto loss = [&](const Answers& answers, const Answers& moved,
                        const Rational& threshold_scale, const Rational& answer_scale,
                        std::uint64_t positives) {
    const auto p =
        chances(*sparse_vector_pmf(answers, 0, positives, threshold_scale, answer_scale, 128));
    const auto q =
        chances(*sparse_vector_pmf(moved, 0, positives, threshold_scale, answer_scale, 128));
    return std::pair(delta_below(p, q, epsilon), delta_above(p, q, epsilon));
  };
  const Answers one{10, 10, 10, 10, -10}, one_moved{11, 11, 11, 11, -11};
  const auto right = *SparseVector::create(parameters(epsilon, 1));
  const Rational threshold_scale = right.threshold_noise().scale(),
                 answer_scale = right.answer_noise().scale();
  EXPECT_LE(loss(one, one_moved, threshold_scale, answer_scale, 1).second, 1e-17);
  // noise at half the scale
  EXPECT_GT(loss(one, one_moved, threshold_scale / 2, answer_scale / 2, 1).first, 0);
  // noise for one positive, but three are told
  const Answers three{8, 8, 8, -4, -4, -4}, three_moved{9, 9, 9, -5, -5, -5};
  EXPECT_GT(loss(three, three_moved, threshold_scale, answer_scale, 3).first, 0);
  const auto paid = *SparseVector::create(parameters(epsilon, 3));
  EXPECT_LE(loss(three, three_moved, paid.threshold_noise().scale(), paid.answer_noise().scale(), 3)
                .second,
            1e-17);
  // Lyu-Su-Li's Algorithm 4: ε1 = ε/4, and answers' noise that pays for Δ once instead of 2cΔ
  EXPECT_GT(loss(three, three_moved, 4, Rational(4, 3), 3).first, 0);
  // their Algorithm 5: no noise on the answers (here: next to none)
  EXPECT_GT(loss({0, 1}, {1, 0}, 2, Rational(1, 100), 1).first, 0.05);
}

TEST(SparseVector, TheGapIsFree) {
  for (const bool monotone : {false, true}) {
    auto p = parameters(1, 1, monotone);
    p.gap = true;
    const auto mechanism = *SparseVector::create(p);
    const Answers answers{1, 3};
    const auto joint = [&](const Answers& at) {
      std::vector<Ball> out;
      Ball rest(1);
      for (std::size_t i = 0; i < 2; ++i) {
        for (std::int64_t gap = 0; gap < 60; ++gap) {
          out.push_back(*mechanism.gap_probability(at, i, gap, 96));
          rest = sub(rest, out.back(), 96);
        }
      }
      out.push_back(rest);  // no positive, or a larger gap
      return out;
    };
    const auto base = joint(answers);
    // the gaps add up to the outcome without them
    double first = 0;
    for (std::size_t gap = 0; gap < 60; ++gap) first += middle(base[gap]);
    const auto outcomes = *mechanism.pmf(answers, 96);
    for (const SparseOutcome& outcome : outcomes) {
      if (outcome.above == std::vector<bool>{true}) {
        EXPECT_NEAR(first, middle(outcome.probability), 1e-4);
      }
    }
    for (const Answers& moved : neighbours(answers, monotone))
      EXPECT_LE(delta_above(base, joint(moved), 1), 1e-16);
  }
}

TEST(SparseVector, SamplesFollowThePmf) {
  for (const std::uint64_t positives : {1u, 2u}) {
    const auto mechanism = *SparseVector::create(parameters(1, positives));
    const Answers answers{0, 9, 2, 4};
    const auto outcomes = *mechanism.pmf(answers, 96);
    std::map<std::vector<bool>, double> seen;
    random::testing::Seeded source(positives);
    for (int i = 0; i < 40'000; ++i) {
      const auto answer = mechanism.release(Exact<Answers>::from_private(answers), source);
      std::vector<bool> above;
      for (const SparseAnswer& one : answer->value()) {
        above.push_back(one.above);
        EXPECT_FALSE(one.gap.has_value());
      }
      seen[above] += 1;
    }
    std::vector<double> counts, expected, twin;
    double total = 0;
    for (const SparseOutcome& outcome : outcomes) {
      counts.push_back(seen[outcome.above]);
      expected.push_back(middle(outcome.probability));
      total += counts.back();
    }
    EXPECT_EQ(total, 40'000);  // nothing came out that the distribution doesn't list
    EXPECT_GT(random::testing::goodness_of_fit(counts, expected), random::testing::kFalseAlarm);
    const auto twins = *SparseVector::create(parameters(2, positives))->pmf(answers, 96);
    for (const SparseOutcome& outcome : twins) twin.push_back(middle(outcome.probability));
    EXPECT_LT(random::testing::goodness_of_fit(counts, twin), random::testing::kFalseAlarm);
  }
}

TEST(SparseVector, StopsAfterItsPositivesAndTellsGaps) {
  auto p = parameters(1000, 2);
  p.gap = true;
  const auto mechanism = *SparseVector::create(p);
  random::testing::Seeded source(1);
  const auto answer =
      mechanism.release(Exact<Answers>::from_private({0, 50, 0, 40, 90, 100}), source);
  EXPECT_EQ(answer->value(), (SparseAnswers{{false, {}}, {true, 48}, {false, {}}, {true, 38}}));
  EXPECT_EQ(answer->guarantee().epsilon, 1000);
}

TEST(SparseVector, AccuracyIsTheQuantileOfTheNoise) {
  const auto mechanism = *SparseVector::create(parameters(1, 1));
  const Rational beta(1, 20);
  const double bound = mechanism.accuracy(3, beta)->get_d();
  const auto outside = [&](double m) {  // by brute force
    double inside = 0;
    for (long r = -400; r <= 400; ++r) {
      if (std::abs(static_cast<double>(r)) > m) continue;
      const long left = static_cast<long>(m) - std::abs(r);
      inside += middle(mechanism.threshold_noise().mass(r, 64)) *
                std::pow(1 - middle(mechanism.answer_noise().beyond(left, 64)), 3);
    }
    return 1 - inside;
  };
  EXPECT_LE(outside(bound), 0.05);
  EXPECT_GT(outside(bound - 1), 0.05);
}

TEST(SparseVector, BudgetsAreSeparateAndAddUp) {
  auto p = parameters(1, 3);
  p.threshold_share = Rational(1, 4);
  const auto mechanism = *SparseVector::create(p);
  EXPECT_EQ(mechanism.threshold_noise().scale(), 4);
  EXPECT_EQ(mechanism.answer_noise().scale(), 8);
  const auto share = *SparseVector::create(parameters(1, 4));
  EXPECT_NEAR(1 / share.threshold_noise().scale().get_d(), 1 / (1 + std::pow(8, 2.0 / 3)), 1e-5);
  p.threshold_share = 1;
  EXPECT_FALSE(SparseVector::create(p).has_value());
  p.threshold_share = {};
  p.positives = 0;
  EXPECT_FALSE(SparseVector::create(p).has_value());
  p.positives = 1, p.monotone = true, p.relation = privacy::Relation::kSubstitute;
  EXPECT_FALSE(SparseVector::create(p).has_value());
}

TEST(SparseVector, EdgesOfSixtyFourBits) {
  random::testing::Seeded source(2);
  const auto mechanism = *SparseVector::create(parameters(Rational(1, 100), 2));
  const auto answer =
      mechanism.release(Exact<Answers>::from_private({std::numeric_limits<std::int64_t>::min(),
                                                      std::numeric_limits<std::int64_t>::max()}),
                        source);
  EXPECT_FALSE(answer->value()[0].above);
  EXPECT_TRUE(answer->value()[1].above);
  const auto real = mechanism.release(
      Exact<std::vector<double>>::from_private({-1e300, std::nan(""), 1e300}), source);
  EXPECT_FALSE(real->value()[0].above);
  EXPECT_TRUE(real->value().back().above);
}

}  // namespace
}  // namespace discreet::mechanism
