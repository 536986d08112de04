#include "discreet/mechanism/gap/group_selection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/mechanism/gap/testing/joint.h"
#include "discreet/mechanism/testing/privacy_check.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

using mechanism::testing::delta_above;
using mechanism::testing::delta_below;
using mechanism::testing::kBits;
constexpr SelectionStrategy kAll[] = {SelectionStrategy::kOptimal, SelectionStrategy::kLaplace,
                                      SelectionStrategy::kGaussian};

Rational number(const char* text) { return *parse_number(text, Rounding::kDown); }

std::vector<Ball> coin(const GroupSelection& selection, std::int64_t units) {
  const Ball shown = selection.keep_probability(units, kBits);
  return {shown, sub(Ball(1), shown, kBits)};
}

// The worst δ(ε) where a unit comes to groups of n and of m, …, k of them at once; n, m over a
// list.
struct Worst {
  double above = 0, below = 0;
};
Worst worst(const GroupSelection& selection, int groups, const Rational& epsilon) {
  Worst out;
  const std::int64_t edge = *selection.units_for(Rational(1, 2));
  std::vector<std::int64_t> sizes{0, 1, 2, 3, 5, edge - 1, edge, edge + 2};
  for (const std::int64_t n : sizes)
    for (const std::int64_t m : sizes) {
      std::vector<Ball> p{Ball(1)}, q{Ball(1)};
      for (int i = 0; i < groups; ++i) {
        const std::int64_t size = i % 2 == 0 ? n : m;
        p = testing::joint(p, coin(selection, size));
        q = testing::joint(q, coin(selection, size + 1));
      }
      out.above = std::max(out.above, delta_above(p, q, epsilon));
      out.below = std::max(out.below, delta_below(p, q, epsilon));
    }
  return out;
}

TEST(GroupSelection, IsPrivateExactly) {
  for (const SelectionStrategy strategy : kAll)
    for (const char* epsilon : {"0.1", "0.5", "1", "3"})
      for (const char* delta : {"1e-6", "1e-3", "0.02", "0.3"})
        for (const int groups : {1, 2, 5}) {
          const auto selection =
              GroupSelection::create({number(epsilon), number(delta), strategy, groups});
          ASSERT_TRUE(selection.has_value()) << selection.error().text();
          EXPECT_LE(worst(*selection, groups, number(epsilon)).above,
                    to_double(number(delta), Rounding::kUp))
              << name_of(strategy) << " " << epsilon << " " << delta << " " << groups;
        }
}

// The broken twin of each: made for one group a unit, with units in five. Gaussian noise has half
// of δ to spare, so its twin is made with twice the δ as well.
TEST(GroupSelection, TooManyGroupsAUnitAreCaught) {
  for (const SelectionStrategy strategy : kAll)
    for (const char* epsilon : {"0.1", "1"})
      for (const char* delta : {"1e-6", "0.02"}) {
        const auto twin = *GroupSelection::create({number(epsilon), number(delta), strategy, 1});
        EXPECT_GT(worst(twin, 5, number(epsilon)).below, to_double(number(delta), Rounding::kUp))
            << name_of(strategy) << " " << epsilon << " " << delta;
      }
}

// Nobody alone: exactly what a single unit may cost, at most δ (half of it for gaussian).
TEST(GroupSelection, ASingleUnitIsShownAtMostWithDelta) {
  for (const SelectionStrategy strategy : kAll) {
    const auto selection = *GroupSelection::create({1, Rational(1, 1000), strategy});
    EXPECT_EQ(selection.keep_probability(0, kBits).upper(), 0);
    const double most = strategy == SelectionStrategy::kGaussian ? 5e-4 : 1e-3;
    EXPECT_LE(selection.keep_probability(1, kBits).upper(), most * (1 + 1e-12));
    EXPECT_GT(selection.keep_probability(1, kBits).lower(), most / 3);
  }
}

// Optimal is never below the others where a unit is in one group: that is what the word means.
TEST(GroupSelection, OptimalIsNeverBelow) {
  for (const char* epsilon : {"0.1", "1", "3"})
    for (const char* delta : {"1e-6", "0.02"}) {
      const auto optimal =
          *GroupSelection::create({number(epsilon), number(delta), SelectionStrategy::kOptimal});
      for (const SelectionStrategy strategy :
           {SelectionStrategy::kLaplace, SelectionStrategy::kGaussian}) {
        const auto other = *GroupSelection::create({number(epsilon), number(delta), strategy});
        for (std::int64_t n = 0; n < 300; ++n)
          EXPECT_GE(optimal.keep_probability(n, kBits).upper(),
                    other.keep_probability(n, kBits).lower() - 1e-30)
              << name_of(strategy) << " " << n;
      }
    }
}

// Gaussian noise grows with √k: where units are in many groups it shows smaller ones.
TEST(GroupSelection, GaussianWinsWhereUnitsAreInManyGroups) {
  const auto half = [](SelectionStrategy strategy, std::int64_t groups) {
    return *GroupSelection::create({1, Rational(1, 1'000'000), strategy, groups})
                ->units_for(Rational(1, 2));
  };
  EXPECT_LT(half(SelectionStrategy::kOptimal, 1), half(SelectionStrategy::kGaussian, 1));
  EXPECT_LT(half(SelectionStrategy::kGaussian, 100), half(SelectionStrategy::kOptimal, 100));
  EXPECT_LT(half(SelectionStrategy::kGaussian, 100), half(SelectionStrategy::kLaplace, 100));
}

TEST(GroupSelection, ShowsAsOftenAsItSays) {
  constexpr std::size_t kGroups = 20'000;
  for (const SelectionStrategy strategy : kAll) {
    const auto selection =
        *GroupSelection::create({Rational(1, 2), Rational(1, 100), strategy, 2, 3});
    random::testing::Seeded source(4);
    for (const std::int64_t units : {std::int64_t{2}, *selection.units_for(Rational(1, 10)),
                                     *selection.units_for(Rational(1, 2))}) {
      const auto keys =
          Exact<std::vector<std::string>>::from_private(std::vector<std::string>(kGroups, "x"));
      const auto counts =
          Exact<std::vector<std::int64_t>>::from_private(std::vector<std::int64_t>(kGroups, units));
      const auto shown = selection.release(keys, counts, source);
      const double p = selection.keep_probability(units, kBits).middle();
      EXPECT_NEAR(static_cast<double>(shown->value().size()), p * kGroups,
                  6 * std::sqrt(p * (1 - p) * kGroups))
          << name_of(strategy) << " " << units;
    }
  }
}

TEST(GroupSelection, NeverShowsFewerThanTheLeast) {
  for (const SelectionStrategy strategy : kAll) {
    const auto plain = *GroupSelection::create({1, Rational(1, 1000), strategy}),
               ten = *GroupSelection::create({1, Rational(1, 1000), strategy, 1, 10});
    EXPECT_EQ(ten.keep_probability(9, kBits).upper(), 0);
    for (std::int64_t n = 1; n < 40; ++n)
      EXPECT_EQ(ten.keep_probability(n + 9, kBits).middle(),
                plain.keep_probability(n, kBits).middle());
    EXPECT_EQ(ten.threshold().has_value(), strategy != SelectionStrategy::kOptimal);
    if (ten.threshold()) {
      EXPECT_EQ(*ten.threshold(), *plain.threshold() + 9);
    }
    EXPECT_EQ(*ten.units_for(Rational(1, 2)), *plain.units_for(Rational(1, 2)) + 9);
  }
}

// Figures that Google's differential-privacy library tests its own selection with.
TEST(GroupSelection, OptimalHasThePublishedProbabilities) {
  struct Case {
    const char *epsilon, *delta;
    std::int64_t units;
    double probability;
  };
  for (const Case& c : {Case{"0.5", "0.02", 8, 0.86807080625},
                        {"0.5", "0.02", 15, 1},
                        {"1e-20", "0.02", 6, 0.12},
                        {"1e-20", "0.15", 3, 0.45},
                        {"1e-20", "0.02", 40, 0.8}}) {
    const auto selection = *GroupSelection::create({number(c.epsilon), number(c.delta)});
    EXPECT_NEAR(selection.keep_probability(c.units, kBits).middle(), c.probability, 1e-9);
  }
}

// The same for thresholds, there of continuous noise: L = 1 + ln(k/(2δ))·k/ε. On the integers the
// threshold is above that by less than 1 + ln(2/(1+α))·k/ε.
TEST(GroupSelection, LaplaceThresholdsAreNextToThePublishedOnes) {
  struct Case {
    const char *epsilon, *delta;
    std::int64_t groups;
    double continuous;
  };
  for (const Case& c : {Case{"0.5", "0.02", 1, 7.43775164974},
                        {"ln(3)", "1e-308", 1, 645.907},
                        {"ln(3)", "1e-8", 1, 17.1363},
                        {"ln(3)", "0.1", 1, 2.46497},
                        {"0.01", "2.0894334e-24", 1, 5384.2},
                        {"5", "2.0894334e-24", 1, 11.7664},
                        {"ln(3)", "2.0894334e-24", 2, 100.262},
                        {"ln(3)", "2.0894334e-24", 10, 511.959},
                        {"ln(3)", "2.0894334e-24", 1000, 55288.7}}) {
    const auto selection = *GroupSelection::create(
        {number(c.epsilon), number(c.delta), SelectionStrategy::kLaplace, c.groups});
    const double scale = to_double(*selection.noise_scale());
    const double room = 1 + std::log(2 / (1 + std::exp(-1 / scale))) * scale;
    const auto found = static_cast<double>(*selection.threshold());
    EXPECT_GE(found, c.continuous - 0.06) << c.epsilon << " " << c.delta;
    EXPECT_LE(found, c.continuous + room + 0.06) << c.epsilon << " " << c.delta;
  }
}

TEST(GroupSelection, SaysWhatItAccepts) {
  EXPECT_EQ(strategy_named("laplac").error().text(),
            "strategy: found 'laplac'; accepted is optimal, laplace or gaussian");
  EXPECT_EQ(*strategy_named("gaussian"), SelectionStrategy::kGaussian);
  const auto none =
      GroupSelection::create({.epsilon = 1, .delta = Rational(1, 2), .groups_per_unit = 0});
  EXPECT_EQ(none.error().parameter, "groups-per-unit");
  const auto least =
      GroupSelection::create({.epsilon = 1, .delta = Rational(1, 2), .min_units = 0});
  EXPECT_EQ(least.error().parameter, "min-units");
}

}  // namespace
}  // namespace discreet::mechanism::gap
