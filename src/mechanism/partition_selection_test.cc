#include "discreet/mechanism/partition_selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/base/ball.h"
#include "discreet/mechanism/gap/group_selection.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism {
namespace {

PartitionSelection make(const char* epsilon, const char* delta) {
  return *PartitionSelection::create(
      {*parse_number(epsilon, Rounding::kDown), *parse_number(delta, Rounding::kDown)});
}

// (ε, δ) for one unit more or less, both ways and for both outcomes, exactly: with e^ε as an
// interval.
bool holds(const PartitionSelection& selection, const Rational& epsilon, const Rational& delta,
           std::int64_t most) {
  constexpr long kBits = 400;
  const Ball grow = exp(Ball(epsilon, kBits), kBits);
  const auto within = [&](const Rational& p, const Rational& q) {
    return surely_at_most(Ball(p, kBits),
                          add(mul(grow, Ball(q, kBits), kBits), Ball(delta, kBits), kBits));
  };
  for (std::int64_t n = 0; n < most; ++n) {
    const Rational &a = selection.probability(n), &b = selection.probability(n + 1);
    if (!within(a, b) || !within(b, a) || !within(1 - a, 1 - b) || !within(1 - b, 1 - a))
      return false;
  }
  return true;
}

TEST(PartitionSelection, IsPrivateExactly) {
  for (const char* epsilon : {"0.01", "0.1", "1", "ln(3)", "5", "100"})
    for (const char* delta : {"1e-10", "1e-6", "0.01", "0.5"})
      EXPECT_TRUE(holds(make(epsilon, delta), *parse_number(epsilon, Rounding::kDown),
                        *parse_number(delta, Rounding::kDown), 3000))
          << epsilon << " " << delta;
}

// The broken twin: the table for a larger ε isn't private at the smaller one.
TEST(PartitionSelection, ATableForAnotherEpsilonIsCaught) {
  EXPECT_FALSE(
      holds(make("0.11", "1e-6"), Rational(1, 10), *parse_number("1e-6", Rounding::kDown), 3000));
  EXPECT_FALSE(
      holds(make("0.1", "1.1e-6"), Rational(1, 10), *parse_number("1e-6", Rounding::kDown), 3000));
}

// The closed form of Desfontaines et al., Theorem 1: up to n1, π(n) = δ·(e^{nε}−1)/(e^ε−1).
TEST(PartitionSelection, FollowsTheClosedForm) {
  const double epsilon = 0.5, delta = 1e-6;
  const auto selection = make("0.5", "1e-6");
  const int n1 = 1 + static_cast<int>(std::floor(std::log((std::exp(epsilon) + 2 * delta - 1) /
                                                          ((std::exp(epsilon) + 1) * delta)) /
                                                 epsilon));
  for (int n = 0; n <= n1; ++n)
    EXPECT_NEAR(selection.probability(n).get_d(),
                delta * std::expm1(n * epsilon) / std::expm1(epsilon), 1e-9);
  EXPECT_EQ(selection.probability(1'000'000), 1);
}

gap::GroupSelection shown_by(const char* epsilon, const char* delta, std::int64_t min_units = 1) {
  return *gap::GroupSelection::create({.epsilon = *parse_number(epsilon, Rounding::kDown),
                                       .delta = *parse_number(delta, Rounding::kDown),
                                       .min_units = min_units});
}

TEST(PartitionSelection, NeverShowsFewerThanTheLeast) {
  const auto selection = shown_by("1", "1e-3", 10);
  EXPECT_EQ(selection.keep_probability(9, 128).upper(), 0);
  EXPECT_EQ(selection.keep_probability(10, 128).middle(),
            Ball(make("1", "1e-3").probability(1), 128).middle());
}

TEST(PartitionSelection, ShowsAsOftenAsItSays) {
  const auto table = make("0.5", "0.01");
  random::testing::Seeded source(4);
  constexpr std::size_t kGroups = 20'000;
  const std::int64_t units = table.units_for(Rational(1, 2));
  const auto keys =
      Exact<std::vector<std::string>>::from_private(std::vector<std::string>(kGroups, "x"));
  const auto counts =
      Exact<std::vector<std::int64_t>>::from_private(std::vector<std::int64_t>(kGroups, units));
  const auto shown = shown_by("0.5", "0.01").release(keys, counts, source);
  const double p = table.probability(units).get_d();
  EXPECT_NEAR(static_cast<double>(shown->value().size()), p * kGroups,
              6 * std::sqrt(p * (1 - p) * kGroups));
}

}  // namespace
}  // namespace discreet::mechanism
