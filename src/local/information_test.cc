// Error bars: by hand, the same by three ways, and as often right as they say.
#include "discreet/local/information.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "discreet/local/channel_likelihood.h"
#include "discreet/local/estimate.h"
#include "discreet/local/estimate_channel.h"
#include "discreet/local/flat.h"
#include "discreet/local/flat_likelihood.h"
#include "discreet/local/ibu.h"
#include "discreet/local/testing/problems.h"

namespace discreet::local {
namespace {

using random::testing::Seeded;

// Under Σ = 0 two values are one: Var = 1/(J_00 − 2·J_01 + J_11).
TEST(Information, TwoByHand) {
  const auto found = constrained_variances(std::vector<double>{5, 1, 1, 3}, 2);
  EXPECT_NEAR((*found)[0], 1.0 / 6, 1e-15);
  EXPECT_NEAR((*found)[1], 1.0 / 6, 1e-15);
  EXPECT_NEAR((*constrained_variances(std::vector<double>{5, 1}, 2))[0], 1.0 / 6, 1e-15);
  // 3 diagonal ones: K = diag(1, ½, ¼), K·1 the same, 1ᵀK·1 = 7/4: 1 − 4/7
  const auto three = constrained_variances(std::vector<double>{1, 2, 4}, 3);
  EXPECT_NEAR((*three)[0], 3.0 / 7, 1e-15);
  EXPECT_NEAR((*three)[2], 0.25 - 1.0 / 28, 1e-15);
  // singular along the sum alone is no harm; along another way it is
  EXPECT_NEAR((*constrained_variances(std::vector<double>{1, -1, -1, 1}, 2))[0], 0.25, 1e-15);
  EXPECT_FALSE(constrained_variances(std::vector<double>{1, 1, 1, 1}, 2));
  EXPECT_FALSE(constrained_variances(std::vector<double>{1, 0, 2}, 3));
}

// Hides everything but the gradient.
class Bare final : public Likelihood {
 public:
  explicit Bare(const Likelihood& inner) : inner_(inner) {}
  std::size_t values() const override { return inner_.values(); }
  double users() const override { return inner_.users(); }
  double gradient(std::span<const double> theta, std::span<double> g) const override {
    return inner_.gradient(theta, g);
  }

 private:
  const Likelihood& inner_;
};

// The matrix, its diagonal form and differences of the gradient.
TEST(Information, ThreeWays) {
  Seeded source(7);
  for (int i = 0; i < 20; ++i) {
    const channel::Flat channel{6, channel::Ratio::exactly(Rational(3 + i))};
    const auto theta = testing::random_distribution(source, 6);
    const auto matrix = *dense(channel);
    const auto counts = testing::random_counts(source, matrix, theta, 2000);
    const FlatLikelihood flat(counts, to_double(channel.at(0, 0)), to_double(channel.at(0, 1)));
    const auto full =
        *ChannelLikelihood::create(matrix, std::vector<double>(counts.begin(), counts.end()));
    const std::vector<std::size_t> some{0, 1, 3, 5};
    const auto a = information_errors(flat, theta, some);
    const auto b = information_errors(*full, theta, some);
    const auto c = information_errors(Bare(*full), theta, some);
    for (std::size_t k = 0; k < some.size(); ++k) {
      EXPECT_NEAR((*a)[k], (*b)[k], 1e-9 * (*b)[k]);
      EXPECT_NEAR((*c)[k], (*b)[k], 1e-5 * (*b)[k]);
    }
  }
  // one value alone says nothing; differences for too many reports would take too long
  const std::vector<std::uint64_t> many{5'000'000'000, 4'000'000'000};
  const FlatLikelihood flat(many, 0.75, 0.25);
  const std::vector<double> theta{0.6, 0.4};
  const std::vector<std::size_t> both{0, 1}, one{0};
  EXPECT_FALSE(information_errors(flat, theta, one));
  EXPECT_TRUE(information_errors(flat, theta, both));
  EXPECT_FALSE(information_errors(Bare(flat), theta, both));
}

// Differences are good enough for parabolas: with the gradient alone the certificate gets as tight.
TEST(Information, DifferencesServeForParabolas) {
  Seeded source(8);
  const channel::TruncatedGeometric channel{40, channel::Ratio::exactly(Rational(5, 4))};
  const auto matrix = *dense(channel);
  const auto counts = testing::random_counts(
      source, matrix, testing::random_distribution(source, channel.size), 3000);
  const auto full =
      *ChannelLikelihood::create(matrix, std::vector<double>(counts.begin(), counts.end()));
  const auto found = iterate(Bare(*full), {.tolerance = 1e-11, .rounds = 300});
  EXPECT_EQ(found->stopped, Stopped::kTolerance) << *found->gap;
}

// How often two standard errors, made smaller by a factor, cover the frequency among those who
// reported. Interior: no value is rare.
template <class One>
double coverage(const One& one, int times) {
  int covered = 0;
  for (int i = 0; i < times; ++i) covered += one() ? 1 : 0;
  return covered / static_cast<double>(times);
}

// 95.4 % of a normal variable are within two standard errors. Of 1500 trials that is 1432 ± 8; five
// times that is a false alarm once in a million: 92.8 % … 98.1 %. Errors that are √2 too small
// cover 84.3 %.
constexpr double kLow = 0.928, kHigh = 0.981;
constexpr int kTimes = 1500;

TEST(Information, CoversAsOftenAsItSays) {
  const auto protocol = *Flat::create({.epsilon = Rational(3, 2), .domain = 4});
  Seeded source(99);
  const auto trial = [&](Method method, double factor) {
    constexpr std::size_t kUsers = 800;
    std::vector<Value> values(kUsers);
    std::size_t first = 0;
    for (Value& each : values) {
      const double u = testing::uniform(source);
      each = u < 0.4 ? 0 : u < 0.65 ? 1 : u < 0.85 ? 2 : 3;
      first += each == 0 ? 1 : 0;
    }
    std::vector<Word> reports(kUsers);
    EXPECT_TRUE(protocol->perturb(values, source, reports));
    State state(*protocol);
    protocol->count(reports, state.counters);
    state.users = kUsers;
    const auto found = estimate_frequencies(*protocol, state, {.method = method});
    EXPECT_EQ(found->bars, method == Method::kInversion ? Bars::kInversion : Bars::kInformation);
    const double truth = static_cast<double>(first) / kUsers;
    return std::abs(found->distribution[0] - truth) <= 2 * factor * found->stderr_[0];
  };
  for (const Method method : {Method::kInversion, Method::kIbu, Method::kMle}) {
    const double right = coverage([&] { return trial(method, 1); }, kTimes);
    EXPECT_GT(right, kLow) << name_of(method);
    EXPECT_LT(right, kHigh) << name_of(method);
    EXPECT_LT(coverage([&] { return trial(method, std::sqrt(0.5)); }, kTimes), kLow);
  }
}

// The same through a channel with more outputs than inputs, which has no inversion.
TEST(Information, CoversThroughChannels) {
  Seeded source(100);
  // rows apart enough to tell
  const channel::Channel channel = *channel::Channel::create(
      3, 4,
      {Rational(6, 10), Rational(2, 10), Rational(1, 10), Rational(1, 10),  //
       Rational(1, 10), Rational(5, 10), Rational(3, 10), Rational(1, 10),  //
       Rational(1, 10), Rational(1, 10), Rational(1, 10), Rational(7, 10)});
  const std::vector<double> theta{0.5, 0.3, 0.2};
  const auto trial = [&](double factor) {
    std::vector<std::uint64_t> counts(4);
    double held = 0;
    // by value, so that the frequencies among those who reported are known
    for (std::size_t v = 0; v < 3; ++v) {
      std::vector<double> only(3);
      only[v] = 1;
      const auto people = static_cast<std::size_t>(600 * theta[v]);
      const auto part = testing::random_counts(source, channel, only, people);
      for (std::size_t z = 0; z < 4; ++z) counts[z] += part[z];
      if (v == 1) held = static_cast<double>(people) / 600;
    }
    const auto found = estimate_channel(channel, counts, {.method = Method::kMle});
    EXPECT_EQ(found->bars, Bars::kInformation);
    return std::abs(found->distribution[1] - held) <= 2 * factor * found->stderr_[1];
  };
  const double right = coverage([&] { return trial(1); }, kTimes);
  EXPECT_GT(right, kLow);
  EXPECT_LT(right, kHigh);
  EXPECT_LT(coverage([&] { return trial(std::sqrt(0.5)); }, kTimes), kLow);
}

}  // namespace
}  // namespace discreet::local
