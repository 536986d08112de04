// What the pictures are drawn from agrees with the mechanisms themselves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "discreet/mechanism/compare/median.h"
#include "discreet/mechanism/compare/mode.h"
#include "discreet/mechanism/compare/selection.h"
#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/gap/bounded_change.h"
#include "discreet/mechanism/gap/rank.h"
#include "discreet/mechanism/gap/smooth_quantile.h"
#include "discreet/mechanism/gap/truncated_histogram.h"
#include "discreet/mechanism/noisy_max.h"
#include "discreet/mechanism/permute_and_flip.h"
#include "discreet/random/testing/sources.h"

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

const MedianCase kMedian{
    .epsilon = 1, .delta = Rational(1, 1'000'000), .low = 0, .high = 100, .rows = 300};

// Of 4000 answers that are drawn, 95 % are within the error that is drawn as a line, and not many
// more: on the same rows, with the mechanisms' own releases.
TEST(CompareMedian, AnswersAreAsFarOffAsTheLinesSay) {
  constexpr int kDraws = 4000;
  const Comparison picture = *compare_median_by_epsilon(kMedian);
  const auto middle = std::find(picture.x.begin(), picture.x.end(), 1.0);
  ASSERT_NE(middle, picture.x.end());
  const auto at = static_cast<std::size_t>(middle - picture.x.begin());
  std::vector<std::int64_t> points;  // in steps of a thousandth
  for (std::int64_t i = 0; i < 300; ++i) points.push_back(30'000 + (2 * i + 1) * 20'000 / 600);
  const auto range = *gap::Range::create(0, 100'000);
  const double median = 39'966;
  random::testing::Seeded source(5);
  const auto within = [&](std::size_t line, const auto& draw) {
    int inside = 0;
    for (int i = 0; i < kDraws; ++i)
      inside += std::abs(draw() - median) / 1000 <= picture.lines[line].y[at] ? 1 : 0;
    return inside / double(kDraws);
  };
  const auto rank =
      *gap::RankChoice::create({.epsilon = 1, .low = 0, .high = 100'000, .steps = 100'000});
  const double chosen = within(4, [&] {
    return static_cast<double>(
        rank.release(Exact<std::vector<std::int64_t>>::from_private(points), source)->value());
  });
  for (const auto& [line, delta] : {std::pair{1U, Rational(0)}, {2U, Rational(1, 1'000'000)}}) {
    const auto smooth = *gap::SmoothQuantile::create({.noise = {.epsilon = 1, .delta = delta},
                                                      .range = range,
                                                      .unit = {1, privacy::Relation::kSubstitute}});
    const auto rows = Exact<gap::Ordered>::from_private(gap::Ordered::of(points, range));
    const double found = within(line, [&, &mechanism = smooth] {
      return static_cast<double>(mechanism.release(rows, source)->value());
    });
    EXPECT_NEAR(found, 0.95, 0.02) << line;
  }
  EXPECT_NEAR(chosen, 0.95, 0.03);
}

// The bound that propose-test-release is drawn with follows from its error, y = b/(ε/2)·ln(40):
// with it 19 of 20 are told and within y, with half of it the test mostly fails.
TEST(CompareMedian, TheProposedBoundIsTheLeast) {
  const Comparison picture = *compare_median(
      {.epsilon = 2, .delta = Rational(1, 1000), .low = 0, .high = 100, .rows = 300});
  const auto index = static_cast<std::size_t>(std::find(picture.x.begin(), picture.x.end(), 464.0) -
                                              picture.x.begin());
  ASSERT_LT(index, picture.x.size());
  const double y = picture.lines[3].y[index];
  ASSERT_LT(y, 20);                  // not the end of the range
  std::vector<std::int64_t> points;  // in steps of a thousandth
  for (std::int64_t i = 0; i < 464; ++i) points.push_back(30'000 + (2 * i + 1) * 20'000 / 928);
  const auto range = *gap::Range::create(0, 100'000);
  const auto rows = Exact<gap::Ordered>::from_private(gap::Ordered::of(points, range));
  const auto middle = static_cast<double>(points[231]);
  const auto told_within = [&](double share) {
    const Rational bound(std::lround(share * y * 1000 / std::log(40)));
    const auto mechanism = *gap::BoundedChange::create(
        {.test = {1, Rational(1, 1000)},
         .epsilon = 1,
         .statistic = *gap::Statistic::create(gap::StatisticKind::kQuantile, Rational(1, 2)),
         .bound = bound,
         .range = range,
         .unit = {1, privacy::Relation::kSubstitute}});
    random::testing::Seeded source(6);
    int inside = 0;
    for (int i = 0; i < 2000; ++i) {
      const auto told = mechanism.release(rows, source)->value();
      inside += told && std::abs(static_cast<double>(*told) - middle) / 1000 <= y ? 1 : 0;
    }
    return inside / 2000.0;
  };
  EXPECT_GT(told_within(1.01), 0.935);
  EXPECT_LT(told_within(0.5), 0.5);
}

TEST(CompareMedian, MoreRowsAndMoreEpsilonHelp) {
  for (const Comparison& picture :
       {*compare_median(kMedian), *compare_median_by_epsilon(kMedian)}) {
    ASSERT_EQ(picture.lines.size(), 5U);
    for (const Line& line : picture.lines) {
      ASSERT_EQ(line.y.size(), picture.x.size());
      EXPECT_LE(line.y.back(), line.y.front()) << line.name;
    }
    EXPECT_LT(picture.lines[2].y.back(), picture.lines[0].y.back() / 10);  // the local one is small
  }
}

TEST(CompareMedian, SaysWhatItAccepts) {
  MedianCase bad = kMedian;
  bad.rows = 0;
  EXPECT_EQ(compare_median(bad).error().parameter, "rows");
  bad = kMedian, bad.high = 0;
  EXPECT_FALSE(compare_median_by_epsilon(bad).has_value());
}

TEST(CompareMode, RefusesADomainOfOne) {
  EXPECT_FALSE(
      compare_mode({.epsilon = 1, .delta = Rational(1, 1000), .domains = {1}}).has_value());
}

}  // namespace
}  // namespace discreet::mechanism::compare
