#include "discreet/privacy/expression.h"

#include <gtest/gtest.h>

namespace discreet::privacy {
namespace {

std::string read(std::string_view text) {
  const auto event = parse_event(text);
  return event ? describe(*event) : event.error().text();
}

TEST(Expression, ReadsEveryEventAndWritesItBack) {
  for (const char* text : {
           "gaussian(sigma=1.1)",
           "gaussian(sigma=1.1, sensitivity=3)",
           "laplace(scale=1/3)",
           "discrete-gaussian(sigma=2)",
           "discrete-laplace(scale=2, sensitivity=4)",
           "randomized-response(k=4, epsilon=0.5)",
           "exponential(epsilon=1)",
           "dp(epsilon=1, delta=0.000001)",
           "zcdp(rho=0.5)",
           "rdp(alpha=2.5, epsilon=1)",
           "poisson(0.01, gaussian(sigma=1.1))*10000",
           "compose(laplace(scale=1)*3, gaussian(sigma=1))",
           "parallel(laplace(scale=1), poisson(0.5, exponential(epsilon=1)*2))",
       }) {
    EXPECT_EQ(read(text), text);
  }
}

TEST(Expression, IsTolerantOfSpacesAndSpellings) {
  EXPECT_EQ(read("  gaussian ( sigma = 1.1 ,sensitivity=2 ) * 3 "),
            "gaussian(sigma=1.1, sensitivity=2)*3");
  EXPECT_EQ(read("poisson(q=0.01,gaussian(sigma=1))*10^4"),
            "poisson(0.01, gaussian(sigma=1))*10000");
  EXPECT_EQ(read("discrete_gaussian(sigma=2*3)"), "discrete-gaussian(sigma=6)");
  EXPECT_EQ(read("laplace(scale=1)*2*3"), "laplace(scale=1)*2*3");
  EXPECT_EQ(read("laplace(scale=1)*1e3"), "laplace(scale=1)*1000");
}

TEST(Expression, RoundsLogarithmsTowardsAHigherCharge) {
  const auto noise =
      std::get<Laplace>(parse_event("laplace(scale=ln(3), sensitivity=ln(3))")->what);
  EXPECT_LT(noise.scale, noise.sensitivity);
}

TEST(Expression, PointsAtMistakes) {
  EXPECT_EQ(read("poisson(0.01, gausian(sigma=1))"),
            "unknown event 'gausian' (did you mean 'gaussian'?)\n  poisson(0.01, "
            "gausian(sigma=1))\n                ^^^^^^^");
  EXPECT_EQ(read("gaussian(sigm=1)"),
            "gaussian has no parameter 'sigm' (did you mean 'sigma'?)\n  gaussian(sigm=1)\n        "
            "   ^^^^");
  EXPECT_EQ(read("gaussian(sigma=1e)"),
            "sigma: found '1e', which is not a number (write it like 0.5, 1e-6, 1/3 or ln(3))\n  "
            "gaussian(sigma=1e)\n                 ^^");
  EXPECT_EQ(read("gaussian()"),
            "gaussian lacks sigma (write gaussian(sigma=NUMBER, [sensitivity=NUMBER]))\n  "
            "gaussian()\n           ^");
  EXPECT_EQ(read("gaussian(1)"),
            "found '1' in gaussian without the name of a parameter (write gaussian(sigma=NUMBER, "
            "[sensitivity=NUMBER]))\n  gaussian(1)\n           ^");
}

TEST(Expression, RefusesWhatIsNoEvent) {
  for (const char* text : {"",
                           " ",
                           "gaussian",
                           "gaussian(",
                           "gaussian(sigma=1",
                           "gaussian(sigma=1))",
                           "gaussian(sigma=0)",
                           "gaussian(sigma=-1)",
                           "gaussian(sigma=1, sigma=2)",
                           "laplace(scale=1)*",
                           "laplace(scale=1)*1.5",
                           "laplace(scale=1)*-1",
                           "poisson(2, laplace(scale=1))",
                           "poisson(-0.1, laplace(scale=1))",
                           "poisson(0.1)",
                           "poisson(laplace(scale=1))",
                           "discrete-laplace(scale=1, sensitivity=0.5)",
                           "randomized-response(k=1, epsilon=1)",
                           "dp(epsilon=1, delta=2)",
                           "rdp(alpha=1, epsilon=1)",
                           "parallel()",
                           "zcdp(rho=-1)",
                           "laplace(scale=1) laplace(scale=1)",
                           "gaussian(sigma=nan)",
                           "gaussian(sigma=inf)",
                           "gaussian(sigma=?)",
                           "laplace(scale=1)*?"}) {
    const auto event = parse_event(text);
    ASSERT_FALSE(event.has_value()) << text;
    EXPECT_EQ(event.error().code, Code::kUsage) << text;
    EXPECT_FALSE(event.error().text().empty());
  }
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "poisson(0.5, ";
  EXPECT_FALSE(parse_event(deep).has_value());
}

TEST(Expression, KnowsItsUnknown) {
  const auto expression =
      Expression::parse({"laplace(scale=2)", "poisson(?, gaussian(sigma=1))*5"});
  ASSERT_TRUE(expression.has_value());
  EXPECT_EQ(expression->unknown()->name, "q");
  EXPECT_FALSE(expression->unknown()->protects);
  EXPECT_EQ(describe(*expression->at(Rational(1, 4))),
            "compose(laplace(scale=2), poisson(0.25, gaussian(sigma=1))*5)");
  EXPECT_FALSE(expression->at(2).has_value());
  EXPECT_FALSE(Expression::parse({"gaussian(sigma=?)*?"}).has_value());
  EXPECT_TRUE(Expression::parse({"gaussian(sigma=1)*?"})->unknown()->whole);
}

TEST(Event, PartsAreCounted) {
  const auto parts = parts_of(*parse_event(
      "compose(laplace(scale=1)*3, compose(laplace(scale=1), gaussian(sigma=1))*2)*5"));
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].count, 25);  // 5·(3 + 2)
  EXPECT_EQ(parts[1].count, 10);
}

}  // namespace
}  // namespace discreet::privacy
