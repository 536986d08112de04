// What the pictures are drawn from agrees with the mechanisms themselves.
#include <gtest/gtest.h>

#include "discreet/mechanism/compare/mode.h"
#include "discreet/mechanism/compare/selection.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/gap/truncated_histogram.h"
#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/permute_and_flip.h"

namespace discreet::mechanism::compare {
namespace {

constexpr long kBits = 128;

TEST(CompareMode, ClosedFormsAreTheMechanismsOwn) {
  for (const Rational& epsilon : {Rational(1, 2), Rational(1), Rational(3)})
    for (const std::int64_t domain : {2, 3, 10})
      for (const std::int64_t agree : {1, 4, 12}) {
        std::vector<std::int64_t> scores(static_cast<std::size_t>(domain), 0);
        scores[0] = agree;
        const SelectionParameters p{.epsilon = epsilon,
                                    .sensitivity = 1,
                                    .candidates = Candidates::numbered(scores.size()),
                                    .monotone = true};
        EXPECT_NEAR(exponential_mode(epsilon, agree, domain, kBits).middle(),
                    Exponential::create(p)->pmf(scores, kBits)[0].middle(), 1e-14);
        EXPECT_NEAR(permute_and_flip_mode(epsilon, agree, domain, kBits).middle(),
                    (*PermuteAndFlip::create(p)->pmf(scores, kBits))[0].middle(), 1e-14);
        EXPECT_NEAR(noisy_max_mode(epsilon, agree, domain, kBits)->middle(),
                    (*NoisyMax::create(p)->pmf(scores, kBits))[0].middle(), 1e-11);
      }
}

// What the picture is for: a larger domain takes more units from those that choose among all its
// values, and none from the stable mode.
TEST(CompareMode, OnlyTheStableModeIgnoresTheDomain) {
  const Comparison picture = *compare_mode(
      {.epsilon = 1, .delta = Rational(1, 1'000'000), .domains = {10, 1'000'000'000'000}});
  ASSERT_EQ(picture.lines.size(), 7U);
  const auto at = [&](std::size_t line, std::size_t agree) {
    return picture.lines[line].y[agree - 1];
  };
  EXPECT_GT(at(1, 18), 0.999);          // exponential, ten values
  EXPECT_LT(at(4, 18), 0.001);          // the same, 10^12 values
  EXPECT_GT(at(0, 18), 0.95);           // stable mode, however many
  EXPECT_GT(at(1, 5), at(0, 5) + 0.9);  // few values: choose
  EXPECT_GE(at(2, 5), at(1, 5));        // permute-and-flip is never worse
}

TEST(CompareSelection, LinesAreWhatTheMechanismsDo) {
  const Comparison picture = *compare_selection({.epsilon = 1, .delta = Rational(1, 1'000'000)});
  const auto histogram = *gap::TruncatedHistogram::create({1, Rational(1, 1'000'000)});
  for (std::size_t i = 0; i < picture.x.size(); ++i) {
    const auto units = static_cast<std::int64_t>(picture.x[i]);
    EXPECT_NEAR(picture.lines[1].y[i], histogram.cutoff().keep(units, kBits).middle(), 1e-15);
    EXPECT_GE(picture.lines[0].y[i], picture.lines[1].y[i]);
    EXPECT_GE(picture.lines[0].y[i], picture.lines[3].y[i]);
  }
  // With counts to be shown as well, the histogram wins where groups are small.
  EXPECT_GT(picture.lines[1].y[19], 0.99);
  EXPECT_LT(picture.lines[3].y[19], 0.3);
}

TEST(CompareMode, RefusesADomainOfOne) {
  EXPECT_FALSE(
      compare_mode({.epsilon = 1, .delta = Rational(1, 1000), .domains = {1}}).has_value());
}

}  // namespace
}  // namespace discreet::mechanism::compare
