// Estimates through channels: the transposed matrix, short forms against matrices, refusals.
#include "discreet/local/estimate_channel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "discreet/local/channel_likelihood.h"
#include "discreet/local/flat_likelihood.h"
#include "discreet/local/geometric_likelihood.h"
#include "discreet/local/inverse.h"
#include "discreet/local/registry.h"
#include "discreet/local/testing/problems.h"

namespace discreet::local {
namespace {

using channel::Channel;
using channel::Ratio;
using random::testing::Seeded;

std::vector<double> doubles(const std::vector<std::uint64_t>& counts) {
  return {counts.begin(), counts.end()};
}

void expect_near(std::span<const double> found, std::span<const double> wanted, double slack) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t v = 0; v < found.size(); ++v)
    EXPECT_NEAR(found[v], wanted[v], slack * std::max(1.0, std::abs(wanted[v]))) << v;
}

// ½ ½ | ¼ ¾: people who hold (0.2, 0.8) say 0 with 0.2·½ + 0.8·¼ = 0.3. The way back is (Cᵀ)⁻¹ =
// (3 −1 | −2 2): 3·0.3 − 0.7 = 0.2. With C⁻¹ = (3 −2 | −1 2), as the deck has it, it would be 3·0.3
// − 2·0.7 < 0.
TEST(EstimateChannel, TransposedInverse) {
  const Channel lopsided =
      *Channel::create(2, 2, {Rational(1, 2), Rational(1, 2), Rational(1, 4), Rational(3, 4)});
  const std::vector<std::uint64_t> counts{300, 700};
  const std::vector<double> truth{0.2, 0.8};
  const auto found = estimate_channel(lopsided, counts, {});
  expect_near(found->distribution, truth, 1e-14);
  // Given their values, 200 people toss a coin of ½ and 800 one of ¼; a 0 weighs 3, a 1 weighs −1:
  // Var = (200·¼ + 800·3/16)·4²/1000².
  EXPECT_NEAR(found->stderr_[0], std::sqrt(200 * 16) / 1000, 1e-14);
  EXPECT_EQ(found->bars, Bars::kInversion);

  const auto twin = *inverse_of({0.5, 0.5, 0.25, 0.75}, 2);  // C⁻¹ itself
  EXPECT_LT(twin[0] * 0.3 + twin[1] * 0.7, -0.4);
  // where the inversion is a distribution, it is the maximum of the likelihood too
  for (const Method method : {Method::kIbu, Method::kMle}) {
    const auto rounds = estimate_channel(lopsided, counts, {.method = method});
    expect_near(rounds->distribution, truth, method == Method::kMle ? 1e-9 : 1e-6);
    EXPECT_EQ(rounds->stopped, Stopped::kTolerance);
    EXPECT_LE(*rounds->gap, method == Method::kMle ? 1e-12 : 1e-9);
    EXPECT_EQ(rounds->bars, Bars::kInformation);
    expect_near(rounds->stderr_, found->stderr_, 1e-6);
  }
}

TEST(EstimateChannel, InverseOfRandomOnes) {
  Seeded source(1);
  for (const std::size_t size : {1U, 2U, 5U, 40U}) {
    const Channel channel = testing::random_channel(source, size, size);
    std::vector<double> entries;
    for (std::size_t y = 0; y < size; ++y)
      for (const Rational& each : channel.row(y)) entries.push_back(to_double(each));
    const auto inverse = *inverse_of(entries, size);
    for (std::size_t i = 0; i < size; ++i)
      for (std::size_t j = 0; j < size; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < size; ++k) sum += entries[i * size + k] * inverse[k * size + j];
        EXPECT_NEAR(sum, i == j ? 1 : 0, 1e-10);
      }
  }
}

TEST(EstimateChannel, Refuses) {
  Seeded source(2);
  const std::vector<std::uint64_t> two{1, 2}, three{1, 2, 3};
  const Channel wide = testing::random_channel(source, 2, 3);
  EXPECT_EQ(estimate_channel(wide, three, {}).error().text(),
            "channel: found 2 inputs and 3 outputs; accepted for an inversion is a square matrix "
            "(set method = ibu)");
  EXPECT_TRUE(estimate_channel(wide, three, {.method = Method::kIbu}));
  EXPECT_FALSE(estimate_channel(wide, two, {.method = Method::kIbu}));

  const Rational half(1, 2), third(1, 3);
  const Channel blind = *Channel::create(2, 2, {half, half, half, half});
  const auto refused = estimate_channel(blind, two, {.method = Method::kClip});
  EXPECT_EQ(refused.error().message.text(),
            "channel: found one whose matrix is singular; accepted for an inversion is one that "
            "tells all distributions apart");
  // it can be asked for what is most likely, and its error bars say that nothing is known
  const auto any = estimate_channel(blind, two, {.method = Method::kIbu});
  EXPECT_TRUE(std::isinf(any->stderr_[0]));
  // 1/3 isn't a double: singular but for rounding
  const Channel nearly = *Channel::create(
      3, 3, {third, third, third, half, half, 0, Rational(5, 12), Rational(5, 12), Rational(1, 6)});
  EXPECT_FALSE(estimate_channel(nearly, three, {}));

  const Channel silent = *Channel::create(2, 2, {1, 0, 1, 0});
  EXPECT_EQ(
      estimate_channel(silent, two, {.method = Method::kIbu}).error().text(),
      "counts: found output 1, which no input of the channel has; accepted are outputs it can "
      "give");
  const std::vector<std::uint64_t> none{0, 0};
  for (const Method method : {Method::kInversion, Method::kMle})
    EXPECT_EQ(estimate_channel(blind, none, {.method = method}).error().text(),
              "reports: found none; accepted is one at least to estimate from");
}

// The same gradient, ℓ, information, inversion and error bars as the matrix.
template <class Short>
void compare(const Short& channel, const Likelihood& likelihood,
             const std::vector<std::uint64_t>& counts, std::size_t seed) {
  const Channel matrix = *dense(channel);
  const auto wanted = *ChannelLikelihood::create(matrix, doubles(counts));
  Seeded source(seed);
  const auto theta = testing::random_distribution(source, counts.size());
  std::vector<double> g(theta.size()), h(theta.size());
  const double mean = likelihood.gradient(theta, g);
  EXPECT_NEAR(mean, wanted->gradient(theta, h), 1e-12);
  expect_near(g, h, 1e-12);
  for (const Method method : {Method::kInversion, Method::kClip, Method::kSimplex, Method::kIbu}) {
    const EstimateOptions options{.method = method, .rounds = 20};
    const auto a = estimate_channel(channel, counts, options);
    const auto b = estimate_channel(matrix, counts, options);
    expect_near(a->distribution, b->distribution, 1e-9);
    EXPECT_EQ(a->bars, b->bars);
    EXPECT_EQ(a->iterations, b->iterations);
    if (method == Method::kIbu) {
      EXPECT_NEAR(*a->gap, *b->gap, 1e-9);
      expect_near(a->stderr_, b->stderr_, 1e-6);
    }
  }
}

TEST(EstimateChannel, GeometricIsTheMatrix) {
  std::size_t seed = 10;
  for (const std::size_t size : {2U, 3U, 8U, 9U, 30U})
    for (const Rational& ratio : {Rational(11, 10), Rational(2), Rational(9)}) {
      Seeded source(++seed);
      const channel::TruncatedGeometric channel{size, Ratio::exactly(ratio)};
      const auto counts = testing::random_counts(source, *dense(channel),
                                                 testing::random_distribution(source, size), 3000);
      compare(channel, GeometricLikelihood(counts, to_double(channel.alpha())), counts, seed);
      // error bars of the inversion, where no estimate is negative
      const std::vector<std::uint64_t> even(size, 100);
      const auto a = estimate_channel(channel, even, {});
      const auto b = estimate_channel(*dense(channel), even, {});
      expect_near(a->stderr_, b->stderr_, 1e-9);
    }
}

TEST(EstimateChannel, FlatIsTheMatrix) {
  std::size_t seed = 30;
  for (const std::size_t size : {2U, 3U, 20U})
    for (const Rational& ratio : {Rational(3, 2), Rational(3), Rational(30)}) {
      Seeded source(++seed);
      const channel::Flat channel{size, Ratio::exactly(ratio)};
      const auto counts = testing::random_counts(source, *dense(channel),
                                                 testing::random_distribution(source, size), 3000);
      const FlatLikelihood likelihood(counts, to_double(channel.at(0, 0)),
                                      to_double(channel.at(0, 1)));
      compare(channel, likelihood, counts, seed);
      const std::vector<std::uint64_t> even(size, 100);
      expect_near(estimate_channel(channel, even, {})->stderr_,
                  estimate_channel(*dense(channel), even, {})->stderr_, 1e-9);
      // by its formula, and by rounds
      const auto formula = estimate_channel(channel, counts, {.method = Method::kMle});
      const auto rounds = estimate_channel(*dense(channel), counts, {.method = Method::kMle});
      EXPECT_EQ(formula->stopped, Stopped::kDirect);
      EXPECT_EQ(rounds->stopped, Stopped::kTolerance);
      EXPECT_LT(*formula->gap, 1e-12);
      expect_near(formula->distribution, rounds->distribution, 2e-6);
      EXPECT_NEAR(*formula->log_likelihood, *rounds->log_likelihood, 1e-6);
    }
}

// Long enough for several chunks and threads, with stretches that nobody reported: sums that fade
// there must not disturb the rest. Against the definition at some places.
TEST(EstimateChannel, LongGeometric) {
  constexpr std::size_t kSize = 100'003;
  const double alpha = 0.8;
  std::vector<std::uint64_t> counts(kSize);
  for (std::size_t z = 0; z < kSize; z += 1000 + z / 10) counts[z] = 1 + z % 7;
  const GeometricLikelihood likelihood(counts, alpha);
  const std::vector<double> theta(kSize, 1.0 / kSize);
  std::vector<double> g(kSize);
  likelihood.gradient(theta, g);
  for (const std::size_t y : {std::size_t{0}, std::size_t{1}, std::size_t{2099}, kSize - 1}) {
    double wanted = 0;
    for (std::size_t z = 0; z < kSize; ++z) {
      if (counts[z] == 0) continue;
      const auto powers = [&](std::size_t steps) {  // α + … + α^steps
        return alpha * (1 - std::pow(alpha, static_cast<double>(steps))) / (1 - alpha);
      };
      const double m = (1 + powers(z) + powers(kSize - 1 - z)) / kSize;
      const double apart = std::abs(static_cast<double>(y) - static_cast<double>(z));
      wanted += static_cast<double>(counts[z]) / likelihood.users() * std::pow(alpha, apart) / m;
    }
    EXPECT_NEAR(g[y], wanted, 1e-11 * std::max(wanted, 1.0)) << y;
  }
}

// With zeros in the channel, what only one input can say is from that input.
TEST(EstimateChannel, ZerosInTheChannel) {
  const Rational half(1, 2);
  const Channel erasure = *Channel::create(2, 3, {half, half, 0, 0, half, half});
  const std::vector<std::uint64_t> counts{30, 50, 20};
  const auto found = estimate_channel(erasure, counts, {.method = Method::kMle});
  expect_near(found->distribution, std::vector<double>{0.6, 0.4}, 1e-9);
  // Var of the value's share among the 50 that tell: 0.24/50, less 0.24/100 for the draw.
  EXPECT_NEAR(found->stderr_[0], std::sqrt(0.24 / 50 - 0.24 / 100), 1e-6);
}

}  // namespace
}  // namespace discreet::local
