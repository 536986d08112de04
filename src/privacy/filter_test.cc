#include "discreet/privacy/filter.h"

#include <gtest/gtest.h>

#include "discreet/privacy/expression.h"

namespace discreet::privacy {
namespace {

Event event(std::string_view text) {
  auto out = parse_event(text);
  EXPECT_TRUE(out.has_value()) << text << (out ? "" : out.error().text());
  return *out;
}

TEST(Filter, TenTenthsAreExactlyOne) {
  Filter filter = *Filter::approximate({1, 0});
  for (const char* text :
       {"dp(epsilon=0.1)", "laplace(scale=10)", "randomized-response(k=3, epsilon=0.1)"}) {
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(filter.spend(event(text)).has_value());
  }
  EXPECT_EQ(*filter.remaining(0), Rational(1, 10));
  EXPECT_TRUE(filter.can_spend(event("dp(epsilon=0.1)")));
  EXPECT_FALSE(filter.can_spend(event("dp(epsilon=0.1000000000000000000000001)")));
  ASSERT_TRUE(filter.spend(event("dp(epsilon=0.1)")).has_value());
  EXPECT_EQ(filter.totals()[0], 1);
  EXPECT_EQ(*filter.remaining(0), 0);
  const Status refused = filter.spend(event("dp(epsilon=0.1)"));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Code::kBudget);
  EXPECT_EQ(refused.error().message,
            "the budget doesn't cover dp(epsilon=0.1, delta=0): epsilon requested is 0.1, "
            "remaining is 0, 0.1 too much");
  EXPECT_EQ(filter.totals()[0], 1);  // a refusal charges nothing
}

TEST(Filter, DeltaIsABudgetToo) {
  Filter filter = *Filter::approximate({10, Rational(1, 1000000)});
  ASSERT_TRUE(filter.spend(event("dp(epsilon=1, delta=1e-7)*10")).has_value());
  EXPECT_FALSE(filter.can_spend(event("dp(epsilon=0, delta=1e-30)")));
  EXPECT_TRUE(filter.can_spend(event("dp(epsilon=0)")));
}

TEST(Filter, ConcentratedTotalsAreRational) {
  Filter filter = *Filter::concentrated(Rational(1, 2));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(filter.spend(event("gaussian(sigma=10)")).has_value());
  EXPECT_EQ(filter.totals()[0], Rational(1, 2));
  EXPECT_FALSE(filter.can_spend(event("zcdp(rho=1e-100)")));
  EXPECT_EQ(*filter.remaining(Rational(1, 100000)), 0);
  // ρ = 1/2 at δ = 1e-5 by Canonne, Kamath and Steinke 2020, Corollary 13, over every
  // order: 4.7284… (60-digit arithmetic).
  EXPECT_NEAR(filter.spent(Rational(1, 100000))->get_d(), 4.72838698, 1e-6);
}

TEST(Filter, GaussiansAreTight) {
  Filter filter = *Filter::gaussian(1);
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(filter.spend(event("gaussian(sigma=2)")).has_value());
  EXPECT_FALSE(filter.can_spend(event("gaussian(sigma=1000000)")));
  // δ(1) = 0.12693673750664 at μ = 1 (Balle and Wang 2018)
  EXPECT_NEAR(filter.spent(*parse_number("0.12693673750664", Rounding::kDown))->get_d(), 1, 1e-11);
  EXPECT_EQ(filter.spend(event("laplace(scale=1)")).error().message,
            "the gdp accountant can't handle laplace(scale=1)");
}

// What remains is shown as no more than it is, what is spent as no less.
TEST(Filter, WhatRemainsIsRoundedDown) {
  const Rational delta(1, 100000);
  Filter rho = *Filter::concentrated(1), order = *Filter::renyi(8, 1);
  ASSERT_TRUE(rho.spend(event("zcdp(rho=0.5)")).has_value());
  ASSERT_TRUE(order.spend(event("rdp(alpha=8, epsilon=0.5)")).has_value());
  for (const Filter& filter : {rho, order}) {
    const Rational spent = *filter.spent(delta), left = *filter.remaining(delta);
    EXPECT_LT(left, spent);  // both are what one half is worth
    EXPECT_GT(left, spent * Rational(999'999'999, 1'000'000'000));
  }
}

TEST(Filter, ChargesByItsOwnRelation) {
  const Event blocks = event("parallel(laplace(scale=2), laplace(scale=4))");
  const Rational half(1, 2), quarter(1, 4);
  Filter one = *Filter::approximate({1, 0}),
         replace = *Filter::approximate({1, 0, Relation::kSubstitute});
  ASSERT_TRUE(one.spend(blocks).has_value());
  ASSERT_TRUE(replace.spend(blocks).has_value());
  EXPECT_EQ(one.totals()[0], half);
  EXPECT_EQ(replace.totals()[0], half + quarter);  // a unit may leave one block for the other
  EXPECT_FALSE(replace.can_spend(blocks));
  EXPECT_TRUE(one.can_spend(blocks));
}

TEST(Filter, OneRenyiOrder) {
  Filter filter = *Filter::renyi(2, 1);
  ASSERT_TRUE(filter.spend(event("gaussian(sigma=1)")).has_value());  // 2·1/2
  EXPECT_FALSE(filter.can_spend(event("gaussian(sigma=1)")));
  EXPECT_FALSE(filter.can_spend(event("dp(epsilon=0, delta=1e-9)")));
}

TEST(Filter, RefusesNonsense) {
  EXPECT_FALSE(Filter::approximate({-1, 0}).has_value());
  EXPECT_FALSE(Filter::approximate({1, 2}).has_value());
  EXPECT_FALSE(Filter::renyi(1, 1).has_value());
  EXPECT_FALSE(Filter::concentrated(-1).has_value());
}

}  // namespace
}  // namespace discreet::privacy
