#include "discreet/service/default_delta.h"

#include <gtest/gtest.h>

namespace discreet::service {
namespace {

Rational of(const char* budget, const char* cap = nullptr) {
  ledger::Balances balances;
  balances.data_set.budget = ledger::Amount{1, *parse_number(budget, Rounding::kDown), {}};
  if (cap) balances.terms.max_delta_per_query = *parse_number(cap, Rounding::kDown);
  return default_delta(balances);
}

TEST(DefaultDelta, IsAHundredthOfTheBudgetsInOneDigit) {
  EXPECT_EQ(to_decimal(of("1e-6")), to_decimal(*parse_number("1e-8", Rounding::kDown)));
  EXPECT_EQ(of("0.9"), Rational(9, 1000));
  EXPECT_EQ(of("0.0099"), Rational(9, 100'000));
  EXPECT_EQ(of("0.00123"), Rational(1, 100'000));
  EXPECT_EQ(of("0.5", "1e-5"), Rational(1, 100'000));
  EXPECT_EQ(of("0.5", "0.7"), Rational(1, 200));
  EXPECT_EQ(of("0"), 0);
  EXPECT_EQ(of("0.5", "0"), 0);
  EXPECT_EQ(default_delta({}), 0);
  // Never more than the hundredth, and at least half of it.
  for (int i = 1; i < 1000; i += 7) {
    const Rational budget = Rational(i) / 1'000'000;
    const Rational taken = of(to_decimal(budget).c_str());
    EXPECT_LE(taken, budget / 100);
    EXPECT_GT(taken * 2, budget / 100);
  }
}

}  // namespace
}  // namespace discreet::service
