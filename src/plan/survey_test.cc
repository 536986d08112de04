// What is counted beside an answer, or before it, has the noise that its price is made of.
#include "discreet/plan/survey.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "discreet/mechanism/additive.h"
#include "discreet/plan/testing/planned.h"
#include "discreet/random/testing/sources.h"

namespace discreet::plan {
namespace {

bound::Contributions tallied(std::vector<std::vector<std::int64_t>> tallies) {
  bound::Contributions::Parts parts;
  parts.tallies = std::move(tallies);
  return bound::Contributions(std::move(parts));
}

// The mean size of the noise in each bin.
std::vector<double> mean_noise(const Count& count, const std::vector<std::int64_t>& exact) {
  constexpr int kDraws = 3000;
  const auto contributions = tallied({{1, 2, 3}, exact});
  random::testing::Seeded source(11);
  std::vector<double> out(exact.size());
  for (int i = 0; i < kDraws; ++i) {
    const auto released = release_count(count, 1, contributions, source);
    EXPECT_TRUE(released);
    EXPECT_EQ(released->size(), exact.size());
    for (std::size_t bin = 0; bin < out.size(); ++bin)
      out[bin] += static_cast<double>(std::abs((*released)[bin] - exact[bin])) / kDraws;
  }
  return out;
}

// E|X| of discrete Laplace noise of scale b, 2α/(1 − α²) with α = e^(−1/b): about b.
double expected(double b) {
  const double alpha = std::exp(-1 / b);
  return 2 * alpha / (1 - alpha * alpha);
}

// A unit that may keep fifty rows changes their number by fifty.
TEST(Counts, NoiseIsForAllThatAUnitChanges) {
  for (const long sensitivity : {1, 2, 50})
    for (const Rational& epsilon : {Rational(1), Rational(1, 10), Rational(3)}) {
      Count count;
      count.kind = Count::Kind::kKept;
      count.bins = 1;
      count.epsilon = epsilon;
      count.sensitivity = sensitivity;
      const double b = static_cast<double>(sensitivity) / to_double(epsilon);
      // |X| has a deviation of about b; six times that of the mean of 3000.
      EXPECT_NEAR(mean_noise(count, {1000})[0], expected(b), 6 * (b + 0.5) / std::sqrt(3000.0))
          << sensitivity << " " << epsilon;
    }
}

TEST(Counts, EveryBinOfAHistogramHasIt) {
  Count count;
  count.kind = Count::Kind::kCut;
  count.bins = 2;
  count.epsilon = Rational(1, 20);
  for (const double noise : mean_noise(count, {0, 1'000'000})) EXPECT_NEAR(noise, 20, 2.2);
}

// Rows share their unit on a finer grid: the noise is that of whole units all the same, whatever a
// histogram's share of ε.
TEST(Counts, SharesOfAUnitHaveTheNoiseOfAWholeOne) {
  for (const unsigned bits : {1u, 20u})
    for (const Rational& epsilon : {Rational(1, 20), Rational(2)}) {
      Count count;
      count.kind = Count::Kind::kValue;
      count.bins = 2;
      count.epsilon = epsilon;
      count.weight_bits = bits;
      EXPECT_EQ(steps_of(count), Rational(Integer(1) << bits));
      const auto contributions = tallied({{std::int64_t{1000} << bits, 0}});
      random::testing::Seeded source(11);
      constexpr int kDraws = 3000;
      double sum = 0, squares = 0;
      for (int i = 0; i < kDraws; ++i) {
        const auto released = release_count(count, 0, contributions, source);
        ASSERT_TRUE(released);
        const auto off = static_cast<double>((*released)[0] - 1000);
        sum += off / kDraws;
        squares += off * off / kDraws;
      }
      // The variance of Laplace noise is 2b², and 1/12 of rounding; its fourth moment is 24b⁴.
      const double b = 1 / to_double(epsilon), variance = 2 * b * b + 1.0 / 12;
      EXPECT_NEAR(squares, variance, 6 * std::sqrt((20 * b * b * b * b + 1) / kDraws)) << bits;
      // Halves are rounded up.
      EXPECT_NEAR(sum, std::ldexp(0.5, -static_cast<int>(bits)),
                  6 * std::sqrt(variance / kDraws) + std::ldexp(0.5, -static_cast<int>(bits)))
          << bits;
    }
}

class SurveyShares : public testing::Planned {};

// All histograms of a survey together cost its ε, and each is counted as what it is.
TEST_F(SurveyShares, AddUpToWhatIsPaid) {
  const auto made =
      plan(testing::kTypes, "SELECT g, COUNT(*), SUM(n), SUM(x) FROM t GROUP BY g", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  const Survey& survey = *made->parts[0].survey;
  ASSERT_EQ(survey.counts.size(), 4u);
  Rational sum = 0;
  for (const Count& count : survey.counts) {
    sum += count.epsilon;
    EXPECT_EQ(count.sensitivity, 1);
  }
  EXPECT_EQ(sum, survey.epsilon);
  EXPECT_EQ(sum, Rational(1, 10));
}

// Values are counted in shares of a unit as fine as the noise allows.
TEST_F(SurveyShares, AreAsFineAsTheNoiseAllows) {
  const auto made = plan(testing::kTypes, "SELECT g, SUM(x) FROM t GROUP BY g", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  Unknown unknown;
  unknown.rows = true;
  unknown.values = {0};
  for (const auto& [epsilon, bits] : {std::pair{Rational(1), 20u},
                                      {Rational(1, 400'000), 20u},
                                      {Rational(1, 1'000'000), 19u},
                                      {Rational(1, 1'000'000'000), 9u}}) {
    const Survey survey = make_survey(made->parts[0], unknown, epsilon, {});
    ASSERT_EQ(survey.counts.size(), 2u);
    EXPECT_EQ(survey.counts[0].weight_bits, 0u);
    EXPECT_EQ(survey.counts[1].weight_bits, bits) << epsilon;
    EXPECT_TRUE(mechanism::discrete_laplace(steps_of(survey.counts[1]) / survey.counts[1].epsilon));
  }
}

// A profile is found again by its text: that of other groups is another.
TEST_F(SurveyShares, OtherGroupsAreAnotherProfile) {
  Unknown unknown;
  unknown.groups = true;
  std::set<std::string> keys;
  for (const char* by : {"n", "x", "n, x", "n + 1"}) {
    const auto made =
        plan(testing::kTypes, std::string("SELECT COUNT(*) FROM t GROUP BY ") + by, "1e-6");
    ASSERT_TRUE(made) << made.error().text();
    keys.insert(make_survey(made->parts[0], unknown, 1, {}).counts.at(0).key);
  }
  EXPECT_EQ(keys.size(), 4u);
}

// A survey reads whole units: nothing is cut before it is counted.
TEST_F(SurveyShares, NothingIsCutBeforeItIsCounted) {
  const auto made = plan(testing::kTypes, "SELECT g, SUM(n) FROM t GROUP BY g", "1e-6");
  ASSERT_TRUE(made) << made.error().text();
  const PlanPart part = survey_part(made->parts[0]);
  EXPECT_EQ(part.bounds.groups, bound::kNoLimit);
  EXPECT_EQ(part.bounds.rows, bound::kNoLimit);
  EXPECT_EQ(part.rows_per_group, bound::kNoLimit);
  EXPECT_FALSE(part.bounds.total);
}

}  // namespace
}  // namespace discreet::plan
