#include "discreet/privacy/concentrated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/privacy/convert.h"

namespace discreet::privacy {
namespace {

TEST(Concentrated, PublishedValues) {
  // Canonne, Kamath and Steinke 2020, Proposition 12 over every order, at ρ = 0.05 and ε = 0.25.
  const double delta = concentrated_delta(Rational(1, 20), Rational(1, 4));
  EXPECT_NEAR(delta, 0.08177275, 5e-9);
  EXPECT_NEAR(concentrated_epsilon(Rational(1, 20), Rational(delta)), 0.25, 1e-9);
  EXPECT_NEAR(concentrated_epsilon(Rational(1, 2), Rational(1, 100000)), 4.72838698, 1e-6);
}

TEST(Concentrated, IsTheBestRenyiOrder) {
  // Against (α, αρ)-RDP at a thousand orders: none is better, the best is as good.
  for (const double rho : {1e-6, 0.003, 0.05, 0.5, 4.0, 300.0}) {
    for (const double delta : {0.3, 1e-3, 1e-9, 1e-50, 1e-290}) {
      double least = HUGE_VAL;
      for (double t = -12; t <= 24; t += 0.01)
        least = std::min(least, renyi_epsilon(1 + std::exp(t), (1 + std::exp(t)) * rho, delta));
      const double found = concentrated_epsilon(Rational(rho), Rational(delta));
      EXPECT_LE(found, least * (1 + 1e-9)) << rho << ' ' << delta;
      EXPECT_GE(found, least * (1 - 1e-4)) << rho << ' ' << delta;
    }
    for (const double epsilon : {0.0, 0.1, 1.0, 20.0}) {
      double least = 1;
      for (double t = -12; t <= 24; t += 0.01) {
        least = std::min(least, renyi_delta(1 + std::exp(t), (1 + std::exp(t)) * rho, epsilon));
      }
      const double found = concentrated_delta(Rational(rho), Rational(epsilon));
      EXPECT_LE(found, least * (1 + 1e-9) + 1e-300) << rho << ' ' << epsilon;
      EXPECT_GE(found, least * 0.99) << rho << ' ' << epsilon;
    }
  }
}

// The least of (1+m)ρ + (ln factor(m) − ln δ)/m over all m, in long doubles: no ε below it is
// proved.
TEST(Concentrated, EpsilonIsNeverBelowTheBestOrder) {
  for (const double rho : {1e-6, 0.003, 0.05, 0.5, 4.0, 300.0}) {
    for (const double delta : {0.3, 1e-3, 1e-9, 1e-50}) {
      const auto at = [&](long double t) {
        const long double m = std::exp(t);
        const long double factor = m * -std::log1p(1 / m) - std::log1p(m);
        return (1 + m) * rho + (factor - std::log(static_cast<long double>(delta))) / m;
      };
      long double low = -12, high = 24;
      for (int i = 0; i < 300; ++i) {
        const long double one = low + (high - low) / 3, other = high - (high - low) / 3;
        (at(one) < at(other) ? high : low) = at(one) < at(other) ? other : one;
      }
      const double least = std::max(0.0, static_cast<double>(at((low + high) / 2)));
      const double found = concentrated_epsilon(Rational(rho), Rational(delta));
      EXPECT_GE(found, least * (1 - 1e-13)) << rho << ' ' << delta;
      EXPECT_LE(found, least * (1 + 1e-9)) << rho << ' ' << delta;
    }
  }
}

TEST(Concentrated, RhoIsTheLargestThatConverts) {
  for (const Rational& epsilon :
       {Rational(1, 100), Rational(1, 4), Rational(1), Rational(3), Rational(10), Rational(100)}) {
    for (const double d : {0.1, 1e-6, 5e-7, 1e-15, 1e-300}) {
      const Rational delta(d), rho = concentrated_rho(epsilon, delta);
      ASSERT_GT(rho, 0) << epsilon.get_d() << ' ' << d;
      EXPECT_LE(Rational(concentrated_epsilon(rho, delta)), epsilon);
      EXPECT_GT(Rational(concentrated_epsilon(rho * Rational(1000001, 1000000), delta)), epsilon)
          << "a little more would not do";
      // Looser bounds give less: ρ + 2√(ρ ln(1/δ)) ≤ ε (Bun and Steinke 2016, Proposition 1.3).
      const double l = -std::log(d),
                   simple = std::pow(std::sqrt(l + epsilon.get_d()) - std::sqrt(l), 2);
      EXPECT_GE(rho.get_d(), simple * (1 - 1e-9)) << epsilon.get_d() << ' ' << d;
    }
  }
}

TEST(Concentrated, Edges) {
  EXPECT_EQ(concentrated_epsilon(0, 0), 0);
  EXPECT_EQ(concentrated_delta(0, 0), 0);
  EXPECT_TRUE(std::isinf(concentrated_epsilon(1, 0)));
  EXPECT_EQ(concentrated_epsilon(1, 1), 0);
  EXPECT_EQ(concentrated_epsilon(Rational(1, 1000000), Rational(99, 100)), 0);
  EXPECT_LE(concentrated_delta(1000000, 1), 1);
  EXPECT_GE(concentrated_epsilon(1000000, Rational(1, 10)), 1000000);
}

}  // namespace
}  // namespace discreet::privacy
