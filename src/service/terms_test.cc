// What the ledger is told of a policy and of a plan: all that is spent, by everything that makes
// the answer what it is, on data that have one name.
#include "discreet/service/terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "discreet/plan/testing/planned.h"

namespace discreet::service {
namespace {

class Terms : public plan::testing::Planned {
 protected:
  policy::Policy policy(const std::string& source, const std::string& more = "") {
    auto read = policy::Policy::parse(
        "[policy]\nname = \"p\"\nunit = \"u\"\nbudget = { epsilon = 1, delta = 0.5 }\nledger = "
        "\"l.ledger\"\n" +
            more + "[tables.t]\nsource = \"" + source + "\"\nkey = \"who\"\n",
        (folder_ / "p.toml").string(), folder_.string());
    EXPECT_TRUE(read) << read.error().text();
    return *read;
  }
};

TEST_F(Terms, LimitsAreThoseOfThePolicy) {
  const auto terms =
      terms_of(policy("t.csv", "max_epsilon_per_query = 0.25\nmax_delta_per_query = 0.125\n"));
  ASSERT_TRUE(terms) << terms.error().text();
  EXPECT_EQ(terms->epsilon, 1);
  EXPECT_EQ(terms->delta, Rational(1, 2));
  EXPECT_EQ(terms->max_epsilon_per_query, Rational(1, 4));
  EXPECT_EQ(terms->max_delta_per_query, Rational(1, 8));
}

// One file has one budget, whatever link leads to it.
TEST_F(Terms, AFileHasOneNameWhateverLeadsToIt) {
  std::filesystem::create_directories(folder_ / "there");
  std::filesystem::create_symlink(folder_ / "t.csv", folder_ / "there" / "link.csv");
  const auto sources = [&](const char* source) {
    const auto terms = terms_of(policy(source));
    EXPECT_TRUE(terms) << terms.error().text();
    return terms->sources;
  };
  const auto named = sources("t.csv");
  ASSERT_FALSE(named.empty());
  for (const char* other : {"there/link.csv", "there/../t.csv", "./t.csv"}) {
    const auto found = sources(other);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const auto& one) {
      return std::find(named.begin(), named.end(), one) != named.end();
    })) << other;
  }
}

// Events are all that is charged, in δ as in ε.
TEST_F(Terms, EventsAreAllThatIsCharged) {
  const auto made =
      plan(std::string(plan::testing::kRanges) + "max_groups = 3\nmax_rows_per_group = 2\n",
           "SELECT n, COUNT(*), SUM(x), MEDIAN(x, method => 'smooth') FROM t GROUP BY n", "1e-3");
  ASSERT_TRUE(made) << made.error().text();
  const ledger::Request request = request_of(policy("t.csv"), *made, "ana", {});
  EXPECT_EQ(request.analyst, "ana");
  EXPECT_EQ(request.epsilon, made->cost.epsilon);
  EXPECT_EQ(request.delta, made->cost.delta);
  Rational epsilon = 0, delta = 0;
  for (const auto& event : request.events) {
    epsilon += event.epsilon;
    delta += event.delta;
  }
  EXPECT_EQ(epsilon, request.epsilon);
  EXPECT_EQ(delta, request.delta);
  EXPECT_GT(delta, 0);
}

// An answer is given again only where it would be the same: as it is presented, of the data as they
// are; and what a survey tells is found by its texts.
TEST_F(Terms, WhatMakesAnAnswerIsInTheText) {
  const auto made = plan(std::string(plan::testing::kTypes), "SELECT SUM(n) FROM t");
  ASSERT_TRUE(made) << made.error().text();
  const policy::Policy of = policy("t.csv");
  const ledger::Request request = request_of(of, *made, "ana", {});
  EXPECT_NE(request.plan, request_of(of, *made, "ana", {.nonnegative = true}).plan);
  EXPECT_NE(request.plan, request_of(of, *made, "ana", {.confidence = Rational(1, 2)}).plan);
  ASSERT_EQ(request.tells.size(), 2u);
  EXPECT_EQ(request.tells[0], made->parts[0].survey->counts[0].key);
  std::ofstream(folder_ / "t.csv", std::ios::app) << "1,2,3,4\n";
  EXPECT_NE(request.source_stamp, request_of(of, *made, "ana", {}).source_stamp);
}

}  // namespace
}  // namespace discreet::service
