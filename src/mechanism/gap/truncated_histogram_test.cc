#include "discreet/mechanism/gap/truncated_histogram.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::mechanism::gap {
namespace {

constexpr long kBits = 128;
using Bins = TruncatedHistogram::Bins;

TruncatedHistogram make(const Rational& epsilon, const Rational& delta, std::int64_t bins = 1) {
  return *TruncatedHistogram::create({epsilon, delta, bins});
}
Exact<Bins> bins(Bins counts) { return Exact<Bins>::from_private(std::move(counts)); }

// p-value of 20,000 releases of a bin of 9 units under a histogram's distribution.
double fit(const TruncatedHistogram& drawn, const TruncatedHistogram& stated) {
  constexpr int kDraws = 20'000;
  random::testing::Seeded source(7);
  std::map<std::int64_t, double> found;
  for (int i = 0; i < kDraws; ++i) {
    const Bins shown = drawn.release(bins({{"a", 9}}), source)->value();
    found[shown.empty() ? 0 : shown.at("a")] += 1;
  }
  std::vector<double> counts{found[0]}, expected{1 - stated.cutoff().keep(9, kBits).middle()};
  double listed = expected[0], seen = found[0];
  for (std::int64_t shown = stated.threshold(); shown < stated.threshold() + 30; ++shown) {
    counts.push_back(found[shown]), seen += found[shown];
    expected.push_back(stated.cutoff().mass(9, shown, kBits).middle());
    listed += expected.back();
  }
  counts.push_back(kDraws - seen), expected.push_back(std::max(0.0, 1 - listed));
  return random::testing::goodness_of_fit(counts, expected);
}

TEST(TruncatedHistogram, FollowsItsDistribution) {
  const TruncatedHistogram right = make(Rational(1, 2), Rational(1, 50));
  EXPECT_GT(fit(right, right), random::testing::kFalseAlarm);
  EXPECT_LT(fit(right, make(Rational(3, 5), Rational(1, 50))), random::testing::kFalseAlarm);
  EXPECT_LT(fit(right, make(Rational(1, 2), Rational(1, 20))), random::testing::kFalseAlarm);
}

TEST(TruncatedHistogram, ShowsLargeBinsAndNothingBelowTheThreshold) {
  const TruncatedHistogram histogram = make(1, Rational(1, 1'000'000));
  random::testing::Seeded source(1);
  for (int i = 0; i < 200; ++i) {
    const auto released =
        *histogram.release(bins({{"tea", 1000}, {"milk", 20}, {"a secret", 1}}), source);
    EXPECT_TRUE(released.value().contains("tea"));
    for (const auto& [name, shown] : released.value()) EXPECT_GE(shown, histogram.threshold());
  }
}

// A bin of nobody is never shown, however often its noise reaches the threshold: a neighbour who is
// not in it may not be what makes the difference between impossible and possible.
TEST(TruncatedHistogram, ABinOfNobodyIsNeverShown) {
  const TruncatedHistogram histogram = make(1, Rational(1, 10));
  constexpr int kDraws = 3000;
  random::testing::Seeded source(5);
  int one = 0, reached = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto released =
        *histogram.release(bins({{"nobody", 0}, {"less", -1}, {"one", 1}}), source);
    EXPECT_FALSE(released.value().contains("nobody"));
    EXPECT_FALSE(released.value().contains("less"));
    one += released.value().contains("one");
    std::int64_t noise = 0;
    ASSERT_TRUE(histogram.cutoff().noise().fill(source, {&noise, 1}).has_value());
    reached += noise >= histogram.threshold();
  }
  EXPECT_GT(one, kDraws / 50);
  EXPECT_GT(reached, kDraws / 100);  // noise alone would show it often enough to be seen here
}

TEST(TruncatedHistogram, EndsOfTheNumbersSaturate) {
  random::testing::Seeded source(1);
  const auto most = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 20; ++i) {
    const auto shown = make(1, Rational(1, 1000)).release(bins({{"all", most}}), source);
    EXPECT_GT(shown->value().at("all"), most - 100);
  }
}

TEST(TruncatedHistogram, AnEmptyOneStaysEmpty) {
  random::testing::Seeded source(1);
  EXPECT_TRUE(make(1, Rational(1, 1000)).release(bins({}), source)->value().empty());
}

// The deck's proposition, corrected: of n bins of threshold + (ln n + t)/ε units all are shown with
// probability ≥ 1 − ½e^−t. The exact probability is that, and not by a wide margin.
TEST(TruncatedHistogram, TheDecksPropositionCorrected) {
  for (const char* text : {"0.1", "1", "3"})
    for (const std::uint64_t n : {1U, 10U, 1000U})
      for (const double t : {0.5, 1.0, 3.0}) {
        const TruncatedHistogram histogram =
            make(*parse_number(text, Rounding::kDown), Rational(1, 1'000'000));
        const auto from = static_cast<std::int64_t>(std::ceil(histogram.all_shown_from(t, n)));
        const double missed =
            any_of(sub(Ball(1), histogram.cutoff().keep(from, kBits), kBits), n, kBits).middle();
        EXPECT_LE(missed, std::exp(-t) / 2);
        // A unit less than a step of α below, it wouldn't hold any more at n = 1 and small ε.
        if (n == 1 && text == std::string("0.1")) {
          const double fewer =
              sub(Ball(1), histogram.cutoff().keep(from - 3, kBits), kBits).middle();
          EXPECT_GT(fewer, std::exp(-t) / 2);
        }
        // What the deck says, t·ln(n)/ε units, is far too few.
        const auto deck = static_cast<std::int64_t>(
            t * std::log(double(n)) / to_double(*parse_number(text, Rounding::kDown)));
        if (t <= 1) {
          EXPECT_GT(sub(Ball(1), histogram.cutoff().keep(deck, kBits), kBits).middle(),
                    std::exp(-t));
        }
      }
}

// How far off: 20 units are shown more often than not, and then by more than the bound at most one
// time in twenty.
TEST(TruncatedHistogram, TheMarginHolds) {
  const TruncatedHistogram histogram = make(Rational(1, 2), Rational(1, 1000));
  const Integer margin = histogram.accuracy(Rational(1, 20));
  Ball off(0);
  for (std::int64_t shown = histogram.threshold(); shown < 200; ++shown)
    if (abs(Integer(static_cast<long>(shown - 20))) > margin)
      off = add(off, histogram.cutoff().mass(20, shown, kBits), kBits);
  EXPECT_LE(off.upper(), 0.05);
  EXPECT_GT(off.lower(), 0.01);
  EXPECT_GT(histogram.accuracy(Rational(1, 20), 100), margin);
}

TEST(TruncatedHistogram, SaysWhatItAccepts) {
  const auto refused = TruncatedHistogram::create({1, Rational(1, 10), 0});
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().text(),
            "bins-per-unit: found 0; accepted is a whole number from 1 to 2^40");
  EXPECT_FALSE(TruncatedHistogram::create({0, Rational(1, 10)}).has_value());
  EXPECT_FALSE(TruncatedHistogram::create({1, 0}).has_value());
}

}  // namespace
}  // namespace discreet::mechanism::gap
