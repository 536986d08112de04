#include "discreet/learn/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "discreet/privacy/accountant.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

using random::testing::Seeded;

TEST(TreeTest, EachExampleIsInOneStepOfAnEpoch) {
  Workers workers(1);
  Seeded source(1);
  auto tree = TreeAggregation::create(10, 95, 2, workers);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->steps_an_epoch(), 10U);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<int> times(95);
    for (std::uint64_t s = 0; s < 10; ++s) {
      const auto lot = tree->lot(std::uint64_t(epoch) * 10 + s, 95, source);
      ASSERT_TRUE(lot);
      for (const std::uint64_t i : *lot) ++times[i];
    }
    EXPECT_EQ(times, std::vector<int>(95, 1));
  }
}

// The noise of the prefix of t steps: as much as t has bits, of a node's variance each.
TEST(TreeTest, PrefixesHaveTheNoiseOfTheirNodes) {
  constexpr std::size_t kSize = 20'000;
  constexpr std::uint64_t kSteps = 13;
  Workers workers(2);
  auto tree = TreeAggregation::create(1, kSteps, 3, workers);
  ASSERT_TRUE(tree);
  const std::vector<NoisyPart> parts = {{0, kSize / 2, 100, Rational(3) * Rational(3, 2)},
                                        {kSize / 2, kSize, 40, Rational(5)}};
  std::vector<std::int64_t> prefix(kSize), before(kSize);
  for (std::uint64_t t = 1; t <= 2 * kSteps; ++t) {
    std::vector<std::int64_t> sum(kSize);
    if (t == kSteps + 1) before = prefix;  // a new epoch: a tree of its own
    ASSERT_TRUE(tree->add_noise(t - 1, parts, sum));
    for (std::size_t i = 0; i < kSize; ++i) prefix[i] += sum[i];
    const std::uint64_t within = (t - 1) % kSteps + 1;
    for (const NoisyPart& part : parts) {
      double squares = 0;
      for (std::size_t i = part.begin; i < part.end; ++i)
        squares += std::pow(double(prefix[i] - (t > kSteps ? before[i] : 0)), 2);
      const double node = std::pow(part.sensitivity * to_double(part.multiplier), 2);
      const double nodes = squares / double(kSize / 2) / node;
      EXPECT_NEAR(nodes, double(std::popcount(within)), 0.06 * double(std::popcount(within)))
          << t;  // fresh noise in every step would be `within`
    }
  }
}

// How many nodes a step is in, counted.
std::uint64_t nodes_with(std::uint64_t step, std::uint64_t steps) {
  std::uint64_t out = 0;
  for (std::uint64_t length = 1; length <= steps; length *= 2)
    if ((step / length + 1) * length <= steps) ++out;  // it has come to its end
  return out;
}

bool pays_for(std::uint64_t steps, const privacy::Event& event) {
  std::uint64_t most = 0;
  for (std::uint64_t s = 0; s < steps; ++s) most = std::max(most, nodes_with(s, steps));
  const auto parts = privacy::parts_of(event);
  const auto& gaussian = std::get<privacy::Gaussian>(parts[0].event.what);
  return gaussian.sensitivity * gaussian.sensitivity >= Rational(Integer(std::to_string(most)));
}

TEST(TreeTest, ItsCostCoversEveryNode) {
  for (const std::uint64_t steps : {1, 2, 3, 4, 7, 8, 9, 100, 127, 128})
    EXPECT_TRUE(pays_for(steps, tree_event(steps, 2, 1))) << steps;
  // The twin: a level too few, as ⌊log2 S⌋ would have it.
  EXPECT_FALSE(pays_for(128, tree_event(127, 2, 1)));
  EXPECT_FALSE(pays_for(4, tree_event(3, 2, 1)));
}

TEST(TreeTest, EpochsCompose) {
  Workers workers(1);
  auto tree = TreeAggregation::create(10, 100, 20, workers);
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->levels(), 4U);
  EXPECT_EQ(privacy::describe(*tree->spent(10)), privacy::describe(tree_event(10, 20, 1)));
  EXPECT_EQ(privacy::describe(*tree->spent(11)), privacy::describe(tree_event(10, 20, 2)));
  // √4·√2 over 20: the Gaussian mechanism with that.
  const auto epsilon = privacy::account_epsilon(*tree->spent(20), Rational(1, 100000), {});
  ASSERT_TRUE(epsilon);
  EXPECT_NEAR(epsilon->value.upper, 0.525, 0.03);
}

TEST(TreeTest, FailsClosed) {
  Workers workers(1);
  EXPECT_FALSE(TreeAggregation::create(0, 10, 1, workers));
  EXPECT_FALSE(TreeAggregation::create(11, 10, 1, workers));
  EXPECT_FALSE(TreeAggregation::create(1, 10, 0, workers));
  auto tree = TreeAggregation::create(1, 10, 3, workers);
  ASSERT_TRUE(tree);
  std::vector<std::int64_t> sum(4);
  const NoisyPart good{0, 4, 10, 3};
  NoisyPart small = good, gap = good;
  small.multiplier = Rational(29, 10);
  gap.end = 3;
  EXPECT_FALSE(tree->add_noise(0, std::span(&small, 1), sum));  // less than is accounted
  EXPECT_FALSE(tree->add_noise(0, std::span(&gap, 1), sum));    // a number without noise
  EXPECT_FALSE(tree->add_noise(1, std::span(&good, 1), sum));   // out of order
  EXPECT_TRUE(tree->add_noise(0, std::span(&good, 1), sum));
  NoisyPart lower = good;
  lower.sensitivity = 9;
  EXPECT_FALSE(tree->add_noise(1, std::span(&lower, 1), sum));  // a node would have noise for less
  EXPECT_TRUE(tree->add_noise(1, std::span(&good, 1), sum));
  // With noise for its parts at hand too: a step again, a step left out, an epoch from its start.
  for (const std::uint64_t other : {1, 0, 3, 10})
    EXPECT_FALSE(tree->add_noise(other, std::span(&good, 1), sum)) << other;
  EXPECT_TRUE(tree->add_noise(2, std::span(&good, 1), sum));
}

// Two epochs of ten steps, of which a process ends after `begun`; another goes on where `next`
// says. How often the example that was used most is used in one epoch.
int most_used(std::uint64_t begun, std::uint64_t (*next)(TreeAggregation&, std::uint64_t)) {
  constexpr std::uint64_t kRows = 95;
  Workers workers(1);
  Seeded source(8);
  auto first = *TreeAggregation::create(10, kRows, 2, workers);
  auto second = *TreeAggregation::create(10, kRows, 2, workers);
  std::vector<std::vector<int>> used(2, std::vector<int>(kRows));
  const auto use = [&](TreeAggregation& tree, std::uint64_t from, std::uint64_t to) {
    for (std::uint64_t step = from; step < to; ++step) {
      const auto lot = tree.lot(step, kRows, source);
      ASSERT_TRUE(lot);
      for (const std::uint64_t i : *lot) ++used[step / 10][i];
    }
  };
  use(first, 0, begun);
  const std::uint64_t from = next(second, begun);
  use(second, from, 20);
  if (from < 20) {  // and the second epoch is whole
    EXPECT_EQ(used[1], std::vector<int>(kRows, 1));
  }
  return std::max(*std::ranges::max_element(used[0]), *std::ranges::max_element(used[1]));
}

TEST(TreeTest, ARunThatEndedGoesOnWithTheNextEpoch) {
  for (const std::uint64_t begun : {1, 5, 9, 10})
    EXPECT_EQ(
        most_used(begun, [](TreeAggregation& tree, std::uint64_t at) { return tree.resume(at); }),
        1)
        << begun;
  // The twin: the same epoch goes on, with lots that are drawn again.
  EXPECT_GT(most_used(5, [](TreeAggregation&, std::uint64_t at) { return at; }), 1);

  Workers workers(1);
  auto tree = *TreeAggregation::create(10, 95, 2, workers);
  EXPECT_EQ(tree.resume(0), 0U);
  EXPECT_EQ(tree.resume(13), 20U);
  EXPECT_EQ(tree.resume(20), 20U);
  std::vector<std::int64_t> sum(4);
  const NoisyPart part{0, 4, 10, 2};
  EXPECT_FALSE(tree.add_noise(13, std::span(&part, 1), sum));
  EXPECT_TRUE(tree.add_noise(20, std::span(&part, 1), sum));
  // As much as if it had never ended.
  EXPECT_EQ(privacy::describe(*tree.spent(30)), privacy::describe(tree_event(10, 2, 3)));
}

// An error at the start of an epoch, where noise of another scale would have been made, changes
// nothing: neither the sum nor what comes after it.
TEST(TreeTest, AfterAnErrorEverythingIsAsItWas) {
  constexpr std::size_t kSize = 4000;
  constexpr std::uint64_t kSteps = 2;
  Workers workers(2);
  auto tree = TreeAggregation::create(1, kSteps, 3, workers);
  ASSERT_TRUE(tree);
  const NoisyPart good{0, kSize, 10, 3};
  NoisyPart huge = good;
  huge.sensitivity = 1e30;  // no such noise is to be had
  for (std::uint64_t step = 0; step < 2 * kSteps; ++step) {
    std::vector<std::int64_t> sum(kSize, 7);
    EXPECT_FALSE(tree->add_noise(step, std::span(&huge, 1), sum));
    EXPECT_EQ(sum, std::vector<std::int64_t>(kSize, 7));
    ASSERT_TRUE(tree->add_noise(step, std::span(&good, 1), sum));
    double squares = 0;
    for (const std::int64_t x : sum) squares += std::pow(double(x - 7) / 30, 2) / double(kSize);
    // One node comes, and in each epoch's second step one goes.
    EXPECT_NEAR(squares, step % kSteps == 0 ? 1 : 2, 0.2) << step;
  }
}

}  // namespace
}  // namespace discreet::learn
