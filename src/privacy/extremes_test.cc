// What is out of all proportion: answers that once hung, crashed or were wrong, and a bound on the
// work of every other. Work is counted, not timed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "discreet/privacy/accountant.h"
#include "discreet/privacy/calibrate.h"
#include "discreet/privacy/expression.h"
#include "discreet/privacy/renyi.h"

namespace discreet::privacy {
namespace {

const Rational kDelta(1, 100000);

Result<Answer> epsilon_of(const std::string& text, const Rational& delta = kDelta,
                          const AccountOptions& options = {}) {
  auto event = parse_event(text);
  if (!event) return forward_error(event);
  return account_epsilon(*event, delta, options);
}

TEST(Extremes, GaussiansOfAnySize) {
  // ε ≈ μ²/2 + μ·Φ⁻¹(1−δ): at μ² = 10^30 and 10^18 the first term is nearly all of it.
  const double many = epsilon_of("gaussian(sigma=1)*10^30")->value.upper;
  EXPECT_NEAR(many / 5e29, 1, 1e-13);
  const Interval narrow = epsilon_of("gaussian(sigma=1e-9)")->value;
  EXPECT_NEAR((narrow.upper - 5e17) / 1e9, 4.2648907939, 1e-6);  // Φ⁻¹(1 − 1e-5)
  EXPECT_LE(narrow.lower, narrow.upper);
  EXPECT_TRUE(std::isinf(epsilon_of("gaussian(sigma=1e-150)*10^300")->value.upper));
  EXPECT_EQ(epsilon_of("gaussian(sigma=1e150)")->value.upper, 0);
}

TEST(Extremes, NoDivergenceIsZeroForWantOfDigits) {
  const double orders[] = {1.001, 1.5, 2.5, 1000};
  for (const char* text :
       {"discrete-gaussian(sigma=1e-9)", "discrete-gaussian(sigma=1e-100)", "laplace(scale=1e-100)",
        "discrete-laplace(scale=1e-100)", "exponential(epsilon=1e100)",
        "randomized-response(k=2, epsilon=1e100)", "poisson(1e-9, gaussian(sigma=1e-10))"}) {
    const auto values = renyi(*parse_event(text), orders, Adjacency::kAddRemove);
    ASSERT_TRUE(values.has_value()) << text;
    for (const double value : *values) EXPECT_GT(value, 1e5) << text;
  }
  EXPECT_GT(epsilon_of("discrete-gaussian(sigma=1e-9)")->value.upper, 1e17);
  // … and tiny ones keep their digits: D_2 of e^±ε is close to ε².
  const double two[] = {2};
  const auto tiny = renyi(*parse_event("dp(epsilon=1e-60)"), two, Adjacency::kAddRemove);
  EXPECT_NEAR((*tiny)[0] / 1e-120, 1, 1e-9);
}

TEST(Extremes, LowerEndsStayBelowEveryUpperBound) {
  // Rounding errors that were undone with their weight once put the third's lower end at 7.74.
  for (const char* text :
       {"poisson(1e-6, gaussian(sigma=0.3))*10^5", "poisson(1e-4, gaussian(sigma=0.4))*10^5",
        "poisson(1e-6, gaussian(sigma=0.3))*10^6", "poisson(0.001, gaussian(sigma=0.617))*1000",
        "poisson(0.5, laplace(scale=0.1))*400"}) {
    const Event event = *parse_event(text);
    for (const Adjacency adjacency : {Adjacency::kAdd, Adjacency::kRemove}) {
      PldOptions little;
      little.most_work = 5e8;
      const auto pld = pld_epsilon(event, kDelta, adjacency, little);
      AccountOptions options;
      options.adjacency = adjacency;
      options.accountant = Accountant::kRdp;
      const auto rdp = account_epsilon(event, kDelta, options);
      ASSERT_TRUE(pld && rdp) << text;
      EXPECT_LE(pld->value.lower, pld->value.upper) << text;
      EXPECT_LE(pld->value.lower, rdp->value.upper) << text;
    }
  }
}

TEST(Extremes, NarrowWhereOthersAre) {
  // dp_accounting 0.6, connect-the-dots, pessimistic and optimistic at interval 1e-4: 4.18e-10 and
  // 4.02e-10.
  const auto heavy =
      account_delta(*parse_event("poisson(0.001, gaussian(sigma=0.617))*1000"), 4, {});
  EXPECT_TRUE(heavy->met);
  EXPECT_LE(heavy->value.upper, 4.19e-10);
  EXPECT_GE(heavy->value.lower, 4.02e-10);
  // A sum of 10^9 losses of 10^-8 each.
  AccountOptions coarse;
  coarse.tolerance = 2e-3;
  const auto many = epsilon_of("poisson(1e-6, gaussian(sigma=100))*10^9", kDelta, coarse);
  EXPECT_TRUE(many->met);
  EXPECT_GT(many->value.lower, 0.00046);
  // Losses near the largest one.
  const auto top = account_delta(*parse_event("poisson(0.999, laplace(scale=1.339))"),
                                 Rational(7463, 10000), {});
  EXPECT_LE(top->value.upper - top->value.lower, 1e-3 * top->value.upper);
  EXPECT_LT(top->value.upper, 1e-5);
  // dp_accounting 0.6's RDP accountant over its own orders: 0.168.
  AccountOptions rdp;
  rdp.accountant = Accountant::kRdp;
  EXPECT_LT(epsilon_of("poisson(0.002927, gaussian(sigma=1.827))*58", Rational(22, 1000000), rdp)
                ->value.upper,
            0.168);
}

TEST(Extremes, WorkIsBounded) {
  std::string many = "compose(";
  for (int i = 0; i < 200; ++i)
    many += fmt::format("{}poisson(0.01, gaussian(sigma={}))", i == 0 ? "" : ", ", 1 + 0.001 * i);
  for (const std::string& text :
       {many + ")", std::string("poisson(1e-6, gaussian(sigma=0.3))*10^9")}) {
    const Event event = *parse_event(text);
    PldOptions options;
    options.tolerance = 1e-9;
    options.most_work = 3e8;
    const auto little = pld_epsilon(event, kDelta, Adjacency::kRemove, options);
    ASSERT_TRUE(little.has_value());
    EXPECT_FALSE(little->met);
    EXPECT_LE(little->work, 2 * options.most_work) << text;
    // The twin: without the bound the same question does more.
    options.most_work = 1e9;
    const auto more = pld_epsilon(event, kDelta, Adjacency::kRemove, options);
    EXPECT_GT(more->work, 3e8) << text;
    EXPECT_LE(more->work, 2 * options.most_work) << text;
    EXPECT_LE(little->value.lower, more->value.upper);
    EXPECT_GE(little->value.upper, more->value.lower);
  }
}

TEST(Extremes, NestingLengthAndNumbersHaveLimits) {
  const auto refusal = [](const std::string& text) {
    const auto event = parse_event(text);
    return event ? std::string() : event.error().message.text();
  };
  const auto repeated = [](const std::string& piece, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += piece;
    return out;
  };
  EXPECT_EQ(refusal("laplace(scale=1)" + repeated("*2", 60)), "");
  EXPECT_NE(refusal("laplace(scale=1)" + repeated("*10", 30000)).find("at most 64 levels"),
            std::string::npos);
  EXPECT_EQ(refusal(repeated("compose(", 60) + "laplace(scale=1)" + repeated(")", 60)), "");
  EXPECT_NE(refusal(repeated("compose(", 30000) + "laplace(scale=1)").find("at most 64 levels"),
            std::string::npos);
  const std::string one = "laplace(scale=1), ";
  EXPECT_EQ(refusal("compose(" + repeated(one, 9000) + "laplace(scale=1))"), "");
  EXPECT_NE(refusal("compose(" + repeated(one, 10000) + "laplace(scale=1))").find("10000 events"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(1'000'001, ' ') + "laplace(scale=1)").find("1000000 characters"),
            std::string::npos);
  EXPECT_EQ(refusal("laplace(scale=1)*10^300"), "");
  EXPECT_NE(refusal("laplace(scale=1)*10^200*10^200").find("10^300"), std::string::npos);
  EXPECT_EQ(refusal("laplace(scale=1e-150)"), "");
  EXPECT_NE(refusal("laplace(scale=1e-151)").find("from 10^-150 to 10^150"), std::string::npos);
  EXPECT_NE(refusal("poisson(1e-400, gaussian(sigma=1))").find("10^-150"), std::string::npos);
}

TEST(Extremes, NothingIsLostWhereNothingDependsOnTheData) {
  for (const char* text : {"laplace(scale=1, sensitivity=0)*5", "gaussian(sigma=1, sensitivity=0)",
                           "exponential(epsilon=0)*10^9", "poisson(0, gaussian(sigma=1))*3",
                           "parallel(dp(epsilon=0), laplace(scale=2)*0)"}) {
    const auto answer = epsilon_of(text, 0);
    ASSERT_TRUE(answer.has_value()) << text;
    EXPECT_EQ(answer->value.upper, 0) << text;
  }
}

TEST(Extremes, CalibrationFarOut) {
  const auto expression = *Expression::parse({"poisson(0.01, gaussian(sigma=?))*1000"});
  Rational delta(1);
  for (int i = 0; i < 30; ++i) delta /= 10;
  const auto found = calibrate(expression, 1000, delta, {});
  ASSERT_TRUE(found.has_value());
  const auto back = account_delta(*expression.at(found->value), 1000, {});
  EXPECT_LE(Rational(back->value.upper), delta);
  const auto less = account_delta(*expression.at(found->value * Rational(99, 100)), 1000, {});
  EXPECT_GT(Rational(less->value.lower), delta);
}

}  // namespace
}  // namespace discreet::privacy
