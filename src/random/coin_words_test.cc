#include "discreet/random/coin_words.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "discreet/random/testing/chi_square.h"
#include "discreet/random/testing/sources.h"

namespace discreet::random {
namespace {

using testing::Counting;
using testing::goodness_of_fit;
using testing::kFalseAlarm;
using testing::Scripted;
using testing::Seeded;

Real inverse_e() {
  return [](long bits) { return exp(Ball(-1), bits); };
}
Real exactly(const Rational& p) {
  return [p](long bits) { return Ball(p, bits); };
}

// How well the coins of `words` fit the bias: of each lane together with the next lane of the next
// word.
double fit(std::span<const std::uint64_t> words, double p) {
  double worst = 1;
  for (unsigned lane = 0; lane < 64; ++lane) {
    std::vector<double> counts(4);
    for (std::size_t i = 0; i + 1 < words.size(); i += 2)
      ++counts[2 * (words[i] >> lane & 1) + (words[i + 1] >> (lane + 1) % 64 & 1)];
    const std::vector<double> law{(1 - p) * (1 - p), (1 - p) * p, p * (1 - p), p * p};
    worst = std::min(worst, goodness_of_fit(counts, law));
  }
  return worst;
}

// False alarm: 64 tests at 1e-6 each, for each bias.
TEST(CoinWords, EveryLaneHasTheBias) {
  const std::vector<std::pair<Real, double>> cases{{inverse_e(), 0.36787944117144233},
                                                   {exactly(Rational(1, 2)), 0.5},
                                                   {exactly(Rational(1, 3)), 1.0 / 3},
                                                   {exactly(Rational(1, 50)), 0.02},
                                                   {exactly(Rational(49, 50)), 0.98}};
  for (const auto& [real, p] : cases) {
    Seeded source(11);
    std::vector<std::uint64_t> words(200'000);
    ASSERT_TRUE(CoinWords::create(real)->fill(source, words).has_value());
    EXPECT_GT(fit(words, p), kFalseAlarm) << p;
    // the twins: a bias cut off after six digits, and one lane's coin told to its neighbour
    const double cut = std::floor(p * 64) / 64;
    if (cut > 0 && cut != p) {
      ASSERT_TRUE(CoinWords::create(exactly(Rational(static_cast<long>(p * 64), 64)))
                      ->fill(source, words)
                      .has_value());
      EXPECT_LT(fit(words, p), kFalseAlarm) << p;
    }
    ASSERT_TRUE(CoinWords::create(real)->fill(source, words).has_value());
    for (std::size_t i = 1; i < words.size(); i += 2) words[i] = std::rotl(words[i - 1], 1);
    EXPECT_LT(fit(words, p), kFalseAlarm) << p;
  }
}

// How many words are drawn tells nothing of the coins. (That the instructions don't either is seen
// in tests/work_test.py, where a twin that stops at the last decision is caught.)
TEST(CoinWords, TakesAsManyWordsWhateverIsDrawn) {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6, 7, 8}) {
    for (const std::size_t count : {1, 7, 8, 1000}) {
      Seeded seeded(seed);
      Counting source(seeded);
      std::vector<std::uint64_t> words(count);
      ASSERT_TRUE(CoinWords::create(inverse_e())->fill(source, words).has_value());
      EXPECT_EQ(source.count(), CoinWords::kDigits * count);
    }
  }
}

TEST(CoinWords, SureThings) {
  Seeded source(4);
  std::vector<std::uint64_t> words(100);
  ASSERT_TRUE(CoinWords::create(exactly(0))->fill(source, words).has_value());
  for (const std::uint64_t word : words) EXPECT_EQ(word, 0u);
  ASSERT_TRUE(CoinWords::create(exactly(1))->fill(source, words).has_value());
  for (const std::uint64_t word : words) EXPECT_EQ(word, ~std::uint64_t{0});
  EXPECT_FALSE(CoinWords::create(exactly(2)).has_value());
  EXPECT_FALSE(CoinWords::create(exactly(-1)).has_value());
}

// Lane 0 draws the digits of p themselves, all that are known; what decides it is what comes next.
TEST(CoinWords, GoesOnWhereTheKnownDigitsEnd) {
  constexpr int kDigits = CoinWords::kDigits;
  const Real p = inverse_e();
  const Integer digits = p(600).floor_shifted(kDigits);
  const Integer next = p(600).floor_shifted(kDigits + 64) - (digits << 64);
  for (const int side : {-1, +1}) {
    std::vector<std::uint64_t> script;
    for (int i = kDigits - 1; i >= 0; --i) {
      const bool one = mpz_tstbit(digits.get_mpz_t(), static_cast<mp_bitcnt_t>(i)) != 0;
      // p begins with 0: every other lane draws a 1 and is decided at once
      script.push_back((i == kDigits - 1 ? ~std::uint64_t{1} : 0) | (one ? 1 : 0));
    }
    script.push_back(Integer(next + side * (Integer(1) << 40)).get_ui());
    Scripted scripted(script);
    Counting source(scripted);
    std::uint64_t out = 0;
    ASSERT_TRUE(CoinWords::create(p)->fill(source, {&out, 1}).has_value());
    ASSERT_EQ(source.count(), kDigits + 1u);  // and the word that decides
    EXPECT_EQ(out & 1, side < 0 ? 1u : 0u);
    EXPECT_EQ(out >> 1, 0u);
  }
}

TEST(CoinWords, PassesAFailureOn) {
  testing::Failing source(100);
  std::vector<std::uint64_t> words(1000);
  EXPECT_FALSE(CoinWords::create(inverse_e())->fill(source, words).has_value());
}

}  // namespace
}  // namespace discreet::random
