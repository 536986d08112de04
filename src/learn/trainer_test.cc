// A step of DP-SGD as its numbers come out, and an audit that tries to tell neighbours apart.
#include "discreet/learn/trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>

#include "discreet/learn/account.h"
#include "discreet/learn/model.h"
#include "discreet/learn/sensitivity.h"
#include "discreet/learn/subsampled.h"
#include "discreet/learn/testing/plain.h"
#include "discreet/privacy/accountant.h"
#include "discreet/random/testing/sources.h"

namespace discreet::learn {
namespace {

// Passes lots and sums through, and lets a test see them: the exact sum before noise.
class Spy final : public Regime {
 public:
  explicit Spy(std::vector<std::uint64_t> lot, Rational sigma = 1)
      : lot_(std::move(lot)), sigma_(std::move(sigma)) {}
  Result<std::vector<std::uint64_t>> lot(std::uint64_t, std::uint64_t, random::Source&) override {
    if (during_lot) during_lot();
    return lot_;
  }
  double expected_lot() const override { return static_cast<double>(lot_.size()); }
  const Rational& sigma(std::uint64_t) const override { return sigma_; }
  Status add_noise(std::uint64_t, std::span<const NoisyPart> parts,
                   std::span<std::int64_t> sum) override {
    seen.assign(sum.begin(), sum.end());
    seen_parts.assign(parts.begin(), parts.end());
    return {};
  }
  Result<privacy::Event> spent(std::uint64_t) const override {
    return fail(Code::kFailure, "not here");
  }
  std::vector<std::int64_t> seen;
  std::vector<NoisyPart> seen_parts;
  std::function<void()> during_lot;

 private:
  std::vector<std::uint64_t> lot_;
  Rational sigma_;
};

struct Fixture {
  Workers workers{2};
  random::testing::Seeded source{11};
  testing::Case of{"mlp:12,7", {.width = 9}, 4};
  Network network = *make_network(of.name, of.shape, of.classes, {});
  Examples examples = testing::draw(of, 150, source);
};

std::vector<std::uint64_t> first(std::size_t n) {
  std::vector<std::uint64_t> out(n);
  for (std::size_t i = 0; i < n; ++i) out[i] = i;
  return out;
}

// The sum of a step against examples one by one: clipped to C, each at most C long.
TEST(Trainer, AStepsSumIsThatOfClippedGradients) {
  Fixture f;
  Spy spy(first(150));
  TrainerOptions options;
  options.steps = 3;
  options.clip = Schedule::constant(Rational(1, 2));
  auto trainer = *Trainer::create(f.network, f.examples, spy, options, f.workers);
  const std::vector<float> weights(trainer->weights().begin(), trainer->weights().end());
  const StepReport report = *trainer->step();
  std::vector<double> exact(weights.size());
  double loss = 0, right = 0;
  Model model;
  model.network = f.network.name();
  model.shape = f.of.shape;
  model.classes = f.of.classes;
  model.weights = weights;
  const std::vector<Scored> all = *score_all(model, f.examples);
  for (const Scored& scored : all) right += scored.right ? 1 : 0;
  ASSERT_GT(right, 10);
  ASSERT_LT(right, 140);
  std::size_t clipped = 0;
  for (std::size_t i = 0; i < 150; ++i) {
    const auto own = testing::own_gradient(f.network, weights, f.examples, i);
    double norm = 0;
    for (const float v : own) norm += static_cast<double>(v) * static_cast<double>(v);
    norm = std::sqrt(norm);
    clipped += norm > 0.5 ? 1 : 0;
    for (std::size_t j = 0; j < own.size(); ++j)
      exact[j] += static_cast<double>(own[j]) * std::min(1.0, 0.5 / norm);
    loss += std::min(testing::loss_of(f.network, weights, f.examples, i), 2 * std::log(4.0));
  }
  ASSERT_GT(clipped, 20);
  const double step = grid_step(0.5);
  double off = 0, length = 0;
  for (std::size_t j = 0; j < exact.size(); ++j) {
    off += std::pow(static_cast<double>(spy.seen[j]) * step - exact[j], 2);
    length += exact[j] * exact[j];
  }
  EXPECT_LT(std::sqrt(off), 1e-4 * std::sqrt(length) + 1e-4);
  EXPECT_NEAR(report.loss, loss / 150, 1e-4);
  EXPECT_NEAR(report.accuracy, right / 150, 1e-6);
  // The step itself: w − η·(1/L)·sum.
  for (std::size_t j = 0; j < exact.size(); ++j)
    ASSERT_NEAR(static_cast<double>(trainer->weights()[j]),
                static_cast<double>(weights[j]) - 0.1 * exact[j] / 150, 1e-5);
}

// On one thread and on two, in tiles of any size: integers, so the same up to tiles' rounding.
TEST(Trainer, ThreadsAndTilesDontMatter) {
  Fixture f;
  std::vector<std::vector<std::int64_t>> sums;
  std::vector<float> state;
  for (const std::size_t threads : {1U, 2U, 3U})
    for (const std::size_t batch : {1U, 7U, 1000U}) {
      Workers workers(threads);
      Spy spy(first(101));
      TrainerOptions options;
      options.batch = batch;
      auto trainer = *Trainer::create(f.network, f.examples, spy, options, workers);
      if (state.empty()) state = trainer->state();
      ASSERT_TRUE(trainer->restore(0, state));
      ASSERT_TRUE(trainer->step());
      sums.push_back(spy.seen);
    }
  for (const auto& sum : sums)
    for (std::size_t j = 0; j < sum.size(); ++j)
      ASSERT_NEAR(static_cast<double>(sum[j]), static_cast<double>(sums[0][j]), 300);
}

// A step that is stopped under way gives nothing out, and is not done.
TEST(Trainer, AStepThatIsStoppedReleasesNothing) {
  Fixture f;
  Spy spy(first(150));
  std::atomic<bool> stop = false;
  TrainerOptions options;
  options.steps = 3;
  options.stop = &stop;
  auto trainer = *Trainer::create(f.network, f.examples, spy, options, f.workers);
  ASSERT_TRUE(trainer->step());
  const std::vector<float> before = trainer->state();
  spy.seen.clear();
  spy.during_lot = [&] { stop = true; };
  const auto step = trainer->step();
  ASSERT_FALSE(step);
  EXPECT_EQ(step.error().code, Code::kInterrupted);
  EXPECT_TRUE(spy.seen.empty());
  EXPECT_EQ(trainer->done(), 1U);
  EXPECT_EQ(trainer->state(), before);
  spy.during_lot = nullptr;
  stop = false;
  ASSERT_TRUE(trainer->step());
  EXPECT_FALSE(spy.seen.empty());
  EXPECT_EQ(trainer->done(), 2U);
}

// Which examples share a tile is drawn anew in every step, whatever order the lot came in: sums of
// the same lot differ in what tiles round.
TEST(Trainer, ALotsOrderIsDrawn) {
  Fixture f;
  std::vector<float> state;
  std::vector<std::vector<std::int64_t>> sums;
  for (int run = 0; run < 8; ++run) {
    Spy spy(first(150));
    auto trainer = *Trainer::create(f.network, f.examples, spy, {}, f.workers);
    if (state.empty()) state = trainer->state();
    ASSERT_TRUE(trainer->restore(0, state));
    ASSERT_TRUE(trainer->step());
    sums.push_back(spy.seen);
  }
  std::ranges::sort(sums);
  EXPECT_GT(std::ranges::unique(sums).begin() - sums.begin(), 4);
}

TEST(Trainer, TilesAreEven) {
  EXPECT_EQ(even_rows(600, 64, 2), 60U);
  EXPECT_EQ(even_rows(2048, 64, 2), 64U);
  for (const std::size_t most : {std::size_t{1}, std::size_t{8}, std::size_t{64}})
    for (const std::size_t workers : {std::size_t{1}, std::size_t{2}, std::size_t{7}})
      for (std::size_t lot = 0; lot < 300; ++lot) {
        const std::size_t rows = even_rows(lot, most, workers);
        ASSERT_GE(rows, 1U);
        ASSERT_LE(rows, most);
        // No worker has a whole tile more to do than if rows came one by one.
        const std::size_t tiles = (lot + rows - 1) / rows;
        EXPECT_LE((tiles + workers - 1) / workers * rows, (lot + workers - 1) / workers + rows - 1)
            << lot << " " << most << " " << workers;
      }
}

// Adding an example moves the sum by no more than what the noise is scaled to; examples with
// gradients of any length, infinite ones too. The twin, without clipping, moves it further.
TEST(Trainer, AnExampleMovesTheSumByItsSensitivityAtMost) {
  Fixture f;
  const double huge[] = {1, 1e3, 1e30, INFINITY, NAN};
  std::vector<float> state;
  double moved_most = 0, unclipped_most = 0;
  for (const double size : huge) {
    for (std::size_t j = 0; j < f.of.shape.size(); ++j)
      f.examples.x[149 * f.of.shape.size() + j] = static_cast<float>(size);
    std::vector<std::vector<std::int64_t>> sums;
    std::vector<NoisyPart> parts;
    for (const std::size_t n : {149U, 150U}) {
      Spy spy(first(n));
      TrainerOptions options;
      auto trainer = *Trainer::create(f.network, f.examples, spy, options, f.workers);
      // The first weights are always the same: some draws leave all of the last layer's inputs at
      // 0, or the class beyond doubt, and then no gradient is long enough to be clipped.
      if (state.empty()) {
        state = trainer->state();
        ASSERT_TRUE(
            f.network.initialise(f.source, std::span<float>(state).first(f.network.weights())));
      }
      ASSERT_TRUE(trainer->restore(0, state));
      ASSERT_TRUE(trainer->step());
      sums.push_back(spy.seen);
      parts = spy.seen_parts;
    }
    for (const NoisyPart& part : parts) {
      double square = 0;
      for (std::size_t j = part.begin; j < part.end; ++j)
        square += std::pow(static_cast<double>(sums[1][j] - sums[0][j]), 2);
      EXPECT_LE(std::sqrt(square), part.sensitivity) << size;
      if (part.begin == 0) moved_most = std::max(moved_most, std::sqrt(square) / part.sensitivity);
    }
    if (std::isfinite(size) && size < 1e20) {
      const auto own = testing::own_gradient(
          f.network, std::span<const float>(state).first(f.network.weights()), f.examples, 149);
      double norm = 0;
      for (const float v : own) norm += static_cast<double>(v) * static_cast<double>(v);
      unclipped_most = std::max(unclipped_most, std::sqrt(norm));
    }
  }
  EXPECT_GT(moved_most, 0.9);       // the bound is reached
  EXPECT_GT(unclipped_most, 1.01);  // and only clipping keeps to it
}

// An example that isn't finite in one layer is taken out of all of them, where each has a bound of
// its own too. tanh keeps the layers behind the first finite, whatever came in.
TEST(Trainer, AnExampleThatIsNotFiniteInOneLayerIsInNone) {
  Fixture f;
  const Network network =
      *make_network(f.of.name, f.of.shape, f.of.classes, {.activation = "tanh"});
  for (const double size : {1.0, 1e15, double(INFINITY), double(NAN)}) {
    for (std::size_t j = 0; j < f.of.shape.size(); ++j)
      f.examples.x[149 * f.of.shape.size() + j] = static_cast<float>(size);
    for (const bool layers : {false, true}) {
      Spy spy(std::vector<std::uint64_t>{149});
      TrainerOptions options;
      if (layers) options.layers = {{1, 1}, {1, 1}, {1, 1}};
      auto trainer = *Trainer::create(network, f.examples, spy, options, f.workers);
      ASSERT_TRUE(trainer->step());
      const bool nothing =
          std::all_of(spy.seen.begin(), spy.seen.end() - 2, [](std::int64_t v) { return v == 0; });
      EXPECT_EQ(nothing, size != 1) << size << ' ' << layers;
    }
  }
}

// Σ σ_j^-2 is that of the step, whatever the shares; less noise is refused.
TEST(Trainer, PartsOfAStepShareItsPrecision) {
  Fixture f;
  Workers workers(1);
  for (const bool layers : {false, true}) {
    TrainerOptions options;
    if (layers) options.layers = {{1, 1}, {0.5, 4}, {2, 0.1}};
    auto parts = *noisy_parts(f.network, options, Rational(11, 10), 1, 32);
    ASSERT_EQ(parts.size(), layers ? 4U : 2U);
    Rational precision = 0;
    for (const NoisyPart& part : parts) precision += 1 / (part.multiplier * part.multiplier);
    EXPECT_LE(precision, Rational(100, 121));
    EXPECT_GT(precision * Rational(121, 100), Rational(999'999, 1'000'000));
    auto regime = *SubsampledGaussian::create(10, 100, {{0, Rational(11, 10)}}, workers);
    std::vector<std::int64_t> sum(f.network.weights() + 2);
    EXPECT_TRUE(regime.add_noise(0, parts, sum));
    // The twins: a multiplier a millionth too small, a coordinate without noise.
    auto less = parts;
    less[0].multiplier *= Rational(999'999, 1'000'000);
    EXPECT_FALSE(regime.add_noise(0, less, sum));
    sum.push_back(0);
    EXPECT_FALSE(regime.add_noise(0, parts, sum));
  }
}

// A schedule of C changes the grid and what one example changes in its steps, not the precision.
TEST(Trainer, ASchedulesEveryStepHasTheNoiseThatIsAccounted) {
  Fixture f;
  Workers workers(1);
  TrainerOptions options;
  options.steps = 40;
  options.clip = *Schedule::parse("clip", "3->0.01:exponential");
  auto regime =
      *SubsampledGaussian::create(10, 100, {{0, Rational(11, 10)}, {20, Rational(3, 4)}}, workers);
  std::vector<std::int64_t> sum(f.network.weights() + 2);
  for (std::uint64_t step = 0; step < 40; ++step) {
    const double clip = options.clip.at(step, 40);
    const Rational& sigma = regime.sigma(step);
    const auto parts = *noisy_parts(f.network, options, sigma, clip, 32);
    Rational precision = 0;
    for (const NoisyPart& part : parts) precision += 1 / (part.multiplier * part.multiplier);
    EXPECT_LE(precision * sigma * sigma, 1);
    EXPECT_GE(parts[0].sensitivity * grid_step(clip), clip);
    EXPECT_TRUE(regime.add_noise(step, parts, sum));
    // The twin: noise of the stretch before, which has less of it later on.
    if (step >= 20) {
      EXPECT_FALSE(regime.add_noise(0, parts, sum));
    }
  }
}

// What is checked are parts that are told; what is drawn is looked at here.
TEST(Trainer, EachPartOfASumHasTheNoiseOfItsOwn) {
  constexpr std::size_t kEach = 20'000;
  Workers workers(2);
  auto regime = *SubsampledGaussian::create(1, 10, {{0, 3}}, workers);
  std::vector<NoisyPart> parts = {{0, kEach, 100, Rational(9, 2)}, {kEach, 2 * kEach, 40, 5}};
  // Twice the same, and then noise that was drawn before for another part.
  for (int step = 0; step < 3; ++step) {
    if (step == 2) {
      std::swap(parts[0].multiplier, parts[1].multiplier);
      std::swap(parts[0].sensitivity, parts[1].sensitivity);
    }
    std::vector<std::int64_t> sum(2 * kEach);
    ASSERT_TRUE(regime.add_noise(0, parts, sum));
    for (const NoisyPart& part : parts) {
      double squares = 0;
      for (std::size_t i = part.begin; i < part.end; ++i) squares += std::pow(double(sum[i]), 2);
      const double deviation = part.sensitivity * to_double(part.multiplier);
      EXPECT_NEAR(squares / kEach / (deviation * deviation), 1, 0.08) << step;  // 8 deviations
    }
  }
}

// Whatever no rows would change is found out without them.
TEST(Trainer, WhatIsRefusedIsRefusedBefore) {
  Fixture f;
  TrainerOptions options;
  EXPECT_TRUE(check_training(f.network, options, {{0, 1}}));
  options.layers = {{1, 1}, {1, 1}};
  EXPECT_FALSE(check_training(f.network, options, {{0, 1}}));  // of three layers
  options.layers = {{1, 1}, {1, 1e-12}, {1, 1}};
  EXPECT_FALSE(check_training(f.network, options, {{0, 1}}));  // noise that no integer holds
  options.layers = {};
  EXPECT_FALSE(check_training(f.network, options, {{0, 1}, {5, 1'000'000}}));
  options.clip = *Schedule::parse("clip", "1->1e-6");
  EXPECT_TRUE(check_training(f.network, options, {{0, 1}}));
  options.layers = {{1, 1}, {1e-9, 1}, {1, 1}};
  EXPECT_FALSE(check_training(f.network, options, {{0, 1}}));  // too small at the end only
}

// Bounds whose grid floats can't reach (1/step would be infinite, and rounding to it anything) are
// refused by what every step needs.
TEST(Trainer, BoundsBeyondTheGridAreRefused) {
  Fixture f;
  for (const double layer : {4e-33, 1e-14, 1e14}) {
    TrainerOptions options;
    options.layers = {{1, 1}, {layer, 1}, {1, 1}};
    EXPECT_FALSE(noisy_parts(f.network, options, 1, 1, 32)) << layer;
    Spy spy(first(150));
    auto trainer = Trainer::create(f.network, f.examples, spy, options, f.workers);
    EXPECT_FALSE(trainer && (*trainer)->step()) << layer;
    EXPECT_TRUE(spy.seen.empty());
  }
  for (const double clip : {1e-13, 1e13, 0.0, double(NAN)})
    EXPECT_FALSE(noisy_parts(f.network, {}, 1, clip, 32)) << clip;
  for (const double clip : {1e-12, 1e12}) EXPECT_TRUE(noisy_parts(f.network, {}, 1, clip, 32));
}

// ---- The audit. A planted example has a feature that nobody else has, so the weight of that
// feature tells whether it was there: with Poisson lots, its noisy sum is shifted by C in a share q
// of the runs. Half-lines tell the two distributions apart as well as anything does, so the best of
// them must reach δ(ε) of the account, and not exceed it.

enum class Defect { kNone, kNoClipping, kNoiseOutsideMean, kNoiseDividedTwice, kWrongRate };

// What a program with that defect would do, around the real regime.
class Defective final : public Regime {
 public:
  Defective(Defect defect, SubsampledGaussian& real, SubsampledGaussian& other)
      : defect_(defect), real_(real), other_(other) {}
  Result<std::vector<std::uint64_t>> lot(std::uint64_t step, std::uint64_t rows,
                                         random::Source& source) override {
    return (defect_ == Defect::kWrongRate ? other_ : real_).lot(step, rows, source);
  }
  double expected_lot() const override { return real_.expected_lot(); }
  const Rational& sigma(std::uint64_t step) const override { return real_.sigma(step); }
  Status add_noise(std::uint64_t step, std::span<const NoisyPart> parts,
                   std::span<std::int64_t> sum) override {
    std::vector<std::int64_t> noise(sum.size());
    const Status drawn = real_.add_noise(step, parts, noise);
    const auto lot = static_cast<std::int64_t>(real_.expected_lot());
    for (std::size_t j = 0; j < sum.size(); ++j)
      sum[j] += defect_ == Defect::kNoiseOutsideMean    ? noise[j] * lot
                : defect_ == Defect::kNoiseDividedTwice ? noise[j] / lot
                                                        : noise[j];
    return drawn;
  }
  Result<privacy::Event> spent(std::uint64_t steps) const override { return real_.spent(steps); }

 private:
  Defect defect_;
  SubsampledGaussian &real_, &other_;
};

struct Audited {
  double low = 0, high = 0;            // of the best half-line's P[in] − e^ε P[out], at 10^-6
  double said_low = 0, said_high = 0;  // by the account
};

Audited audit(Defect defect, std::size_t runs = 40'000) {
  constexpr std::size_t kOthers = 20, kWidth = 4;
  constexpr std::uint64_t kLot = 7, kCount = 21;
  const Rational sigma(1, 2);
  const double epsilon = 0.5;
  Workers workers(1);
  std::vector<double> seen[2];
  for (const std::size_t planted : {0U, 1U}) {
    Examples examples{.shape = {.width = kWidth}, .count = kOthers + planted, .classes = 2};
    for (std::size_t i = 0; i < examples.count; ++i) {
      const bool it = i == kOthers;
      for (std::size_t j = 0; j < kWidth; ++j)
        examples.x.push_back(it == (j == kWidth - 1) ? (it ? 400.0F : 0.1F) : 0.0F);
      examples.y.push_back(it ? 1.0F : static_cast<float>(i % 2));
    }
    const Network network = *make_network("logistic", examples.shape, 2, {});
    TrainerOptions options;
    options.steps = 1;
    options.rate = Schedule::constant(1);
    Rational used = sigma;
    if (defect == Defect::kNoClipping) {  // a bound that bounds nothing, and the noise of C = 1
      options.clip = Schedule::constant(1000);
      used = sigma / 1000;
    }
    auto real = *SubsampledGaussian::create(kLot, kCount, {{0, used}}, workers);
    auto other = *SubsampledGaussian::create(2 * kLot, kCount, {{0, used}}, workers);
    Defective regime(defect, real, other);
    auto trainer = *Trainer::create(network, examples, regime, options, workers);
    std::vector<float> state = trainer->state();
    std::fill(state.begin(), state.begin() + kWidth + 1, 0.0F);
    for (std::size_t run = 0; run < runs; ++run) {
      EXPECT_TRUE(trainer->restore(0, state));
      EXPECT_TRUE(trainer->step());
      seen[planted].push_back(static_cast<double>(trainer->weights()[kWidth - 1]) * kLot);
    }
  }
  // Half-lines above each of these: fixed beforehand, so 2·20 shares at Hoeffding's 10^-6/40.
  Audited out{-1, -1, 0, 0};
  const double n = static_cast<double>(runs);
  const double slack = std::sqrt(std::log(4e7) / (2 * n));
  for (int i = 0; i < 20; ++i) {
    const double edge = 0.2 + 0.1 * i;
    const auto share = [&](const std::vector<double>& all) {
      return static_cast<double>(
                 std::count_if(all.begin(), all.end(), [&](double v) { return v > edge; })) /
             n;
    };
    const double in = share(seen[1]), absent = share(seen[0]);
    out.low = std::max(out.low, in - slack - std::exp(epsilon) * (absent + slack));
    out.high = std::max(out.high, in + slack - std::exp(epsilon) * (absent - slack));
  }
  const privacy::Event event = subsampled_event(Rational(kLot, kCount), {{0, sigma}}, 1);
  const auto said = privacy::account_delta(event, Rational(1, 2), {})->value;
  out.said_low = said.lower;
  out.said_high = said.upper;
  return out;
}

// Nothing leaks beyond the account, and the account isn't far above what leaks. (A hundredth of the
// precision goes to the loss, which this doesn't look at.)
bool is_as_said(const Audited& found) {
  return found.low <= found.said_high && found.high >= 0.97 * found.said_low;
}

TEST(TrainerAudit, NeighboursAreAsFarApartAsTheAccountSays) {
  const Audited found = audit(Defect::kNone);
  EXPECT_TRUE(is_as_said(found)) << found.low << " … " << found.high << ", said " << found.said_low;
  EXPECT_GT(found.said_low, 0.05);
}
TEST(TrainerAudit, NoClippingIsCaught) {
  const Audited found = audit(Defect::kNoClipping);
  EXPECT_FALSE(is_as_said(found)) << found.low << " … " << found.high;
  EXPECT_GT(found.low, found.said_high);
}
TEST(TrainerAudit, NoiseOutsideTheMeanIsCaught) {
  const Audited found = audit(Defect::kNoiseOutsideMean);  // far too much of it
  EXPECT_FALSE(is_as_said(found)) << found.low << " … " << found.high;
  EXPECT_LT(found.high, found.said_low);
}
TEST(TrainerAudit, NoiseDividedTwiceIsCaught) {
  const Audited found = audit(Defect::kNoiseDividedTwice);
  EXPECT_FALSE(is_as_said(found)) << found.low << " … " << found.high;
  EXPECT_GT(found.low, found.said_high);
}
TEST(TrainerAudit, AWrongRateIsCaught) {
  const Audited found = audit(Defect::kWrongRate);
  EXPECT_FALSE(is_as_said(found)) << found.low << " … " << found.high;
  EXPECT_GT(found.low, found.said_high);
}

}  // namespace
}  // namespace discreet::learn
