#include "discreet/privacy/renyi.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/privacy/convert.h"
#include "discreet/privacy/expression.h"

namespace discreet::privacy {
namespace {

double renyi_of(std::string_view text, double alpha, Adjacency adjacency = Adjacency::kAddRemove) {
  auto value = renyi(*parse_event(text), Rational(alpha), adjacency);
  EXPECT_TRUE(value.has_value()) << text << (value ? "" : value.error().text());
  return value.value_or(-1);
}

struct Known {
  const char* event;
  double alpha;
  Adjacency adjacency;
  double value;
};

// The digits by 25-digit quadrature of ∫P^αQ^{1−α} with mpmath.
TEST(Renyi, SampledGaussianAtWholeAndFractionalOrders) {
  // The mechanism and the whole-order formula: Mironov, Talwar and Zhang 2019, Section 3.3.
  using enum Adjacency;
  const Known known[] = {
      {"poisson(0.01, gaussian(sigma=1.1))", 2.5, kRemove, 0.0001620774093700037},
      {"poisson(0.01, gaussian(sigma=1.1))", 1.01, kRemove, 6.379757193817233e-5},
      {"poisson(0.01, gaussian(sigma=1.1))", 40, kRemove, 11.80567414702743},
      {"poisson(0.01, gaussian(sigma=1.1))", 2.5, kAdd, 0.0001516563449125456},
      {"poisson(0.01, gaussian(sigma=1.1))", 2.5, kSubstitute, 0.000453599888795658},
      {"poisson(0.1, gaussian(sigma=0.6))", 10.3, kRemove, 11.75538066767608},
      {"poisson(0.1, gaussian(sigma=0.6))", 10.3, kAdd, 0.06173030764604065},
      {"poisson(0.1, gaussian(sigma=0.6))", 10.3, kSubstitute, 11.86074118333386},
      {"poisson(0.001, gaussian(sigma=4))", 1.5, kRemove, 4.836925104278302e-8},
      {"poisson(0.5, gaussian(sigma=2))", 4, kRemove, 0.1573682031940248},
  };
  for (const Known& k : known) {
    const double value = renyi_of(k.event, k.alpha, k.adjacency);
    EXPECT_NEAR(value / k.value, 1, 1e-10) << k.event << ' ' << k.alpha;
    EXPECT_GE(value, k.value * (1 - 1e-13)) << k.event << ' ' << k.alpha;
  }
}

TEST(Renyi, WholeOrdersAgreeWithTheBinomialSum) {
  // Mironov, Talwar and Zhang 2019: A_α = Σ C(α,k)(1−q)^{α−k}q^k·e^{(k²−k)/2σ²}.
  const double q = 0.05, sigma = 1.3;
  for (int alpha = 2; alpha <= 60; alpha += 7) {
    long double sum = 0;
    for (int k = 0; k <= alpha; ++k) {
      sum += std::exp(
          std::lgamma(alpha + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(alpha - k + 1.0L) +
          (alpha - k) * std::log1p(-static_cast<long double>(q)) +
          k * std::log(static_cast<long double>(q)) + (k * k - k) / (2.0L * sigma * sigma));
    }
    EXPECT_NEAR(renyi_of("poisson(0.05, gaussian(sigma=1.3))", alpha) /
                    static_cast<double>(std::log(sum) / (alpha - 1)),
                1, 1e-10)
        << alpha;
  }
}

TEST(Renyi, ClosedForms) {
  EXPECT_DOUBLE_EQ(renyi_of("gaussian(sigma=2, sensitivity=3)", 5), 5 * 9 / 8.0);
  // Mironov 2017, Proposition 6 (Laplace) and 5 (randomized response).
  const auto laplace = [](double a, double e) {
    return std::log(a / (2 * a - 1) * std::exp((a - 1) * e) +
                    (a - 1) / (2 * a - 1) * std::exp(-a * e)) /
           (a - 1);
  };
  EXPECT_NEAR(renyi_of("laplace(scale=2)", 3), laplace(3, 0.5), 1e-14);
  const double p = 1 / (1 + std::exp(-1.0));
  EXPECT_NEAR(renyi_of("randomized-response(k=2, epsilon=1)", 3),
              std::log(p * p * p / (1 - p) / (1 - p) + std::pow(1 - p, 3) / p / p) / 2, 1e-14);
  EXPECT_NEAR(renyi_of("zcdp(rho=0.1)", 7), 0.7, 1e-15);
  EXPECT_EQ(renyi_of("rdp(alpha=8, epsilon=0.5)", 7.5), 0.5);
  EXPECT_TRUE(std::isinf(renyi_of("rdp(alpha=8, epsilon=0.5)", 8.5)));
  EXPECT_TRUE(std::isinf(renyi_of("dp(epsilon=1, delta=1e-9)", 2)));
  // Geometric noise at Δ = 1 loses like randomized response.
  EXPECT_NEAR(renyi_of("discrete-laplace(scale=1)", 4.5),
              renyi_of("randomized-response(k=2, epsilon=1)", 4.5), 1e-14);
}

TEST(Renyi, NearOneAndFarOut) {
  // α → 1 is the Kullback-Leibler divergence: ε − 1 + e^{−ε} for Laplace, ε·tanh(ε/2) for
  // randomized response.
  EXPECT_NEAR(renyi_of("laplace(scale=1)", 1 + 1e-9), std::exp(-1.0), 1e-8);
  EXPECT_NEAR(renyi_of("randomized-response(k=2, epsilon=1)", 1 + 1e-9), std::tanh(0.5), 1e-8);
  // α → ∞ is the largest loss.
  EXPECT_NEAR(renyi_of("laplace(scale=1)", 1e9), 1, 1e-6);
  EXPECT_NEAR(renyi_of("poisson(0.1, laplace(scale=1))", 1e4), std::log(1 + 0.1 * std::expm1(1.0)),
              1e-3);
  // The sampled Gaussian far out: αμ²/2 + ln q, from its hill at αμ.
  EXPECT_NEAR(renyi_of("poisson(0.01, gaussian(sigma=1))", 1e6) / 5e5, 1, 1e-4);
  EXPECT_LE(renyi_of("poisson(0.01, gaussian(sigma=1))", 1e6), 5e5 + std::log(0.01) + 1e-3);
}

TEST(Renyi, CountsAreNeverIgnored) {
  for (const char* text :
       {"gaussian(sigma=1)", "laplace(scale=1)", "discrete-gaussian(sigma=1)",
        "discrete-laplace(scale=1)", "randomized-response(k=3, epsilon=1)",
        "exponential(epsilon=1)", "dp(epsilon=1)", "zcdp(rho=1)", "rdp(alpha=9, epsilon=1)",
        "poisson(0.1, gaussian(sigma=1))", "parallel(laplace(scale=1), laplace(scale=2))"}) {
    EXPECT_NEAR(renyi_of(std::string(text) + "*7", 3.3), 7 * renyi_of(text, 3.3), 1e-9) << text;
  }
}

TEST(Renyi, RisesWithTheOrder) {
  for (const char* text :
       {"poisson(0.03, gaussian(sigma=0.9))", "poisson(0.2, laplace(scale=1))",
        "poisson(0.2, compose(laplace(scale=1), gaussian(sigma=2)))", "poisson(0.2, zcdp(rho=0.1))",
        "exponential(epsilon=2)", "poisson(0.1, exponential(epsilon=1))"}) {
    double before = 0;
    for (double alpha : {1.01, 1.5, 2.0, 2.5, 3.0, 5.5, 12.0, 33.3}) {
      const double value = renyi_of(text, alpha);
      EXPECT_GE(value, before * (1 - 1e-9)) << text << ' ' << alpha;
      before = value;
    }
  }
}

TEST(Renyi, ACurveAloneBoundsTheSampledEvent) {
  // What is known only by its curve must not be cheaper than the pair itself.
  for (double alpha : {2.0, 3.0, 6.5, 20.0}) {
    EXPECT_GE(renyi_of("poisson(0.1, zcdp(rho=0.5))", alpha),
              renyi_of("poisson(0.1, gaussian(sigma=1))", alpha) * (1 - 1e-9))
        << alpha;
    EXPECT_LE(renyi_of("poisson(0.1, zcdp(rho=0.5))", alpha), renyi_of("zcdp(rho=0.5)", alpha))
        << alpha;
  }
}

TEST(Renyi, ACurveOfAnyPairCostsAFactorThreeToAdd) {
  // Order 3: (1−q)³ + 3q(1−q)² + 3q²(1−q)e^D + q³e^{2D}, the last term three times for adding
  // (Zhu and Wang 2019, Theorem 5).
  const double q = 0.3, d = 0.8;
  const auto at = [&](double factor) {
    const double sum = std::pow(1 - q, 3) + 3 * q * std::pow(1 - q, 2) +
                       3 * q * q * (1 - q) * std::exp(d) + factor * q * q * q * std::exp(2 * d);
    return std::log(sum) / 2;
  };
  const char* text = "poisson(0.3, rdp(alpha=3, epsilon=0.8))";
  EXPECT_NEAR(renyi_of(text, 3, Adjacency::kRemove), at(1), 1e-11);
  EXPECT_NEAR(renyi_of(text, 3, Adjacency::kAdd), at(3), 1e-11);
  EXPECT_NEAR(renyi_of(text, 3), at(3), 1e-11);
}

TEST(Renyi, DisjointBlocksOfAReplacedUnitAddUp) {
  for (const double alpha : {1.5, 3.0, 20.0}) {
    const double one = renyi_of("laplace(scale=1)", alpha),
                 two = renyi_of("laplace(scale=2)", alpha);
    const char* text = "parallel(laplace(scale=2), laplace(scale=1), laplace(scale=5))";
    EXPECT_EQ(renyi_of(text, alpha), one);
    EXPECT_DOUBLE_EQ(renyi_of(text, alpha, Adjacency::kSubstitute), one + two);
  }
}

TEST(Convert, ASingleOrderIsTightAgainstEveryPairOfCoins) {
  // Asoodeh et al. 2020: the worst pair has two outcomes. Search those that satisfy the Rényi
  // bound; none may exceed δ, and the worst must come close.
  for (const auto& [alpha, gamma, epsilon] :
       {std::tuple(2.0, 0.5, 0.3), std::tuple(5.0, 0.2, 0.1), std::tuple(1.5, 2.0, 1.0),
        std::tuple(10.0, 1.0, 2.0)}) {
    const double bound = single_order_delta(alpha, gamma, epsilon);
    EXPECT_LE(bound, renyi_delta(alpha, gamma, epsilon));
    double worst = 0;
    for (int i = 1; i < 4000; ++i) {
      const double q = std::pow(static_cast<double>(i) / 4000, 3);
      double low = q, high = 1;
      for (int step = 0; step < 60; ++step) {
        const double p = (low + high) / 2;
        const double moment = std::pow(p, alpha) * std::pow(q, 1 - alpha) +
                              std::pow(1 - p, alpha) * std::pow(1 - q, 1 - alpha);
        (std::log(moment) / (alpha - 1) <= gamma ? low : high) = p;
      }
      worst = std::max(worst, low - std::exp(epsilon) * q);
    }
    EXPECT_LE(worst, bound);
    EXPECT_GE(worst, bound * (1 - 1e-3)) << alpha;
  }
}

TEST(Convert, Groups) {
  const Guarantee one{1, Rational(1, 1000000)};
  const Guarantee three = group_guarantee(one, 3);
  EXPECT_EQ(three.epsilon, 3);
  EXPECT_NEAR(three.delta.get_d(), 1e-6 * std::expm1(3.0) / std::expm1(1.0), 1e-18);
  EXPECT_EQ(group_guarantee({0, Rational(1, 10)}, 3).delta, Rational(3, 10));
  EXPECT_EQ(group_guarantee({1, 0}, 1000000).epsilon, 1000000);
  EXPECT_EQ(group_guarantee({100, Rational(1, 1000)}, 1000).delta, 1);
  EXPECT_EQ(group_guarantee(one, 1).epsilon, 1);
}

}  // namespace
}  // namespace discreet::privacy
