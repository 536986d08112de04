// Schedules, accounts, optimisers, names of networks.
#include <gtest/gtest.h>

#include <cmath>

#include "discreet/learn/account.h"
#include "discreet/learn/network.h"
#include "discreet/learn/optimiser.h"
#include "discreet/learn/schedule.h"
#include "discreet/learn/sensitivity.h"
#include "discreet/learn/subsampled.h"
#include "discreet/privacy/accountant.h"
#include "discreet/privacy/calibrate.h"

namespace discreet::learn {
namespace {

TEST(Schedule, ValuesOverSteps) {
  const struct {
    const char* text;
    double first, middle, last;
  } cases[] = {{"0.5", 0.5, 0.5, 0.5},
               {"0.5->0.1", 0.5, 0.3, 0.104},
               {"0.5->0.1:linear", 0.5, 0.3, 0.104},
               {"0.5->0.1:cosine", 0.5, 0.3, 0.1001},
               {"0.4->0.1:exponential", 0.4, 0.2, 0.1014},
               {"0.5,50:0.2,80:0.1", 0.5, 0.2, 0.1}};
  for (const auto& c : cases) {
    const auto schedule = *Schedule::parse("x", c.text);
    EXPECT_NEAR(schedule.at(0, 100), c.first, 1e-9) << c.text;
    EXPECT_NEAR(schedule.at(50, 100), c.middle, 1e-9) << c.text;
    EXPECT_NEAR(schedule.at(99, 100), c.last, 1e-3) << c.text;
  }
  for (const char* bad : {"", "0", "-1", "nan", "1->", "->1", "1->2:zigzag", "1,2", "1,0:2", "5:1",
                          "1,5:2,5:3", "1,x:2", "1e99"})
    EXPECT_FALSE(Schedule::parse("x", bad)) << bad;
}

// Stretches of noise are never below the schedule: less noise than was asked for costs privacy.
TEST(Schedule, StretchesAreNotBelow) {
  for (const char* text : {"1.5->0.7", "0.7->1.5:cosine", "2->0.5:exponential", "1,10:0.5"})
    for (const std::uint64_t steps : {1U, 7U, 100U, 1001U}) {
      const auto schedule = *Schedule::parse("x", text);
      const auto pieces = schedule.pieces(steps, 32);
      EXPECT_LE(pieces.size(), 32U);
      for (std::uint64_t step = 0; step < steps; ++step) {
        const Schedule::Piece* at = &pieces[0];
        for (const auto& piece : pieces)
          if (piece.begin <= step) at = &piece;
        EXPECT_GE(to_double(at->value), schedule.at(step, steps) * (1 - 1e-12));
        EXPECT_LE(to_double(at->value), schedule.at(step, steps) * 1.6 + 0.1);
      }
    }
}

TEST(Account, EventsOfSchedules) {
  const auto event = subsampled_event(Rational(1, 100), {{0, 2}, {30, 1}}, 100);
  EXPECT_EQ(privacy::describe(event),
            "compose(poisson(0.01, gaussian(sigma=2))*30, poisson(0.01, gaussian(sigma=1))*70)");
  EXPECT_EQ(privacy::describe(subsampled_event(Rational(1, 100), {{0, 2}, {30, 1}}, 30)),
            "poisson(0.01, gaussian(sigma=2))*30");
}

// The noise that is found fits, and a percent less doesn't.
TEST(Account, CalibratedNoiseJustFits) {
  for (const bool before : {false, true}) {
    Account account{.steps = 1000};
    if (before) account.before = {{privacy::Gaussian{20}}};
    account.training = [](const Rational& sigma, std::uint64_t steps) {
      return subsampled_event(Rational(1, 100), {{0, sigma}, {500, sigma / 2}}, steps);
    };
    const Rational sigma = *calibrate_noise(account, 2, Rational(1, 100000));
    EXPECT_LE(*epsilon_of(account.event(sigma, 1000), Rational(1, 100000)), 2);
    EXPECT_GT(*epsilon_of(account.event(sigma * Rational(99, 100), 1000), Rational(1, 100000)), 2);
  }
  Account spent{.before = {{privacy::Gaussian{1}}}, .steps = 1};
  spent.training = [](const Rational& sigma, std::uint64_t steps) {
    return subsampled_event(1, {{0, sigma}}, steps);
  };
  EXPECT_FALSE(calibrate_noise(spent, 1, Rational(1, 100000)));
}

TEST(Account, SharesAddUpLikeVariances) {
  const Rational whole = *sigma_of_share(2, Rational(1, 100000), 1);
  const Rational part = *sigma_of_share(2, Rational(1, 100000), Rational(1, 4));
  EXPECT_NEAR(to_double(part) / to_double(whole), 2, 1e-3);
}

// What is written is rounded up, however few digits it has.
TEST(Account, SharesAreNeverLarger) {
  for (const Rational& epsilon : {Rational(1, 10), Rational(1), Rational(7, 3), Rational(8)}) {
    const auto whole = *privacy::Expression::parse({"gaussian(sigma=?)"});
    const Rational least = privacy::calibrate(whole, epsilon, Rational(1, 100000), {})->value;
    for (const int parts : {1, 2, 3, 4, 7, 100}) {
      const Rational part = *sigma_of_share(epsilon, Rational(1, 100000), Rational(1, parts));
      EXPECT_GE(part * part / parts, least * least) << parts;
      EXPECT_LE(part * part / parts, least * least * Rational(1001, 1000)) << parts;
    }
  }
}

// With the ε that is told, the accountant's own δ is no larger than the one it was told for.
TEST(Account, TheEpsilonThatIsToldHolds) {
  const Rational delta(1, 100000);
  for (const char* text :
       {"gaussian(sigma=2)", "poisson(0.01, gaussian(sigma=1))*1000", "laplace(scale=5)*40"}) {
    const auto event = privacy::parse_event(text);
    ASSERT_TRUE(event) << event.error().text();
    const double epsilon = *epsilon_of(*event, delta);
    const auto least_delta = [&](double share) {
      const auto found = privacy::account_delta(*event, *exactly(epsilon * share), {});
      return found ? found->value.lower : -1;
    };
    EXPECT_LE(least_delta(1), 1e-5) << text;
    EXPECT_GT(least_delta(0.995), 1e-5) << text;  // the check can fail
  }
}

TEST(Sensitivity, IsAboveTheBoundAndLittleMore) {
  for (const double clip : {1e-3, 0.5, 1.0, 1.5, 4.0, 1e4}) {
    const double step = grid_step(clip);
    EXPECT_LE(clip / step, 0x1p24);
    EXPECT_GE(clip / step, 0x1p23);
    for (const std::size_t rows : {1U, 16U, 64U}) {
      const double c = grid_sensitivity(clip, rows, 100'000, step) * step;
      EXPECT_LT(c, clip * 1.0013);
      // C + 4·γ_{k+4}·k·C + 2·s·√P + 2^-80, for any P: never less, and 2^-39 more at most.
      for (const double coordinates : {1.0, 1e5, 1e8, 1e12}) {
        const auto k = static_cast<double>(rows);
        const double nu = (k + 4) * 0x1p-24, gamma = nu / (1 - nu);
        const double bound =
            clip + 4 * gamma * k * clip + 2 * step * std::sqrt(coordinates) + 0x1p-80;
        const double found =
            grid_sensitivity(clip, rows, static_cast<std::size_t>(coordinates), step) * step;
        EXPECT_GE(found, bound) << clip << ' ' << rows << ' ' << coordinates;
        EXPECT_LE(found, bound * (1 + 0x1p-39)) << clip << ' ' << rows << ' ' << coordinates;
      }
    }
  }
  EXPECT_EQ(clip_factor(0.25, 1), 1.0F);
  EXPECT_EQ(clip_factor(NAN, 1), 0.0F);
  EXPECT_EQ(clip_factor(INFINITY, 1), 0.0F);
  EXPECT_EQ(clip_factor(1e62, 1), 0.0F);
  for (const double norm : {1.0, 1.0001, 3.0, 1e20})
    EXPECT_LE(static_cast<double>(clip_factor(norm * norm, 1)) * norm, 1.0);
}

// As careless as it looks: a relative margin is nothing where floats have absolute steps.
float careless_factor(double squared_norm, double clip) {
  const double norm = std::sqrt(squared_norm) * (1 + 0x1p-20);
  return norm <= clip ? 1 : static_cast<float>(clip / norm * (1 - 0x1p-20));
}

TEST(Sensitivity, NoFactorRoundsUp) {
  bool careless_is_longer = false;
  for (const double clip : {1e-12, 1e-7, 1.0, 1e12})
    for (const double size : {1e20, 1e29, 1e30, 1e31, 1e38, 1e44, 1e50, 1e100, 1e149})
      for (const double times : {1.0, 1.4, 3.0, 9.4}) {
        const double norm = size * times;
        EXPECT_LE(static_cast<double>(clip_factor(norm * norm, clip)) * norm, clip) << norm;
        careless_is_longer |=
            static_cast<double>(careless_factor(norm * norm, clip)) * norm > 1.3 * clip;
      }
  EXPECT_TRUE(careless_is_longer);
  // Large, but not absurd: still there.
  EXPECT_GT(clip_factor(1e40, 1), 0.0F);
  EXPECT_TRUE(is_clip(kLeastClip) && is_clip(kMostClip) && is_clip(1));
  for (const double clip : {0.0, -1.0, 9e-13, 1.1e12, double(INFINITY), double(NAN)})
    EXPECT_FALSE(is_clip(clip));
}

TEST(Optimiser, FollowsItsRule) {
  const std::vector<float> gradient = {1, -2};
  std::vector<float> w = {0, 0};
  Optimiser sgd({}, 2);
  sgd.step(0, 10, 0.5, gradient, w);
  EXPECT_EQ(w, (std::vector<float>{-0.5F, 1}));
  w = {0, 0};
  Optimiser momentum({.rule = Rule::kMomentum, .momentum = 0.5}, 2);
  momentum.step(0, 10, 1, gradient, w);
  momentum.step(1, 10, 1, gradient, w);
  EXPECT_EQ(w, (std::vector<float>{-2.5F, 5}));
  w = {0, 0};
  Optimiser adam({.rule = Rule::kAdam}, 2);
  adam.step(0, 10, 0.1, gradient, w);  // the first step of Adam is the rate, whatever the size
  EXPECT_NEAR(w[0], -0.1F, 1e-5);
  EXPECT_NEAR(w[1], 0.1F, 1e-5);
}

TEST(Optimiser, AveragesAndStates) {
  for (const Averaging averaging : {Averaging::kExponential, Averaging::kTail}) {
    Optimiser one({.averaging = averaging}, 1), two({.averaging = averaging}, 1);
    std::vector<float> w = {0}, v = {0};
    double tail = 0;
    for (std::uint64_t step = 0; step < 10; ++step) {
      const std::vector<float> gradient = {-1};
      one.step(step, 10, 1, gradient, w);
      if (step >= 5) tail += static_cast<double>(w[0]) / 5;
    }
    if (averaging == Averaging::kTail) {
      EXPECT_NEAR(one.result(w)[0], tail, 1e-5);
    } else {
      EXPECT_LT(one.result(w)[0], w[0]);
    }
    ASSERT_TRUE(two.restore(one.state()));
    EXPECT_EQ(two.result(v)[0], one.result(w)[0]);
    EXPECT_FALSE(two.restore(std::vector<float>{1}));
  }
}

TEST(Network, Names) {
  const Shape image{.channels = 1, .height = 28, .width = 28};
  EXPECT_EQ(make_network("cnn", image, 10, {})->weights(), 26'010U);
  EXPECT_EQ(make_network("mlp:256,64", image, 10, {})->weights(),
            784U * 256 + 256 + 256 * 64 + 64 + 64 * 10 + 10);
  for (const char* name : {"logistic", "linear", "scatter", "layers:linear:4-tanh"})
    EXPECT_EQ(make_network(name, image, 3, {})->name(), name);
  for (const char* name : {"logistic", "mlp:3", "cnn", "layers:conv:4:3-groupnorm:2-tanh"}) {
    const auto network = *make_network(name, image, 3, {.activation = "tanh"});
    const auto again = make_network(network.name(), image, 3, {});
    ASSERT_TRUE(again) << network.name();
    EXPECT_EQ(again->weights(), network.weights());
    EXPECT_EQ(again->name(), network.name());
  }
  for (const char* bad :
       {"", "deep", "mlp:", "mlp:0", "mlp:-1", "mlp:1e9", "mlp:99999999", "layers:conv:4:30",
        "layers:conv:0:3", "layers:relu-embed:3:3", "layers:groupnorm:2", "layers:tempered:0:1:1",
        "layers:linear:16777216-linear:16777216"})
    EXPECT_FALSE(make_network(bad, image, 3, {})) << bad;
  const auto refused = make_network("layers:linear:8-batchnorm", image, 3, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("depend on the others"), std::string::npos);
}

}  // namespace
}  // namespace discreet::learn
