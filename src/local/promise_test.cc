#include "discreet/local/promise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/local/registry.h"

namespace discreet::local {
namespace {

TEST(Promise, ReportsAndGroupsAddUpAndTheLargestCounts) {
  const Promise promise =
      *promise_of({.epsilons = {1, Rational(5, 2), Rational(1, 3)}, .reports = 3, .group = 4});
  EXPECT_EQ(promise.report, Rational(5, 2));
  EXPECT_EQ(promise.central, Rational(15, 2));
  EXPECT_EQ(promise.group, 30);
  EXPECT_FALSE(promise.add_remove.has_value());
  EXPECT_FALSE(promise.shuffled.has_value());
  EXPECT_EQ(promise_of({.epsilons = {2}, .reports = 2, .absentees_report = true})->add_remove, 4);
}

TEST(Promise, ShuffledRoundsShareDelta) {
  Collection once{.epsilons = {1}, .hides_well = true};
  once.users = 100'000, once.delta = Rational(1, 2'000'000);
  Collection twice = once;
  twice.reports = 2, twice.delta = Rational(1, 1'000'000);
  const Promise a = *promise_of(once), b = *promise_of(twice);
  EXPECT_DOUBLE_EQ(b.shuffled->epsilon, 2 * a.shuffled->epsilon);
  EXPECT_FALSE(a.shuffled->closed_form);
  EXPECT_GT(*a.shuffled->closed, a.shuffled->epsilon);
  Collection general = once;
  general.hides_well = false;
  EXPECT_GT(promise_of(general)->shuffled->epsilon, a.shuffled->epsilon);
}

TEST(Promise, WhatIsNotProvedIsNotSaid) {
  Collection mixed{.epsilons = {1, 2}};
  mixed.users = 1000, mixed.delta = Rational(1, 1000);
  EXPECT_FALSE(promise_of(mixed).has_value());
  EXPECT_FALSE(promise_of({}).has_value());
  EXPECT_FALSE(promise_of({.epsilons = {-1}}).has_value());
  EXPECT_FALSE(promise_of({.epsilons = {1}, .reports = 0}).has_value());
  EXPECT_FALSE(promise_of({.epsilons = {1}, .group = 0}).has_value());
  EXPECT_FALSE(promise_of({.epsilons = {1}, .users = 10}).has_value());
}

TEST(Promise, ReportsThatTellNothingAreAnswered) {
  Collection nothing{.epsilons = {0}};
  nothing.users = 1000, nothing.delta = Rational(1, 1'000'000);
  const Promise promise = *promise_of(nothing);
  EXPECT_EQ(promise.central, 0);
  EXPECT_EQ(promise.shuffled->epsilon, 0);
}

TEST(Promise, RoundsAreAddedRoundingUp) {
  Collection many{.epsilons = {1}, .reports = 3};
  many.users = 100'000, many.delta = Rational(3, 1'000'000);
  Collection once = many;
  once.reports = 1, once.delta = Rational(1, 1'000'000);
  const double one = promise_of(once)->shuffled->epsilon;
  EXPECT_GE(Rational(promise_of(many)->shuffled->epsilon), 3 * Rational(one));
  many.reports = 1'000'000'000, many.delta = parse_number("1e-195", Rounding::kDown).value();
  EXPECT_FALSE(promise_of(many).has_value());
}

TEST(Promise, AShuffledGroupPaysWithDeltaToo) {
  Collection four{.epsilons = {1}, .group = 4};
  four.users = 100'000, four.delta = Rational(1, 1'000'000);
  const auto shuffled = promise_of(four)->shuffled;
  EXPECT_NEAR(shuffled->group->epsilon, 4 * shuffled->epsilon, 1e-12);
  const double e = std::exp(shuffled->epsilon), sum = 1 + e + e * e + e * e * e;
  EXPECT_NEAR(shuffled->group->delta, 1e-6 * sum, 1e-15);
  EXPECT_LT(shuffled->group->delta, 4e-6 * e * e * e);  // what bounds each term by the last
  four.delta = Rational(1, 2);
  EXPECT_FALSE(promise_of(four)->shuffled->group.has_value());
}

// Reports drawn from a permanent one cost what it does, in all rounds together.
TEST(Promise, PermanentReportsCostWhatThePermanentOneDoes) {
  const Collection asked{.epsilons = {1}, .permanent = 3, .group = 2, .absentees_report = true};
  const Promise promise = *promise_of(asked);
  EXPECT_EQ(promise.report, 1);
  EXPECT_EQ(promise.central, 3);
  EXPECT_EQ(promise.group, 6);
  EXPECT_EQ(*promise.add_remove, 3);
  EXPECT_FALSE(promise_of({.epsilons = {1}, .permanent = -1}).has_value());
}

// κ/2: the least of R(y)/(R(x) + R(x')) over all reports and values.
double half_of_clones(const Protocol& protocol) {
  const std::vector<Word> reports = *protocol.outcomes();
  const std::size_t words = protocol.constants().words;
  double least = INFINITY;
  for (std::size_t at = 0; at < reports.size(); at += words) {
    const std::span<const Word> report = std::span(reports).subspan(at, words);
    std::vector<double> chances;
    for (Value v = 0; v < protocol.constants().domain; ++v)
      chances.push_back(protocol.probability(v, report, 128).middle());
    for (std::size_t x = 0; x < chances.size(); ++x)
      for (std::size_t other = 0; other < x; ++other)
        for (const double y : chances) least = std::min(least, y / (chances[x] + chances[other]));
  }
  return least;
}

// Every protocol for values keeps the condition under which its shuffled reports are counted, and
// those that keep only the weaker one would be caught if they were taken for the stronger.
TEST(Promise, EveryProtocolHidesAsWellAsIsClaimed) {
  int strong = 0;
  for (const Entry& entry : registry()) {
    if (entry.task != Task::kFrequencies) continue;
    const auto protocol =
        entry.make({.epsilon = entry.name == "coins" ? std::nullopt : std::optional(Rational(1, 2)),
                    .domain = 8});
    ASSERT_TRUE(protocol.has_value()) << entry.name << ": " << protocol.error().text();
    if (!(*protocol)->outcomes()) continue;
    const double e = std::exp((*protocol)->constants().epsilon.get_d());
    const double found = half_of_clones(**protocol);
    const bool better = one_value_a_report(**protocol);
    EXPECT_GE(found, (better ? 1 / (e + 1) : 1 / (2 * e)) * (1 - 1e-12)) << entry.name;
    if (!better) {
      EXPECT_LT(found, 0.99 / (e + 1)) << entry.name << " hides better than is claimed for it";
    }
    strong += better ? 1 : 0;
  }
  EXPECT_EQ(strong, 2);
}

}  // namespace
}  // namespace discreet::local
