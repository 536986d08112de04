// Audits with a planted example: what is released with it and without it may be told apart as well
// as the account says, and no better. Each has broken twins that the same audit catches. (Those of
// Poisson lots are in trainer_test.cc.)
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "discreet/learn/moments.h"
#include "discreet/learn/pca.h"
#include "discreet/learn/regression.h"
#include "discreet/learn/trainer.h"
#include "discreet/learn/tree.h"
#include "discreet/privacy/accountant.h"
#include "discreet/random/generator.h"

namespace discreet::learn {
namespace {

struct Audited {
  double low = -1, high = -1;          // of the best half-line's P[in] − e^½ P[out], at 10^-6
  double said_low = 0, said_high = 0;  // by the account
};

// 20 half-lines that are fixed beforehand: 2·20 shares at Hoeffding's 10^-6/40.
Audited compare(const std::vector<double> (&seen)[2], double first, double last,
                const privacy::Event& event) {
  Audited out;
  const double n = static_cast<double>(seen[0].size());
  const double slack = std::sqrt(std::log(4e7) / (2 * n));
  for (int i = 0; i < 20; ++i) {
    const double edge = first + (last - first) * i / 19;
    const auto share = [&](const std::vector<double>& all) {
      return static_cast<double>(std::ranges::count_if(all, [&](double v) { return v > edge; })) /
             n;
    };
    const double in = share(seen[1]), absent = share(seen[0]);
    out.low = std::max(out.low, in - slack - std::exp(0.5) * (absent + slack));
    out.high = std::max(out.high, in + slack - std::exp(0.5) * (absent - slack));
  }
  const auto said = privacy::account_delta(event, Rational(1, 2), {})->value;
  out.said_low = said.lower;
  out.said_high = said.upper;
  return out;
}

// ---- DP-FTRL: two epochs of two steps. The planted example is where it hurts most.

enum class Defect { kNone, kSameNodeAfterARestart, kForgottenLevel };

class Planted final : public Regime {
 public:
  Planted(Defect defect, TreeAggregation& real, std::vector<std::uint64_t> steps)
      : defect_(defect), real_(real), steps_(std::move(steps)) {}
  Result<std::vector<std::uint64_t>> lot(std::uint64_t step, std::uint64_t rows,
                                         random::Source&) override {
    // The others half and half; the last one, if it is there, where it was planted.
    std::vector<std::uint64_t> out;
    for (std::uint64_t i = 0; i < kOthers; ++i)
      if (i % 2 == step % 2) out.push_back(i);
    if (rows > kOthers && std::ranges::count(steps_, step % 4) > 0) out.push_back(kOthers);
    return out;
  }
  double expected_lot() const override { return real_.expected_lot(); }
  const Rational& sigma(std::uint64_t step) const override { return real_.sigma(step); }
  Status add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                   std::span<std::int64_t> sum) override {
    std::vector<std::int64_t> noise(sum.size());
    const Status drawn = real_.add_noise(step, parts, noise);
    if (step % 4 == 0) first_ = noise;
    if (step % 2 == 0) node_ = noise;
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (defect_ == Defect::kSameNodeAfterARestart && step % 4 == 2) noise[i] = first_[i];
      if (defect_ == Defect::kForgottenLevel && step % 2 == 1) noise[i] = -node_[i];
      sum[i] += noise[i];
    }
    return drawn;
  }
  Result<privacy::Event> spent(std::uint64_t steps) const override { return real_.spent(steps); }

  static constexpr std::uint64_t kOthers = 8;

 private:
  Defect defect_;
  TreeAggregation& real_;
  std::vector<std::uint64_t> steps_;
  std::vector<std::int64_t> first_, node_;
};

// `by` weighs the four steps' sums of the planted feature.
Audited audit_tree(Defect defect, const std::vector<std::uint64_t>& steps,
                   const std::array<double, 4>& by) {
  constexpr std::size_t kRuns = 8000, kWidth = 3;
  const Rational sigma(2);
  Workers workers(1);
  std::vector<double> seen[2];
  for (const std::size_t planted : {0U, 1U}) {
    Examples examples{
        .shape = {.width = kWidth}, .count = Planted::kOthers + planted, .classes = 2};
    for (std::size_t i = 0; i < examples.count; ++i) {
      const bool it = i == Planted::kOthers;
      for (std::size_t j = 0; j < kWidth; ++j)
        examples.x.push_back(it == (j == kWidth - 1) ? (it ? 400.0F : 0.1F) : 0.0F);
      examples.y.push_back(it ? 1.0F : static_cast<float>(i % 2));
    }
    const Network network = *make_network("logistic", examples.shape, 2, {});
    TrainerOptions options;
    options.steps = 4 * kRuns;
    options.rate = Schedule::constant(1);
    auto real = *TreeAggregation::create(5, 10, sigma, workers);
    EXPECT_EQ(real.steps_an_epoch(), 2U);
    Planted regime(defect, real, steps);
    auto trainer = *Trainer::create(network, examples, regime, options, workers);
    std::vector<float> state = trainer->state();
    std::fill(state.begin(), state.begin() + kWidth + 1, 0.0F);
    for (std::uint64_t run = 0; run < kRuns; ++run) {
      double sum = 0;
      for (std::uint64_t step = 0; step < 4; ++step) {
        EXPECT_TRUE(trainer->restore(4 * run + step, state));
        EXPECT_TRUE(trainer->step());
        sum += by[step] * static_cast<double>(trainer->weights()[kWidth - 1]) * 5;
      }
      seen[planted].push_back(sum);
    }
  }
  double most = 0;
  for (const std::uint64_t step : steps) most += by[step];
  return compare(seen, 0, 2 * most, tree_event(2, sigma, 2));
}

// The two prefixes of each epoch, 2·s₀ + s₁: all four noisy nodes, which is what the account
// counts.
TEST(TreeAudit, NeighboursAreAsFarApartAsTheAccountSays) {
  const Audited found = audit_tree(Defect::kNone, {0, 2}, {2, 1, 2, 1});
  EXPECT_LE(found.low, found.said_high);
  EXPECT_GE(found.high, 0.95 * found.said_low);
  EXPECT_GT(found.said_low, 0.2);
}

// In step 0 of one epoch and step 1 of the next: the difference of the epochs' first nodes.
TEST(TreeAudit, ANodesNoiseThatIsTakenAgainAfterARestartIsCaught) {
  const Audited right = audit_tree(Defect::kNone, {0, 3}, {1, 0, -1, 0});
  EXPECT_LE(right.low, right.said_high);
  const Audited wrong = audit_tree(Defect::kSameNodeAfterARestart, {0, 3}, {1, 0, -1, 0});
  EXPECT_GT(wrong.low, wrong.said_high) << wrong.low;
}

// The prefix of both steps has a node of its own, which has noise of its own.
TEST(TreeAudit, AForgottenLevelIsCaught) {
  const Audited right = audit_tree(Defect::kNone, {0, 2}, {1, 1, 0, 0});
  EXPECT_LE(right.low, right.said_high);
  const Audited wrong = audit_tree(Defect::kForgottenLevel, {0, 2}, {1, 1, 0, 0});
  EXPECT_GT(wrong.low, wrong.said_high) << wrong.low;
}

// ---- Principal components: a direction that nobody else has.

Audited audit_components(double careless) {
  const Rational sigma(1), used = *exactly(1 / careless);
  std::vector<double> seen[2];
  for (const std::size_t planted : {0U, 1U}) {
    const Examples examples{.shape = {.width = 2},
                            .count = planted,
                            .x = std::vector<float>(planted == 1 ? 2 : 0, 0.0F)};
    Examples own = examples;
    if (planted == 1) own.x[1] = 7;
    for (int run = 0; run < 3000; ++run) {
      const auto found = private_components(own, 1, used, random::thread_generator());
      EXPECT_TRUE(found);
      const double x = double{found->components[0]}, y = double{found->components[1]};
      seen[planted].push_back(std::abs(y) / std::hypot(x, y));
    }
  }
  return compare(seen, 0.5, 0.999, moments_event(sigma));
}

TEST(PcaAudit, TellsNoMoreThanItsEvent) {
  const Audited found = audit_components(1);
  EXPECT_LE(found.low, found.said_high);
  EXPECT_GT(found.high, 0) << "nothing is seen of the planted example: the audit is blind";
}
TEST(PcaAudit, TooLittleNoiseIsCaught) {
  const Audited found = audit_components(10);
  EXPECT_GT(found.low, found.said_high) << found.low;
}

// ---- Regression: a row that decides alone what the weight is.

Audited audit_regression(double careless) {
  const Rational sigma(1), used = *exactly(1 / careless);
  std::vector<double> seen[2];
  for (const std::size_t planted : {0U, 1U}) {
    const BallRows rows{planted, 1,
                        std::vector<std::int16_t>(planted, std::int16_t{BallRows::kOne})};
    const std::vector<float> targets(planted, 1.0F);
    for (int run = 0; run < 3000; ++run) {
      const auto found = regress(rows, targets, used, random::thread_generator());
      EXPECT_TRUE(found);
      seen[planted].push_back(found->weights[0]);
    }
  }
  return compare(seen, 0.02, 0.8, moments_event(sigma));
}

TEST(RegressionAudit, TellsNoMoreThanItsEvent) {
  const Audited found = audit_regression(1);
  EXPECT_LE(found.low, found.said_high);
  EXPECT_GT(found.high, 0) << "nothing is seen of the planted example: the audit is blind";
}
TEST(RegressionAudit, TooLittleNoiseIsCaught) {
  const Audited found = audit_regression(10);
  EXPECT_GT(found.low, found.said_high) << found.low;
}

}  // namespace
}  // namespace discreet::learn
