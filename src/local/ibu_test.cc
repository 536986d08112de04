// The iterative Bayesian update: by hand, never downhill, to the maximum.
#include "discreet/local/ibu.h"

#include <gtest/gtest.h>

#include <cmath>

#include "discreet/channel/structured.h"
#include "discreet/local/channel_likelihood.h"
#include "discreet/local/flat_likelihood.h"
#include "discreet/local/testing/problems.h"

namespace discreet::local {
namespace {

using random::testing::Seeded;

std::vector<double> doubles(const std::vector<std::uint64_t>& counts) {
  return {counts.begin(), counts.end()};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                 double slack) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t v = 0; v < found.size(); ++v) EXPECT_NEAR(found[v], wanted[v], slack) << v;
}

FlatLikelihood coin() {
  const std::vector<std::uint64_t> counts{70, 30};
  return {counts, 0.75, 0.25};
}

// From (½, ½) each report has probability ½: g = (0.7·¾ + 0.3·¼)/½ = 1.2 and 0.8, so θ = (0.6,
// 0.4). Then P[yes] = 0.6·¾ + 0.4·¼ = 0.55, g_yes = 0.7·¾/0.55 + 0.3·¼/0.45 = 21/22 + 1/6 = 37/33,
// so θ_yes = 0.6·37/33 = 37/55.
TEST(Ibu, CoinByHand) {
  for (const bool accelerate : {false, true}) {
    const auto one = iterate(coin(), {.rounds = 1, .accelerate = accelerate});
    expect_near(one->distribution, {0.6, 0.4}, 1e-15);
    EXPECT_EQ(one->iterations, 1);
    EXPECT_EQ(one->stopped, Stopped::kRounds);
    // 70·ln 0.55 + 30·ln 0.45; and g − 1 = 4/33 of the value that still gains
    EXPECT_NEAR(*one->log_likelihood, 70 * std::log(0.55) + 30 * std::log(0.45), 1e-12);
    EXPECT_NEAR(*one->gap, 4.0 / 33, 1e-15);
  }
  const auto two = iterate(coin(), {.rounds = 2, .accelerate = false});
  expect_near(two->distribution, {37.0 / 55, 18.0 / 55}, 1e-15);
  // At the end P[yes] is what was seen: ¼ + ½θ = 0.7.
  for (const bool accelerate : {false, true}) {
    const auto end = iterate(coin(), {.accelerate = accelerate});
    EXPECT_EQ(end->stopped, Stopped::kTolerance);
    EXPECT_LE(*end->gap, 1e-9);
    expect_near(end->distribution, {0.9, 0.1}, 1e-7);
    EXPECT_EQ(end->users, 100);
  }
}

// Three values, p = ½, q = ¼, shares ½, ⅜, ⅛: from the uniform start each report has probability
// ⅓, and g_v = 3·(q + (p − q)·share_v) = ¾ + ¾·share_v.
TEST(Ibu, ThreeValuesByHand) {
  const std::vector<std::uint64_t> counts{4, 3, 1};
  const FlatLikelihood likelihood(counts, 0.5, 0.25);
  const auto one = iterate(likelihood, {.rounds = 1});
  expect_near(one->distribution, {0.375, 0.34375, 0.28125}, 1e-15);
  // The maximum has a zero (mle.h); rounds come near and keep the support full.
  const auto end = iterate(likelihood, {.tolerance = 1e-12});
  expect_near(end->distribution, {5.0 / 7, 2.0 / 7, 0}, 1e-9);
  EXPECT_GT(end->distribution[2], 0);
}

// Remembers where it was asked; may flatter the one who asks, and may keep to itself how it bends.
struct Manner {
  bool flatters = false, tells = true;
};
class Watched final : public Likelihood {
 public:
  Watched(const Likelihood& inner, Manner manner) : inner_(inner), manner_(manner) {}
  std::size_t values() const override { return inner_.values(); }
  double users() const override { return inner_.users(); }
  double gradient(std::span<const double> theta, std::span<double> g) const override {
    last_ = inner_.gradient(theta, g);
    least_ = *std::min_element(theta.begin(), theta.end());
    ++asked_;
    return manner_.flatters ? asked_ : last_;
  }
  std::vector<double> information(std::span<const double> theta,
                                  std::span<const std::size_t> among) const override {
    return manner_.tells ? inner_.information(theta, among) : std::vector<double>{};
  }
  // too long for differences to be taken
  double steps() const override { return manner_.tells ? inner_.steps() : 1e12; }
  mutable double last_ = 0, least_ = 0, asked_ = 0;

 private:
  const Likelihood& inner_;
  Manner manner_;
};

// How far ℓ ever falls from a round that was kept to the next.
double deepest_fall(const Likelihood& likelihood, EstimateOptions options, Manner manner) {
  const Watched watched(likelihood, manner);
  double before = -INFINITY, fall = 0;
  options.progress = [&](std::size_t, double) {
    fall = std::max(fall, before - watched.last_);
    before = watched.last_;
    EXPECT_GT(watched.least_, 0);
    return true;
  };
  const auto done = iterate(watched, options);
  EXPECT_TRUE(done);
  EXPECT_EQ(static_cast<double>(done->iterations) + 1, watched.asked_);
  return fall;
}

// A hundred random channels, 3 to 12 values. Rounding of ℓ is below 1e-14. A likelihood that says
// after every step that it was an improvement switches the safeguard off: then some steps fall.
TEST(Ibu, NeverFalls) {
  Seeded source(15);
  double plain = 0, squarem = 0, parabolas = 0, unguarded = 0, unguarded_parabolas = 0;
  for (int i = 0; i < 100; ++i) {
    const std::size_t rows = 3 + static_cast<std::size_t>(i) % 10, columns = rows + 2;
    const auto channel = testing::random_channel(source, rows, columns);
    const auto counts =
        testing::random_counts(source, channel, testing::random_distribution(source, rows), 500);
    const auto likelihood = *ChannelLikelihood::create(channel, doubles(counts));
    const EstimateOptions options{.tolerance = 1e-12, .rounds = 300};
    EstimateOptions slow = options;
    slow.accelerate = false;
    const auto raise = [&](double& worst, const EstimateOptions& how, Manner manner) {
      worst = std::max(worst, deepest_fall(*likelihood, how, manner));
    };
    raise(plain, slow, {});
    raise(squarem, options, {.tells = false});
    raise(parabolas, options, {});
    raise(unguarded, options, {.flatters = true, .tells = false});
    raise(unguarded_parabolas, options, {.flatters = true});
  }
  EXPECT_LT(plain, 1e-14);
  EXPECT_LT(squarem, 1e-14);
  EXPECT_LT(parabolas, 1e-14);
  EXPECT_GT(unguarded, 1e-6);  // the broken twins are caught
  EXPECT_GT(unguarded_parabolas, 1e-6);
}

// Accelerated it gets to the same place, and far sooner: by extrapolation alone, and sooner still
// by parabolas.
TEST(Ibu, AcceleratedIsSooner) {
  Seeded source(16);
  std::size_t slow = 0, squarem = 0, parabolas = 0;
  for (int i = 0; i < 20; ++i) {
    const auto channel = testing::random_channel(source, 10, 12);
    const auto counts =
        testing::random_counts(source, channel, testing::random_distribution(source, 10), 5000);
    const auto likelihood = *ChannelLikelihood::create(channel, doubles(counts));
    const auto run = [&](bool accelerate, bool tells, std::size_t& rounds) {
      const auto done = iterate(Watched(*likelihood, {.tells = tells}),
                                {.tolerance = 1e-7, .rounds = 100'000, .accelerate = accelerate});
      EXPECT_EQ(done->stopped, Stopped::kTolerance);
      rounds += done->iterations;
      return *done->log_likelihood;
    };
    const double wanted = run(false, false, slow);
    EXPECT_NEAR(run(true, false, squarem), wanted, 2e-7 * 5000);
    EXPECT_NEAR(run(true, true, parabolas), wanted, 2e-7 * 5000);
  }
  RecordProperty("plain", static_cast<int>(slow));
  RecordProperty("squarem", static_cast<int>(squarem));
  RecordProperty("parabolas", static_cast<int>(parabolas));
  EXPECT_LT(10 * squarem, slow) << squarem << " against " << slow;
  EXPECT_LT(2 * parabolas, squarem) << parabolas << " against " << squarem;
}

// Narrow channels whose maximum has many zeros, where extrapolation alone takes thousands of
// rounds.
TEST(Ibu, ReachesATightCertificate) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    Seeded source(seed);
    const auto channel =
        *dense(channel::TruncatedGeometric{50, channel::Ratio::exactly(Rational(6, 5))});
    const auto counts =
        testing::random_counts(source, channel, testing::random_distribution(source, 50), 3000);
    const auto likelihood = *ChannelLikelihood::create(channel, doubles(counts));
    const auto done = iterate(*likelihood, {.tolerance = 1e-12, .rounds = 200});
    EXPECT_EQ(done->stopped, Stopped::kTolerance) << *done->gap;
  }
}

TEST(Ibu, Starts) {
  const auto likelihood = coin();
  const auto from = [&](std::vector<double> start) {
    return iterate(likelihood, {.tolerance = 1e-12, .start = std::move(start)});
  };
  // A zero would stay one for ever; smoothed, it gets to the maximum like any other.
  EXPECT_FALSE(from({0.1, 0.9})->start_smoothed);
  const auto smoothed = from({0, 1});
  EXPECT_TRUE(smoothed->start_smoothed);
  expect_near(smoothed->distribution, {0.9, 0.1}, 1e-9);
  const auto first = iterate(likelihood, {.rounds = 0, .start = {0, 1}});
  expect_near(first->distribution, {0.0005, 0.9995}, 1e-15);

  EXPECT_EQ(from({1}).error().text(),
            "start: found 1 numbers; accepted is one for each of 2 values");
  EXPECT_EQ(from({0.5, 0.6}).error().text(),
            "start: found numbers that sum to 1.1; accepted is a distribution, whose sum is 1");
  EXPECT_EQ(from({-0.5, 1.5}).error().text(),
            "start: found a negative number; accepted is a distribution");
  EXPECT_FALSE(from({NAN, 1}));
}

TEST(Ibu, Stops) {
  EXPECT_EQ(
      iterate(coin(), {.progress = [](std::size_t round, double) { return round < 3; }})->stopped,
      Stopped::kAsked);
  const std::vector<std::uint64_t> none{0, 0};
  EXPECT_EQ(iterate(FlatLikelihood(none, 0.75, 0.25), {}).error().text(),
            "reports: found none; accepted is one at least to estimate from");
  EXPECT_FALSE(iterate(coin(), {.tolerance = NAN}));
  // at the maximum from the start
  const std::vector<std::uint64_t> even{5, 5};
  const auto there = iterate(FlatLikelihood(even, 0.75, 0.25), {});
  EXPECT_EQ(there->iterations, 0);
  EXPECT_EQ(there->stopped, Stopped::kTolerance);
}

// One round of EMS by hand: θ = (0.375, 0.34375, 0.28125) as above, then the kernel: the first gets
// ¾ of its own and ¼ of the next.
TEST(Ibu, Smoothed) {
  const std::vector<std::uint64_t> counts{4, 3, 1};
  const FlatLikelihood likelihood(counts, 0.5, 0.25);
  const auto one = iterate(likelihood, {.rounds = 1, .smooth = true});
  expect_near(one->distribution,
              {0.75 * 0.375 + 0.25 * 0.34375, 0.25 * 0.375 + 0.5 * 0.34375 + 0.25 * 0.28125,
               0.25 * 0.34375 + 0.75 * 0.28125},
              1e-15);
  const auto end = iterate(likelihood, {.smooth = true});
  EXPECT_EQ(end->stopped, Stopped::kChange);
  EXPECT_NEAR(end->distribution[0] + end->distribution[1] + end->distribution[2], 1, 1e-14);
  EXPECT_GT(*end->gap, 0.01);  // its end isn't the maximum, and it says so
}

}  // namespace
}  // namespace discreet::local
