#include "discreet/mechanism/randomized_response.h"

#include <gtest/gtest.h>

#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

using testing::delta_above;
using testing::delta_below;
using testing::kBits;
using testing::middle;

RandomizedResponse make(const Rational& epsilon, std::size_t values) {
  return *RandomizedResponse::create({.epsilon = epsilon, .values = Candidates::numbered(values)});
}
std::vector<Ball> row(const RandomizedResponse& mechanism, std::size_t value) {
  std::vector<Ball> out;
  for (std::size_t o = 0; o < mechanism.parameters().values.size(); ++o)
    out.push_back(mechanism.probability(value, o, kBits));
  return out;
}

TEST(RandomizedResponse, TheCoinProtocol) {
  const auto coins = make(*parse_number("ln(3)", Rounding::kDown), 2);
  for (const std::size_t value : {0u, 1u})
    for (const std::size_t output : {0u, 1u})
      EXPECT_NEAR(middle(coins.probability(value, output, kBits)), value == output ? 0.75 : 0.25,
                  1e-15);
  EXPECT_EQ(coins.guarantee().relation, privacy::Relation::kSubstitute);
}

TEST(RandomizedResponse, IsPrivateAndTight) {
  for (const Rational& epsilon : testing::epsilons()) {
    for (const std::size_t values : {2u, 3u, 10u}) {
      const auto mechanism = make(epsilon, values);
      const auto p = row(mechanism, 0), q = row(mechanism, values - 1);
      EXPECT_TRUE(testing::adds_up_to_one(p));
      EXPECT_LE(delta_above(p, q, epsilon), 1e-30);
      EXPECT_GT(delta_below(p, q, epsilon * Rational(999'999, 1'000'000)), 0);
      // the broken twin: tells the truth as if there were one value less
      const auto twin = make(epsilon * Rational(11, 10), values);
      EXPECT_GT(delta_below(row(twin, 0), row(twin, 1), epsilon), 0);
    }
  }
}

TEST(RandomizedResponse, SamplesFollowThePmf) {
  random::testing::Seeded source(1);
  const auto mechanism = make(1, 4);
  std::vector<double> counts(4);
  for (int i = 0; i < 20'000; ++i)
    counts[mechanism.release(Exact<std::size_t>::from_private(2), source)->value()] += 1;
  EXPECT_GT(random::testing::goodness_of_fit(counts, testing::middles(row(mechanism, 2))),
            random::testing::kFalseAlarm);
  EXPECT_LT(
      random::testing::goodness_of_fit(counts, testing::middles(row(make(Rational(12, 10), 4), 2))),
      random::testing::kFalseAlarm);
}

TEST(RandomizedResponse, RefusesWhatIsNoValue) {
  EXPECT_FALSE(
      RandomizedResponse::create({.epsilon = 1, .values = Candidates::numbered(1)}).has_value());
  EXPECT_FALSE(
      RandomizedResponse::create({.epsilon = 0, .values = Candidates::numbered(2)}).has_value());
  EXPECT_FALSE(make(1, 2).release(Exact<std::size_t>::from_private(2)).has_value());
}

}  // namespace
}  // namespace discreet::mechanism
