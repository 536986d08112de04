#include "discreet/ledger/account.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "discreet/ledger/testing/places.h"
#include "discreet/privacy/concentrated.h"

namespace discreet::ledger {
namespace {

using testing::ask;
using testing::rational;

// What the limit promises, against the truth for Gaussian noise: δ(ε) of N(0,σ²) with ρ = 1/(2σ²)
// stays below δ/2. The twin, which takes ε²/2 for ρ(ε, δ/2), does not.
TEST(Account, ZcdpLimitHoldsForTheGaussian) {
  const auto gaussian_delta = [](double rho, double epsilon) {
    const double mu = std::sqrt(2 * rho);
    const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
    return phi(mu / 2 - epsilon / mu) - std::exp(epsilon) * phi(-mu / 2 - epsilon / mu);
  };
  const Limit limit = *make_limit(Accountant::kZcdp, 1, rational("1e-6"));
  EXPECT_LE(gaussian_delta(to_double(limit.rho, Rounding::kUp), 1), 5e-7);
  EXPECT_GT(gaussian_delta(0.5, 1), 5e-7);
}

// ρ is bought with half of δ, and that half pays for the conversion: with all of it the two halves
// would be three. The Gaussian of above lies far below the bound and wouldn't tell.
TEST(Account, ZcdpConvertsWithHalfOfDelta) {
  for (const char* epsilon : {"0.1", "1", "8"})
    for (const char* delta : {"1e-9", "1e-6", "1e-2"}) {
      const Limit limit = *make_limit(Accountant::kZcdp, rational(epsilon), rational(delta));
      EXPECT_EQ(limit.rho, privacy::concentrated_rho(rational(epsilon), rational(delta) / 2));
      // The twin.
      const Rational all = privacy::concentrated_rho(rational(epsilon), rational(delta));
      EXPECT_GT(privacy::concentrated_epsilon(all, rational(delta) / 2), rational(epsilon));
    }
}

TEST(Account, CostsOfParts) {
  Request request = ask("1", "1e-6");
  request.events = {{"laplace(scale=2)", rational("1/2"), 0, {}},
                    {"gaussian(sigma=10)", rational("1/2"), rational("1e-6"), rational("1/200")},
                    {"dp(epsilon=0.1,delta=1e-9)", rational("0.1"), rational("1e-9"), {}}};
  const Sums cost = *cost_of(request);
  EXPECT_EQ(cost.epsilon, 1);
  EXPECT_EQ(cost.rho, rational("1/8") + rational("1/200") + rational("0.005"));
  EXPECT_EQ(cost.part_delta, rational("1e-9")) << "a Gaussian has no δ of its own in zCDP";
  request.events.clear();
  EXPECT_EQ(cost_of(request)->rho, rational("1/2"));
  EXPECT_EQ(cost_of(request)->part_delta, rational("1e-6"));
}

// No event pays for another.
TEST(Account, NegativeCostsAreRefused) {
  const auto is_taken = [](const Event& event) {
    Request request = ask("1", "1e-6");
    request.events = {event, {"laplace(scale=2)", rational("1/2"), 0, {}}};
    return cost_of(request).has_value();
  };
  const Rational some = rational("1e-9");
  EXPECT_TRUE(is_taken({"", some, some, some}));
  EXPECT_FALSE(is_taken({"", -some, some, some}));
  EXPECT_FALSE(is_taken({"", some, -some, some}));
  EXPECT_FALSE(is_taken({"", some, some, Rational(-some)}));
  EXPECT_FALSE(is_taken({"", some, -some, {}}));
}

TEST(Account, BadLimitsAreRefused) {
  EXPECT_FALSE(make_limit(Accountant::kApprox, 0, 0));
  EXPECT_FALSE(make_limit(Accountant::kApprox, 1, 1));
  EXPECT_FALSE(make_limit(Accountant::kApprox, 1, -1));
  EXPECT_FALSE(make_limit(Accountant::kZcdp, 1, 0));
  EXPECT_EQ(make_limit(Accountant::kPure, 1, rational("1e-6"))->delta, 0);
}

TEST(Account, ShortTexts) {
  EXPECT_EQ(short_text(rational("0.1"), Rounding::kUp), "0.1");
  EXPECT_EQ(short_text(rational("1e-6"), Rounding::kDown), "1e-06");
  EXPECT_EQ(short_text(rational("1/3"), Rounding::kDown), "0.333333");
  EXPECT_EQ(short_text(rational("1/3"), Rounding::kUp), "0.333334");
  EXPECT_EQ(short_text(rational("2/3"), Rounding::kDown), "0.666666");
  EXPECT_EQ(short_text(0, Rounding::kUp), "0");
  EXPECT_EQ(short_text(1500000, Rounding::kUp), "1500000");
}

// Whatever the costs, what is accepted never exceeds the budget, and what is left is exactly what
// still fits.
RC_GTEST_PROP(Account, SumsAreExact, (const std::vector<std::uint16_t>& parts)) {
  const Limit limit = *make_limit(Accountant::kApprox, 1, 0);
  Sums spent;
  for (const std::uint16_t part : parts) {
    const Rational epsilon(1, 7UL + part);
    const Sums cost{epsilon, 0, 0, 0};
    const bool fits = check_fits("it", limit, spent, cost).has_value();
    RC_ASSERT(fits == (spent.epsilon + epsilon <= 1));
    if (fits) spent += cost;
  }
  RC_ASSERT(spent.epsilon <= 1);
  RC_ASSERT(remaining_of(limit, spent).epsilon == 1 - spent.epsilon);
  if (spent.epsilon < 1)
    RC_ASSERT(check_fits("it", limit, spent, {1 - spent.epsilon, 0, 0, 0}).has_value());
}

}  // namespace
}  // namespace discreet::ledger
