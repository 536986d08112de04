#include "discreet/privacy/accountant.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "discreet/base/ball.h"
#include "discreet/privacy/calibrate.h"
#include "discreet/privacy/compose.h"
#include "discreet/privacy/cost.h"
#include "discreet/privacy/expression.h"
#include "discreet/privacy/tradeoff.h"

namespace discreet::privacy {
namespace {

const Rational kDelta(1, 100000);

Event event(std::string_view text) {
  auto out = parse_event(text);
  EXPECT_TRUE(out.has_value()) << text << (out ? "" : out.error().text());
  return *out;
}

double upper(std::string_view text, Accountant accountant, const Rational& delta = kDelta,
             Adjacency adjacency = Adjacency::kAddRemove) {
  auto answer = account_epsilon(event(text), delta, {adjacency, accountant});
  EXPECT_TRUE(answer.has_value()) << text << (answer ? "" : answer.error().text());
  return answer ? answer->value.upper : -1;
}

TEST(Accountant, BasicIsAnExactSum) {
  EXPECT_EQ(upper("dp(epsilon=0.1)*10", Accountant::kBasic, 0), 1.0);
  EXPECT_EQ(upper("compose(dp(epsilon=0.1, delta=1e-6)*10, laplace(scale=10))", Accountant::kBasic),
            1.1);
  EXPECT_TRUE(
      std::isinf(upper("dp(epsilon=0.1, delta=1e-6)*11", Accountant::kBasic)));  // 1.1e-5 > 1e-5
  EXPECT_EQ(
      upper("parallel(laplace(scale=10), laplace(scale=5), laplace(scale=2))", Accountant::kBasic),
      0.5);
  // The double 0.7 is less than 7/10, so what is shown is the next one.
  EXPECT_EQ(upper("parallel(laplace(scale=10), laplace(scale=5), laplace(scale=2))",
                  Accountant::kBasic, kDelta, Adjacency::kSubstitute),
            std::nextafter(0.7, 1));
  // Sampling: ln(1 + q(e^ε−1)).
  EXPECT_NEAR(upper("poisson(0.1, dp(epsilon=1))", Accountant::kBasic),
              std::log1p(0.1 * std::expm1(1.0)), 1e-15);
}

// A unit that is replaced leaves and another comes: twice the sampled ε', and with it (1 + e^ε')δ'.
TEST(Accountant, SamplingUnderSubstitutionIsPaidTwice) {
  const double once = std::log1p(0.1 * std::expm1(1.0));
  for (const char* text : {"poisson(0.1, laplace(scale=1))", "poisson(0.1, dp(epsilon=1))",
                           "poisson(0.1, randomized-response(k=2, epsilon=1))"}) {
    EXPECT_NEAR(upper(text, Accountant::kBasic, 0), once, 1e-14) << text;
    EXPECT_NEAR(upper(text, Accountant::kBasic, 0, Adjacency::kSubstitute), 2 * once, 1e-14)
        << text;
    EXPECT_GE(upper(text, Accountant::kBasic, 0, Adjacency::kSubstitute), 2 * once * (1 - 1e-15));
  }
  const Event sampled = event("poisson(0.1, dp(epsilon=1, delta=0.001))");
  const auto one = *approximate_cost(sampled, Adjacency::kAddRemove),
             replace = *approximate_cost(sampled, Adjacency::kSubstitute);
  EXPECT_EQ(one.delta, Rational(1, 10'000));
  EXPECT_NEAR(to_double(one.epsilon), once, 1e-14);
  EXPECT_EQ(replace.epsilon, Rational(2 * one.epsilon));
  EXPECT_NEAR(to_double(replace.delta), (1 + std::exp(once)) * 1e-4, 1e-16);
  // From above, by exact arithmetic, not only nearly.
  const Ball factor = add(Ball(1), exp(Ball(one.epsilon, 300), 300), 300);
  EXPECT_TRUE(surely_at_most(mul(factor, Ball(one.delta, 300), 300), Ball(replace.delta, 300)));
  // What e^ε' would make of δ is no number to compare any more: all of it.
  EXPECT_EQ(approximate_cost(event("poisson(0.5, dp(epsilon=2000, delta=0.000001))"),
                             Adjacency::kSubstitute)
                ->delta,
            1);
}

// Laplace noise of a unit that adds −1, of nobody and of one that adds 1: an outcome below −1 is
// likelier with the first by e^ε and rarer with the second by e^ε than with nobody. Sampled, their
// ratio is (1 + q(e^ε−1))/(1 + q(e^−ε−1)): more than one sampled ε' pays for, no more than two.
TEST(Accountant, SamplingUnderSubstitutionCostsWhatAMechanismLoses) {
  for (const double rate : {0.01, 0.1, 0.9})
    for (const double epsilon : {0.25, 1.0, 3.0}) {
      const double lost =
          std::log1p(rate * std::expm1(epsilon)) - std::log1p(rate * std::expm1(-epsilon));
      const Event noise{Laplace{Rational(1 / epsilon)}};
      const Event sampled{Poisson{Rational(rate), std::make_shared<Event>(noise)}};
      const auto add = *approximate_cost(sampled, Adjacency::kAddRemove),
                 replace = *approximate_cost(sampled, Adjacency::kSubstitute);
      EXPECT_LE(lost, to_double(replace.epsilon) * (1 + 1e-12)) << rate << ' ' << epsilon;
      EXPECT_GT(lost, to_double(add.epsilon)) << rate << ' ' << epsilon;  // the twin: paid once
    }
}

TEST(Accountant, TheRhoOfEveryEvent) {
  // Bun and Steinke 2016: Propositions 1.6 (Gaussian) and 1.4 (pure DP); Cesar and Rogers 2021 for
  // mechanisms of bounded range.
  const struct {
    const char* text;
    Rational rho;
  } cases[] = {
      {"gaussian(sigma=2, sensitivity=3)", Rational(9, 8)},
      {"discrete-gaussian(sigma=2, sensitivity=3)", Rational(9, 8)},
      {"laplace(scale=2, sensitivity=3)", Rational(9, 8)},
      {"discrete-laplace(scale=2, sensitivity=3)", Rational(9, 8)},
      {"randomized-response(k=4, epsilon=0.5)", Rational(1, 8)},
      {"dp(epsilon=0.5)", Rational(1, 8)},
      {"exponential(epsilon=0.5)", Rational(1, 32)},
      {"zcdp(rho=0.25)", Rational(1, 4)},
      {"exponential(epsilon=0.5)*6", Rational(3, 16)},
      {"compose(exponential(epsilon=1), gaussian(sigma=1))", Rational(5, 8)},
  };
  for (const auto& c : cases)
    EXPECT_EQ(*concentrated_cost(event(c.text), Adjacency::kAddRemove), c.rho) << c.text;
}

// Every time an event happens, its δ is lost.
TEST(Accountant, RenyiPaysTheDeltaOfEveryEvent) {
  EXPECT_TRUE(std::isfinite(upper("dp(epsilon=0.1, delta=1e-6)*9", Accountant::kRdp)));
  EXPECT_TRUE(std::isinf(upper("dp(epsilon=0.1, delta=1e-6)*11", Accountant::kRdp)));
  const auto answer = account_delta(event("dp(epsilon=0.1, delta=0.0001)*10"), 5,
                                    {Adjacency::kAddRemove, Accountant::kRdp});
  ASSERT_TRUE(answer.has_value());
  EXPECT_GE(answer->value.upper, 1e-3);
  EXPECT_NEAR(answer->value.upper, 1e-3, 1e-5);
}

TEST(Accountant, AdvancedIsDworkRothblumVadhan) {
  // Dwork, Rothblum and Vadhan 2010, Theorem III.3: √(2k ln(1/δ'))ε + kε(e^ε−1) at kδ + δ'.
  EXPECT_NEAR(upper("dp(epsilon=0.1)*100", Accountant::kAdvanced),
              std::sqrt(200 * std::log(1e5)) * 0.1 + 10 * std::expm1(0.1), 1e-9);
  EXPECT_NEAR(upper("dp(epsilon=0.1, delta=1e-8)*100", Accountant::kAdvanced),
              std::sqrt(200 * std::log(1 / 9e-6)) * 0.1 + 10 * std::expm1(0.1), 1e-9);
}

TEST(Accountant, OptimalIsKairouzOhViswanath) {
  // Theorem 3.3, 30 × (1, 0.001): ((k−2i)ε, 1−(1−δ)^k(1−δ_i)), δ_i = Σ_{l<i} C(k,l)(e^{(k−l)ε} −
  // e^{(k−2i+l)ε})/(1+e^ε)^k, for every i.
  for (int i = 1; i <= 15; ++i) {
    long double sum = 0, choose = 1;
    for (int l = 0; l < i; ++l) {
      sum += choose * (std::exp(static_cast<long double>(30 - l)) -
                       std::exp(static_cast<long double>(30 - 2 * i + l)));
      choose = choose * (30 - l) / (l + 1);
    }
    const long double delta_i = sum / std::pow(1 + std::exp(1.0L), 30.0L),
                      expected = 1 - std::pow(0.999L, 30.0L) * (1 - delta_i);
    auto answer = account_delta(event("dp(epsilon=1, delta=0.001)*30"), Rational(30 - 2 * i),
                                {Adjacency::kAddRemove, Accountant::kOptimal});
    ASSERT_TRUE(answer.has_value());
    EXPECT_NEAR(answer->value.upper, static_cast<double>(expected), 1e-10) << i;
  }
  EXPECT_FALSE(account_epsilon(event("compose(dp(epsilon=1), dp(epsilon=2))"), kDelta,
                               {Adjacency::kAddRemove, Accountant::kOptimal})
                   .has_value());
}

TEST(Accountant, RefusalsNameTheAccountantAndTheEvent) {
  const struct {
    Accountant accountant;
    const char* text;
  } cases[] = {
      {Accountant::kBasic, "gaussian(sigma=1)"},
      {Accountant::kAdvanced, "zcdp(rho=1)"},
      {Accountant::kOptimal, "rdp(alpha=2, epsilon=1)"},
      {Accountant::kZcdp, "poisson(0.1, gaussian(sigma=1))"},
      {Accountant::kZcdp, "dp(epsilon=1, delta=0.000001)"},
      {Accountant::kGdp, "laplace(scale=1)"},
      {Accountant::kGdp, "poisson(0.1, gaussian(sigma=1))"},
      {Accountant::kGdp, "discrete-gaussian(sigma=1)"},
      {Accountant::kPld, "zcdp(rho=1)"},
  };
  for (const auto& c : cases) {
    const auto answer =
        account_epsilon(event(c.text), kDelta, {Adjacency::kAddRemove, c.accountant});
    ASSERT_FALSE(answer.has_value()) << c.text;
    EXPECT_EQ(answer.error().message,
              "the " + std::string(name_of(c.accountant)) + " accountant can't handle " + c.text);
    EXPECT_EQ(answer.error().code, Code::kUsage);
  }
}

TEST(Accountant, TheDefaultIsPldElseTheTightest) {
  EXPECT_EQ(account_epsilon(event("laplace(scale=1)"), kDelta, {})->accountant, Accountant::kPld);
  EXPECT_EQ(account_delta(event("zcdp(rho=0.05)"), Rational(1, 4), {})->accountant,
            Accountant::kZcdp);
  EXPECT_NEAR(account_delta(event("zcdp(rho=0.05)"), Rational(1, 4), {})->value.upper, 0.08177275,
              5e-9);
  EXPECT_EQ(account_epsilon(event("rdp(alpha=8, epsilon=0.5)"), kDelta, {})->accountant,
            Accountant::kRdp);
}

TEST(Accountant, BeyondTheLargestLossDeltaIsNothingAndSaysSo) {
  for (const char* text :
       {"poisson(0.1, randomized-response(k=3, epsilon=2))", "discrete-laplace(scale=0.9)",
        "compose(dp(epsilon=0.3), dp(epsilon=0.7))", "discrete-gaussian(sigma=50)*3"}) {
    const auto answer = account_delta(event(text), Rational(6, 5), {});
    ASSERT_TRUE(answer.has_value()) << text;
    EXPECT_LE(answer->value.upper, 1e-100) << text;
    EXPECT_TRUE(answer->met) << text;
  }
}

// Which accountants apply to what, and in which order their answers come.
TEST(Accountant, TighterOnesAreTighter) {
  rc::check("pld ≤ rdp, optimal ≤ advanced, optimal ≤ basic", [] {
    const int count = *rc::gen::inRange(1, 60);
    const double noise = 0.5 + *rc::gen::inRange(0, 1000) / 100.0;
    const std::string laplace =
        "laplace(scale=" + std::to_string(noise) + ")*" + std::to_string(count);
    const double pld = upper(laplace, Accountant::kPld),
                 optimal = upper(laplace, Accountant::kOptimal);
    RC_ASSERT(pld <= upper(laplace, Accountant::kRdp) * (1 + 1e-3));
    RC_ASSERT(pld <= optimal * (1 + 1e-3));
    RC_ASSERT(optimal <= upper(laplace, Accountant::kAdvanced) * (1 + 1e-9));
    RC_ASSERT(optimal <= upper(laplace, Accountant::kBasic) * (1 + 1e-9));
    const std::string sampled =
        "poisson(0.05, gaussian(sigma=" + std::to_string(noise) + "))*" + std::to_string(count);
    RC_ASSERT(upper(sampled, Accountant::kPld) <= upper(sampled, Accountant::kRdp));
    const std::string gaussian =
        "gaussian(sigma=" + std::to_string(noise) + ")*" + std::to_string(count);
    const double gdp = upper(gaussian, Accountant::kGdp);
    RC_ASSERT(gdp == upper(gaussian, Accountant::kPld));
    RC_ASSERT(gdp <= upper(gaussian, Accountant::kZcdp));
    RC_ASSERT(upper(gaussian, Accountant::kZcdp) <= upper(gaussian, Accountant::kRdp) * (1 + 1e-9));
  });
}

TEST(Accountant, MonotoneInEveryParameter) {
  // Each list costs more and more; every accountant that takes the first must agree.
  const std::vector<std::vector<const char*>> chains{
      {"gaussian(sigma=2)", "gaussian(sigma=1.9)", "gaussian(sigma=1.9, sensitivity=1.1)",
       "gaussian(sigma=1.9, sensitivity=1.1)*2"},
      {"laplace(scale=2)", "laplace(scale=1.5)", "laplace(scale=1.5, sensitivity=2)",
       "laplace(scale=1.5, sensitivity=2)*3"},
      {"discrete-gaussian(sigma=3)", "discrete-gaussian(sigma=2)",
       "discrete-gaussian(sigma=2, sensitivity=2)", "discrete-gaussian(sigma=2, sensitivity=2)*2"},
      {"discrete-laplace(scale=3)", "discrete-laplace(scale=2)",
       "discrete-laplace(scale=2, sensitivity=2)", "discrete-laplace(scale=2, sensitivity=2)*2"},
      {"randomized-response(k=20, epsilon=0.5)", "randomized-response(k=2, epsilon=0.5)",
       "randomized-response(k=2, epsilon=0.8)", "randomized-response(k=2, epsilon=0.8)*2"},
      {"exponential(epsilon=0.5)", "exponential(epsilon=0.8)", "exponential(epsilon=0.8)*2"},
      {"dp(epsilon=0.5, delta=1e-7)", "dp(epsilon=0.7, delta=1e-7)", "dp(epsilon=0.7, delta=1e-6)",
       "dp(epsilon=0.7, delta=1e-6)*2"},
      {"zcdp(rho=0.1)", "zcdp(rho=0.2)", "zcdp(rho=0.2)*3"},
      {"rdp(alpha=9, epsilon=0.1)", "rdp(alpha=8, epsilon=0.1)", "rdp(alpha=8, epsilon=0.2)",
       "rdp(alpha=8, epsilon=0.2)*2"},
      {"poisson(0.1, gaussian(sigma=2))*10", "poisson(0.2, gaussian(sigma=2))*10",
       "poisson(0.2, gaussian(sigma=1.5))*10", "poisson(0.2, gaussian(sigma=1.5))*20"},
  };
  for (const auto& chain : chains) {
    for (Accountant accountant : kAccountants) {
      double before = 0;
      for (const char* text : chain) {
        auto answer = account_epsilon(event(text), kDelta, {Adjacency::kAddRemove, accountant});
        if (!answer) break;
        EXPECT_GE(answer->value.upper, before * (1 - 1.1e-3)) << text << ' ' << name_of(accountant);
        before = answer->value.upper;
      }
    }
  }
}

TEST(Accountant, ManyExponentialMechanismsCostNoMoreThanTheirRenyiBound) {
  auto answer = account_epsilon(event("exponential(epsilon=0.343)*10"), Rational(1, 250), {});
  ASSERT_TRUE(answer.has_value());
  EXPECT_LE(answer->value.upper,
            upper("exponential(epsilon=0.343)*10", Accountant::kRdp, Rational(1, 250)));
  EXPECT_LE(answer->value.lower, answer->value.upper);
  EXPECT_GT(answer->value.lower, 0.8 * answer->value.upper);
}

TEST(Calibrate, GivesTheLeastThatHolds) {
  const struct {
    const char* text;
    double epsilon;
  } cases[] = {
      {"gaussian(sigma=?)*20", 1},
      {"poisson(0.01, gaussian(sigma=?))*1000", 1},
      {"laplace(scale=?)*10", 1},
      {"dp(epsilon=?)*10", 1},
      {"zcdp(rho=?)", 1},
      {"poisson(?, gaussian(sigma=1))*100", 2},
      {"rdp(alpha=?, epsilon=0.2)", 1},
  };
  for (const auto& c : cases) {
    const auto expression = Expression::parse({c.text});
    const Rational target(c.epsilon);
    const auto found = calibrate(*expression, target, kDelta, {});
    ASSERT_TRUE(found.has_value()) << c.text << found.error().text();
    const auto at = account_delta(*expression->at(found->value), target, {});
    EXPECT_LE(at->value.upper, 1e-5) << c.text;
    const Rational worse =
        found->value * (expression->unknown()->protects ? Rational(99, 100) : Rational(101, 100));
    const auto past = account_delta(*expression->at(worse), target, {});
    EXPECT_GT(past->value.upper, 1e-5) << c.text << ' ' << found->value.get_d();
  }
}

TEST(Calibrate, ClosedFormsToTwelveDigits) {
  // Balle and Wang 2018: σ for (1, 1e-5) is 3.730631634815942 (40-digit arithmetic); twenty of them
  // √20 times that.
  const auto found = calibrate(*Expression::parse({"gaussian(sigma=?)*20"}), 1, kDelta, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->value.get_d(), 3.730631634815942 * std::sqrt(20), 1e-10);
  EXPECT_EQ(calibrate(*Expression::parse({"laplace(scale=?)*3"}), 1, 0, {})->value, 3);
  EXPECT_EQ(calibrate(*Expression::parse({"laplace(scale=3)*?"}), 1, 0, {})->value, 3);
  EXPECT_EQ(
      calibrate(*Expression::parse({"gaussian(sigma=1)*?"}), Rational(1, 2), kDelta, {})->value, 0);
  EXPECT_EQ(calibrate(*Expression::parse({"poisson(?, dp(epsilon=0.1))"}), 1, kDelta, {})->value,
            1);
  EXPECT_FALSE(calibrate(*Expression::parse({"gaussian(sigma=1)"}), 1, kDelta, {}).has_value());
  EXPECT_FALSE(calibrate(*Expression::parse({"gaussian(sigma=?)"}), 1, 0, {}).has_value());
}

// What loses δ has no pure guarantee, however much noise is beside it.
TEST(Calibrate, NoNoiseMakesUpForADelta) {
  const auto expression = Expression::parse({"laplace(scale=?)", "dp(epsilon=0.1, delta=1e-6)"});
  ASSERT_TRUE(expression.has_value());
  EXPECT_FALSE(calibrate(*expression, 1, 0, {}).has_value());
  EXPECT_TRUE(calibrate(*expression, 1, kDelta, {}).has_value());
}

TEST(Calibrate, CountsAreWhole) {
  const auto expression = Expression::parse({"poisson(0.01, gaussian(sigma=1))*?"});
  const auto found = calibrate(*expression, 2, kDelta, {});
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->value.get_den(), 1);
  EXPECT_LE(account_delta(*expression->at(found->value), 2, {})->value.upper, 1e-5);
  EXPECT_GT(account_delta(*expression->at(found->value + 1), 2, {})->value.upper, 1e-5);
}

TEST(Tradeoff, ClosedForms) {
  // (ε, δ)-DP: max(0, 1−δ−e^ε·fa, e^{−ε}(1−δ−fa)) (spec 1; Wasserman and Zhou 2010).
  const auto dp = Tradeoff::of(event("dp(epsilon=1, delta=0.01)"), {});
  ASSERT_TRUE(dp.has_value());
  for (const double fa : {0.0, 0.001, 0.1, 0.3, 0.7, 0.99, 1.0}) {
    const double expected =
        std::max({0.0, 0.99 - std::exp(1.0) * fa, std::exp(-1.0) * (0.99 - fa)});
    EXPECT_LE(dp->missed(fa), expected + 1e-12) << fa;
    EXPECT_NEAR(dp->missed(fa), expected, 1e-6) << fa;
  }
  // Gaussian DP: Φ(Φ⁻¹(1−fa) − μ) (Dong, Roth and Su 2022); at fa = 1/2 that is Φ(−μ).
  const auto gaussian = Tradeoff::of(event("gaussian(sigma=1)"), {});
  EXPECT_NEAR(gaussian->missed(0.5), 0.15865525393145707, 1e-12);
  EXPECT_NEAR(gaussian->missed(0.001), 0.98170153159345, 1e-11);
  EXPECT_EQ(gaussian->missed(0), 1);
  EXPECT_EQ(gaussian->missed(1), 0);
}

TEST(Tradeoff, FallsAndIsConvex) {
  for (const char* text : {"poisson(0.1, gaussian(sigma=1))*20", "laplace(scale=1)*3",
                           "zcdp(rho=0.3)", "rdp(alpha=5, epsilon=0.4)"}) {
    // The smaller of two directions need not be convex; one direction is.
    const auto curve = Tradeoff::of(event(text), {Adjacency::kRemove, std::nullopt});
    ASSERT_TRUE(curve.has_value()) << text;
    double before = curve->missed(0), slope = -HUGE_VAL;
    for (int i = 1; i <= 20; ++i) {
      const double now = curve->missed(i / 20.0);
      EXPECT_LE(now, before + 1e-12) << text;
      EXPECT_LE(now, 1 - i / 20.0 + 1e-12) << text;  // nobody does worse than guessing
      EXPECT_GE(now - before, slope - 1e-9) << text;
      slope = now - before;
      before = now;
    }
  }
}

TEST(Tradeoff, TheWorseOfBothDirectionsCounts) {
  const char* text = "poisson(0.2, gaussian(sigma=0.7))*3";
  const auto add = Tradeoff::of(event(text), {Adjacency::kAdd, std::nullopt}),
             remove = Tradeoff::of(event(text), {Adjacency::kRemove, std::nullopt}),
             both = Tradeoff::of(event(text), {Adjacency::kAddRemove, std::nullopt});
  ASSERT_TRUE(add.has_value() && remove.has_value() && both.has_value());
  double added = 0, removed = 0;  // by how much each is the worse one, at most
  for (int i = 1; i < 40; ++i) {
    const double fa = i / 40.0, worse = std::min(add->missed(fa), remove->missed(fa));
    EXPECT_NEAR(both->missed(fa), worse, 1e-3) << fa;
    added = std::max(added, remove->missed(fa) - worse);
    removed = std::max(removed, add->missed(fa) - worse);
  }
  EXPECT_GT(added, 0.01);
  EXPECT_GT(removed, 0.01);
}

TEST(Tradeoff, TheProfileIsTrueWhereverItIsDrawn) {
  // A single unweighted transform flattens far above these: its rounding errors drown what is
  // small.
  for (const char* text :
       {"poisson(0.01, gaussian(sigma=1.1))*10000", "laplace(scale=10)*100",
        "discrete-gaussian(sigma=3)*7", "gaussian(sigma=2)", "dp(epsilon=0.1, delta=1e-30)*200"}) {
    for (const double least : {1e-8, 1e-25}) {
      const auto tradeoff = Tradeoff::of(event(text), {}, least);
      ASSERT_TRUE(tradeoff.has_value()) << text;
      const Curve curve = tradeoff->profile();
      const std::size_t count = curve.epsilon.size();
      ASSERT_GT(count, 50) << text;
      EXPECT_GE(curve.delta.back(), least) << text;
      EXPECT_LT(curve.delta.back(), 3 * least) << text;
      for (std::size_t i = 0; i < count; i += count / 20) {
        // The grid is made for an ε good to a thousandth.
        const auto at = account_delta(event(text), Rational(curve.epsilon[i]), {}),
                   before = account_delta(event(text), Rational(0.999 * curve.epsilon[i]), {});
        EXPECT_GE(curve.delta[i], at->value.lower) << text << ' ' << curve.epsilon[i];
        EXPECT_LE(curve.delta[i], 1.02 * before->value.upper) << text << ' ' << curve.epsilon[i];
      }
    }
  }
}

}  // namespace
}  // namespace discreet::privacy
