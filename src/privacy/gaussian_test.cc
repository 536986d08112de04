#include "discreet/privacy/gaussian.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/privacy/hockey_stick.h"

namespace discreet::privacy {
namespace {

TEST(Gaussian, DeltaAtOneDeviation) {
  // Balle and Wang 2018, Theorem 8, at ε = σ = Δ = 1; the digits from 60-digit arithmetic.
  const Ball delta = gaussian_delta(1, 1, 1, 64);
  EXPECT_NEAR(delta.lower(), 0.12693673750664, 1e-14);
  EXPECT_LE(delta.upper() - delta.lower(), 1e-15);
}

TEST(Gaussian, SmallDeltasKeepTheirDigits) {
  // μ = 1/10, ε = 3: both terms agree in their first three digits, and are near 1e-198.
  const Ball delta = gaussian_delta(3, 10, 1, 53);
  EXPECT_GT(delta.lower(), 0);
  EXPECT_LT(delta.upper() / delta.lower(), 1 + 1e-14);
  EXPECT_EQ(gaussian_delta(1, 1, 0, 53).upper(), 0);
}

TEST(Gaussian, SigmaIsTheLeastThatHolds) {
  for (const char* epsilon : {"1/100", "1", "8", "50"}) {
    for (const char* delta : {"1/10", "1/100000", "1/1000000000000000"}) {
      for (const char* sensitivity : {"1", "1/3", "1000000"}) {
        const Rational e(epsilon), d(delta), s(sensitivity);
        const auto sigma = gaussian_sigma(e, d, s);
        ASSERT_TRUE(sigma.has_value());
        EXPECT_TRUE(surely_at_most(gaussian_delta(e, *sigma, s, 64), Ball(d, 128)));
        const Rational less = *sigma * (1 - Rational(1, Integer(1) << 45));
        EXPECT_TRUE(surely_less(Ball(d, 128), gaussian_delta(e, less, s, 64)))
            << epsilon << ' ' << delta;
        EXPECT_LE(mpz_sizeinbase(sigma->get_num_mpz_t(), 2), 49U);
      }
    }
  }
  // The least deviation for (1, 1e-5) and Δ = 1 (Balle and Wang's calibration; the digits from
  // 60-digit arithmetic).
  EXPECT_NEAR(gaussian_sigma(1, Rational(1, 100000), 1)->get_d(), 3.730631634815942, 1e-12);
}

TEST(Gaussian, EpsilonIsBetweenEndsThatHold) {
  for (const char* delta : {"1/10", "1/100000", "1/1000000000000000"}) {
    for (const char* squared : {"1/100", "1/3", "1", "25"}) {
      const Rational d(delta), mu_squared(squared);
      const Enclosure found = gaussian_epsilon(d, mu_squared);
      EXPECT_TRUE(
          surely_at_most(gaussian_delta(Rational(found.upper), mu_squared, 128), Ball(d, 192)))
          << delta << ' ' << squared;
      EXPECT_TRUE(
          found.lower == 0 ||
          surely_at_most(Ball(d, 192), gaussian_delta(Rational(found.lower), mu_squared, 128)))
          << delta << ' ' << squared;
      EXPECT_LE(found.upper - found.lower, found.upper * 1e-14);
    }
  }
}

TEST(Gaussian, SigmaRefusesWhatCannotBe) {
  EXPECT_FALSE(gaussian_sigma(1, 0, 1).has_value());
  EXPECT_FALSE(gaussian_sigma(1, 1, 1).has_value());
  EXPECT_FALSE(gaussian_sigma(-1, Rational(1, 2), 1).has_value());
  EXPECT_FALSE(gaussian_sigma(1, Rational(1, 2), 0).has_value());
}

TEST(HockeyStick, TheCoin) {
  // Deck 001's coin: no outcome loses more than ln(3/2), yet it is (0, 1/6)-DP.
  const double fair[] = {0.5, 0.5}, biased[] = {1 / 3., 2 / 3.};
  EXPECT_NEAR(hockey_stick(fair, biased, 0), 1 / 6., 1e-15);
  EXPECT_NEAR(worst_hockey_stick(fair, biased, 0), 1 / 6., 1e-15);
  const Ball exact_fair[] = {Ball(Rational(1, 2), 64), Ball(Rational(1, 2), 64)};
  const Ball exact_biased[] = {Ball(Rational(1, 3), 64), Ball(Rational(2, 3), 64)};
  const Ball delta = hockey_stick(exact_fair, exact_biased, 0, 64);
  EXPECT_LE(delta.lower(), 1 / 6.);
  EXPECT_GE(delta.upper(), 1 / 6.);
  EXPECT_NEAR(delta.lower(), 1 / 6., 1e-15);
}

// At ε = 1 a fair coin against heads alone: only the fair one shows tails.
TEST(HockeyStick, TheWorseOfBothDirectionsCounts) {
  const Ball half(Rational(1, 2), 64);
  const Ball fair[] = {half, half}, heads[] = {Ball(1), Ball()};
  EXPECT_EQ(hockey_stick(fair, heads, 1, 64).lower(), 0.5);
  EXPECT_EQ(hockey_stick(heads, fair, 1, 64).upper(), 0);
  EXPECT_EQ(worst_hockey_stick(fair, heads, 1, 64).lower(), 0.5);
  EXPECT_EQ(worst_hockey_stick(heads, fair, 1, 64).lower(), 0.5);
  const double p[] = {0.5, 0.5}, q[] = {1, 0};
  EXPECT_EQ(worst_hockey_stick(p, q, 1), 0.5);
  EXPECT_EQ(worst_hockey_stick(q, p, 1), 0.5);
}

TEST(HockeyStick, OutcomesThatOneSideLacks) {
  const double p[] = {0.9, 0.1}, q[] = {1.0};
  EXPECT_NEAR(hockey_stick(p, q, 800), 0.1, 1e-15);  // e^800 is infinite in doubles
  EXPECT_NEAR(hockey_stick(q, p, 0), 0.1, 1e-15);
}

}  // namespace
}  // namespace discreet::privacy
