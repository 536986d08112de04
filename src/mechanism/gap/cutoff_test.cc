// The histogram's and the selections' guarantees, from exact distributions of every small case,
// both ways; and the thresholds of the deck and of continuous noise, which the same comparison
// catches.
#include "discreet/mechanism/gap/cutoff.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/mechanism/gap/testing/joint.h"
#include "discreet/mechanism/gap/truncated_histogram.h"
#include "discreet/mechanism/testing/privacy_check.h"

namespace discreet::mechanism::gap {
namespace {

using mechanism::testing::delta_above;
using mechanism::testing::delta_below;
using mechanism::testing::kBits;

Rational number(const char* text) { return *parse_number(text, Rounding::kDown); }

TruncatedHistogram make(const char* epsilon, const char* delta, std::int64_t bins = 1,
                        privacy::Relation relation = privacy::Relation::kAddRemove) {
  return *TruncatedHistogram::create({number(epsilon), number(delta), bins, relation});
}

// Not shown, shown as t, t+1, …, and everything beyond.
std::vector<Ball> outcomes(const Cutoff& cutoff, std::int64_t units, std::int64_t most) {
  std::vector<Ball> out{sub(Ball(1), cutoff.keep(units, kBits), kBits)};
  Ball rest = cutoff.keep(units, kBits);
  for (std::int64_t shown = cutoff.threshold(); shown <= most; ++shown) {
    out.push_back(cutoff.mass(units, shown, kBits));
    rest = sub(rest, out.back(), kBits);
  }
  out.push_back(rest);
  return out;
}

// The worst δ(ε) over n = 0 … 40 units and one more.
struct Worst {
  double above = 0, below = 0;
};
Worst worst(const Cutoff& cutoff, const Rational& epsilon) {
  Worst out;
  const std::int64_t most = cutoff.threshold() + 60;
  for (std::int64_t n = 0; n < 40; ++n) {
    const auto p = outcomes(cutoff, n, most), q = outcomes(cutoff, n + 1, most);
    out.above = std::max(out.above, delta_above(p, q, epsilon));
    out.below = std::max(out.below, delta_below(p, q, epsilon));
  }
  return out;
}

constexpr const char* kEpsilons[] = {"0.1", "0.5", "ln(2)", "1", "3", "10"};
constexpr const char* kDeltas[] = {"1e-9", "1e-6", "1e-3", "0.02", "0.1", "0.4"};

TEST(Cutoff, AHistogramIsPrivateExactly) {
  for (const char* epsilon : kEpsilons)
    for (const char* delta : kDeltas)
      EXPECT_LE(worst(make(epsilon, delta).cutoff(), number(epsilon)).above,
                to_double(number(delta), Rounding::kUp))
          << epsilon << " " << delta;
}

// Twin 1: the threshold at T, as if the unit that comes didn't count itself. T ≥ 1 is there in any
// case: at ε = 10 it is more than δ asks for, and T alone (1) shows one unit half the time.
TEST(Cutoff, OneLessIsCaught) {
  for (const char* epsilon : kEpsilons)
    for (const char* delta : kDeltas) {
      const Cutoff right = make(epsilon, delta).cutoff();
      const Cutoff twin(*discrete_laplace(1 / number(epsilon)), right.threshold() - 1);
      EXPECT_GT(worst(twin, number(epsilon)).below, to_double(number(delta), Rounding::kUp))
          << epsilon << " " << delta;
    }
}

// Twin 2: what is right for continuous noise, noisy > 1 + ln(1/(2δ))/ε, with noise on the integers.
// It overshoots wherever the threshold's fraction is large enough, by up to 2/(1+α).
TEST(Cutoff, TheContinuousThresholdIsCaught) {
  int caught = 0;
  double most = 0;
  for (const char* epsilon : {"0.5", "1", "3"})
    for (int i = 1; i <= 40; ++i) {
      const double e = to_double(number(epsilon)), d = std::pow(10, -i / 8.0) / 2;
      const auto at = static_cast<std::int64_t>(std::floor(1 + std::log(1 / (2 * d)) / e)) + 1;
      const Cutoff twin(*discrete_laplace(1 / number(epsilon)), at);
      const double over = worst(twin, number(epsilon)).below / d;
      caught += over > 1 + 1e-9 ? 1 : 0;
      most = std::max(most, over);
      EXPECT_LE(over, 2 / (1 + std::exp(-e)) + 1e-9) << epsilon << " " << d;
    }
  EXPECT_GT(caught, 30);
  EXPECT_GT(most, 1.5);
}

// Twin 3: the deck's noisy > ln(1/δ)/ε. At ε = 3 it shows a single unit with up to e³/(1+e⁻³) times
// δ; at ε = 0.5 it is still within it, but for the integers' overshoot.
TEST(Cutoff, TheDecksThresholdIsCaught) {
  double most = 0;
  for (int i = 1; i <= 40; ++i) {
    const double d = std::pow(10, -i / 8.0) / 2;
    const auto at =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(std::log(1 / d) / 3)) + 1);
    const Cutoff twin(*discrete_laplace(Rational(1, 3)), at);
    most = std::max(most, worst(twin, 3).below / d);
  }
  EXPECT_GT(most, 10);
}

// Twin 4: bins that aren't there get no noise, but all others are shown. No threshold: no privacy.
TEST(Cutoff, NoThresholdIsCaught) {
  const Cutoff twin(*discrete_laplace(1), -50);
  EXPECT_GT(worst(twin, 1).below, 0.99);
}

// A unit in two bins: both change at once, each with its own noise.
TEST(Cutoff, TwoBinsAUnitArePrivateTogether) {
  for (const char* epsilon : {"0.5", "1", "3"})
    for (const char* delta : {"1e-3", "0.02", "0.3"}) {
      const TruncatedHistogram two = make(epsilon, delta, 2);
      const double promised = to_double(number(delta), Rounding::kUp);
      bool one_bin_is_caught = false;
      for (const auto& [a, b] : {std::pair{0, 0}, {0, 1}, {0, 7}, {1, 1}, {6, 7}}) {
        const auto apart = [&](const Cutoff& cutoff, const auto& delta_of) {
          const std::int64_t most = cutoff.threshold() + 12;
          const auto p = testing::joint(outcomes(cutoff, a, most), outcomes(cutoff, b, most));
          const auto q =
              testing::joint(outcomes(cutoff, a + 1, most), outcomes(cutoff, b + 1, most));
          return delta_of(p, q, number(epsilon));
        };
        EXPECT_LE(apart(two.cutoff(), delta_above), promised) << epsilon << " " << delta;
        one_bin_is_caught |= apart(make(epsilon, delta).cutoff(), delta_below) > promised;
      }
      EXPECT_TRUE(one_bin_is_caught) << epsilon << " " << delta;
    }
}

// One replaced: it leaves a bin and enters another.
TEST(Cutoff, AReplacedUnitChangesTwoBins) {
  for (const char* epsilon : {"0.5", "1", "3"})
    for (const char* delta : {"1e-3", "0.02"}) {
      const auto apart = [&](const Cutoff& cutoff, int a, int b, const auto& delta_of) {
        const std::int64_t most = cutoff.threshold() + 12;
        return delta_of(testing::joint(outcomes(cutoff, a, most), outcomes(cutoff, b + 1, most)),
                        testing::joint(outcomes(cutoff, a + 1, most), outcomes(cutoff, b, most)),
                        number(epsilon));
      };
      const double promised = to_double(number(delta), Rounding::kUp);
      const TruncatedHistogram right = make(epsilon, delta, 1, privacy::Relation::kSubstitute);
      bool caught = false;
      const int edge = static_cast<int>(right.threshold());
      for (const int a : {0, 1, edge, edge + 4})
        for (const int b : {0, 1, edge, edge + 4}) {
          EXPECT_LE(apart(right.cutoff(), a, b, delta_above), promised) << epsilon << " " << delta;
          caught |= apart(make(epsilon, delta).cutoff(), a, b, delta_below) > promised;
        }
      EXPECT_TRUE(caught) << epsilon << " " << delta;
    }
}

// T is the least integer ≥ 1 with α^T/(1+α) ≤ δ: figures worked out by hand.
TEST(Cutoff, ThresholdsAsTheFormulaHasThem) {
  EXPECT_EQ(make("1", "1e-6").threshold(), 15);  // ln(10^6/1.3679)/1 = 13.50: T = 14
  // (1/3)/(4/3) is 1/4; but ln(3) was rounded down, and what is above δ by 10^-38 is above δ.
  EXPECT_EQ(make("ln(3)", "0.25").threshold(), 3);
  EXPECT_EQ(make("ln(3)", "0.2500001").threshold(), 2);
  EXPECT_EQ(make("0.5", "0.02").threshold(), 8);  // ln(50/1.60653)/0.5 = 6.87: T = 7
  EXPECT_EQ(make("3", "0.9").threshold(), 2);     // T ≥ 1, whatever δ
}

TEST(Cutoff, UnitsForAProbability) {
  const Cutoff cutoff = make("1", "1e-6").cutoff();
  for (const char* text : {"1e-6", "0.5", "0.95", "0.999999"}) {
    const std::int64_t units = *cutoff.units_for(number(text));
    EXPECT_GE(cutoff.keep(units, kBits).lower(), to_double(number(text), Rounding::kDown));
    if (units > 1) {
      EXPECT_LT(cutoff.keep(units - 1, kBits).upper(), to_double(number(text), Rounding::kUp));
    }
  }
  EXPECT_FALSE(cutoff.units_for(1).has_value());
  EXPECT_FALSE(cutoff.units_for(0).has_value());
}

TEST(Cutoff, RefusesADeltaThatIsNone) {
  for (const Rational& delta : {Rational(0), Rational(1), Rational(-1)})
    EXPECT_FALSE(Cutoff::create(*discrete_laplace(1), delta).has_value());
}

}  // namespace
}  // namespace discreet::mechanism::gap
