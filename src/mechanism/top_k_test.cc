#include "discreet/mechanism/top_k.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

TopK make(const Rational& epsilon, std::size_t candidates, std::int64_t k, bool monotone = false) {
  return *TopK::create({.epsilon = epsilon,
                        .sensitivity = 1,
                        .candidates = Candidates::numbered(candidates),
                        .monotone = monotone},
                       k);
}
std::vector<Ball> chances(const TopK& top, const std::vector<std::int64_t>& scores) {
  std::vector<Ball> out;
  const TopK::Lists lists = *top.pmf(scores, kBits);
  for (const auto& [list, chance] : lists) out.push_back(chance);
  return out;
}

// One of k is permute-and-flip itself.
TEST(TopK, OfOneIsPermuteAndFlip) {
  const std::vector<std::int64_t> scores{5, 3, 3, 0};
  const auto top = chances(make(1, 4, 1), scores);
  const auto flip = *PermuteAndFlip::create(
                         {.epsilon = 1, .sensitivity = 1, .candidates = Candidates::numbered(4)})
                         ->pmf(scores, kBits);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(top[i].middle(), flip[i].middle());
}

TEST(TopK, ListsAreADistribution) {
  for (const std::int64_t k : {1, 2, 3, 4, 5}) {
    const auto all = chances(make(1, 5, k), {9, 2, 2, 0, -5});
    EXPECT_TRUE(testing::adds_up_to_one(all));
  }
  EXPECT_FALSE(make(1, 30, 5).pmf(std::vector<std::int64_t>(30), kBits).has_value());
}

// All ways in which four scores rise and fall at once: within ε, and with half as much noise not.
// A round that spends ε instead of ε/k is such a twin.
TEST(TopK, IsPrivateExactlyAndATwinIsCaught) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)}) {
    bool caught = false;
    for (const std::vector<std::int64_t>& scores :
         {std::vector<std::int64_t>{0, 0, 6, 6}, {0, 0, 30, 30}, {1, 2, 3, 4}}) {
      for (unsigned pattern = 0; pattern < 16; ++pattern) {
        std::vector<std::int64_t> other = scores;
        for (unsigned i = 0; i < 4; ++i) other[i] += (pattern >> i & 1) != 0 ? 1 : -1;
        const TopK right = make(epsilon, 4, 2), twin = make(2 * epsilon, 4, 2);
        EXPECT_LE(testing::delta_above(chances(right, scores), chances(right, other), epsilon),
                  1e-30);
        caught |= testing::delta_below(chances(twin, scores), chances(twin, other), epsilon) > 1e-9;
      }
    }
    EXPECT_TRUE(caught) << epsilon;
  }
}

TEST(TopK, FollowsItsDistribution) {
  constexpr int kDraws = 20'000;
  const std::vector<std::int64_t> scores{4, 3, 1, 0};
  const auto fit = [&](const TopK& drawn, const TopK& stated) {
    std::map<std::vector<std::size_t>, double> found;
    random::testing::Seeded source(3);
    for (int i = 0; i < kDraws; ++i)
      found[drawn.release(Exact<std::vector<std::int64_t>>::from_private(scores), source)
                ->value()] += 1;
    std::vector<double> counts, expected;
    const TopK::Lists lists = *stated.pmf(scores, kBits);
    for (const auto& [list, chance] : lists)
      counts.push_back(found[list]), expected.push_back(chance.middle());
    return random::testing::goodness_of_fit(counts, expected);
  };
  const TopK right = make(2, 4, 2);
  EXPECT_GT(fit(right, right), random::testing::kFalseAlarm);
  EXPECT_LT(fit(right, make(Rational(5, 2), 4, 2)), random::testing::kFalseAlarm);
}

// The theorem's bound holds for the exact distribution.
TEST(TopK, TheBoundHolds) {
  const std::vector<std::int64_t> scores{200, 190, 150, 100, 20, 0};
  const TopK top = make(1, 6, 2);
  for (const Rational& beta : {Rational(1, 2), Rational(1, 20), Rational(1, 1000)}) {
    double beyond = 0;
    const TopK::Lists lists = *top.pmf(scores, kBits);
    for (const auto& [list, chance] : lists) {
      const std::int64_t worst = std::min(scores[list[0]], scores[list[1]]);
      if (static_cast<double>(190 - worst) > top.bound(beta)) beyond += chance.middle();
    }
    EXPECT_LE(beyond, to_double(beta, Rounding::kUp));
  }
}

TEST(TopK, SaysWhatItAccepts) {
  for (const std::int64_t k : {std::int64_t{0}, std::int64_t{5}}) {
    const auto refused =
        TopK::create({.epsilon = 1, .sensitivity = 1, .candidates = Candidates::numbered(4)}, k);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().parameter, "k");
  }
}

}  // namespace
}  // namespace discreet::mechanism
