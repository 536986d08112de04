// DP-SGD (Abadi et al. 2016, Algorithm 1): one step after the other.
//
//   #include "discreet/learn/subsampled.h"
//   Workers workers;
//   Examples examples{.shape = {.width = 2}, .count = 4, .x = {0, 1, 1, 0, 1, 1, 0, 0},
//                     .y = {0, 1, 1, 0}, .classes = 2};
//   Network network = *make_network("logistic", examples.shape, examples.classes, {});
//   auto regime = *SubsampledGaussian::create(2, 4, {{0, Rational(3, 2)}}, workers);
//   TrainerOptions options;
//   options.steps = 10;
//   auto trainer = *Trainer::create(network, examples, regime, options, workers);
//   StepReport report = *trainer->step();  // spends regime.spent(1)
//
// A step: a lot is drawn and put into random order, cut into tiles; each example's gradient is
// clipped to C; sums become integers on a grid; noise is added; the mean over the *expected* lot is
// what the optimiser gets. What one example changes is in learn/sensitivity.h, what it costs in the
// regime. Everything that a step gives out (the weights, the loss and accuracy of its lot) comes
// from the noisy sum.
#pragma once

#include <atomic>
#include <memory>

#include "discreet/learn/optimiser.h"
#include "discreet/learn/regime.h"
#include "discreet/learn/schedule.h"
#include "discreet/learn/tile.h"
#include "discreet/learn/workers.h"

namespace discreet::learn {

// A layer's own bound and noise, instead of one for the whole gradient: C_l = clip·C, and σ_l from
// its share of the precision Σ σ_l^-2.
struct LayerClip {
  double clip = 1;
  double precision = 1;  // shares are what they are of their sum
};

struct TrainerOptions {
  std::uint64_t steps = 0;
  std::size_t batch = 128;  // examples in memory at once, of all workers
  Schedule clip = Schedule::constant(1);
  std::vector<LayerClip> layers = {};  // empty: one bound for all; else one a layer with weights
  Schedule rate = Schedule::constant(Rational(1, 10));
  OptimiserOptions optimiser = {};
  // The share of a step's precision for its loss and accuracy, which come out of the same noisy
  // sum: a hundredth makes σ of the gradient half a percent larger than σ of the step.
  Rational report_share = Rational(1, 100);
  // Where it is set, the step that is under way ends with kInterrupted. Nothing of it was given
  // out, and no noise was drawn for it.
  const std::atomic<bool>* stop = nullptr;
};

// Of a step's lot, with noise: an unbiased estimate of the training data's mean loss (each clipped
// to loss_bound) and accuracy.
struct StepReport {
  std::uint64_t step = 0;
  double loss = 0, accuracy = 0;
  double loss_deviation = 0, accuracy_deviation = 0;  // of noise and drawing, at most
};

class Trainer {
 public:
  // Checks rows (learn/row_check.h) and draws the first weights. The network, the examples, the
  // regime and the workers must outlive it.
  static Result<std::unique_ptr<Trainer>> create(const Network& network, const Examples& examples,
                                                 Regime& regime, const TrainerOptions& options,
                                                 Workers& workers);
  virtual ~Trainer() = default;

  virtual Result<StepReport> step() = 0;
  virtual std::uint64_t done() const = 0;
  virtual std::span<const float> weights() const = 0;
  // The averaged weights, where averages are kept.
  virtual std::span<const float> result() const = 0;
  // Bytes held beside the examples.
  virtual std::size_t bytes() const = 0;

  // For checkpoints: weights and the optimiser's memory. `done` is the step to go on with.
  virtual std::vector<float> state() const = 0;
  virtual bool restore(std::uint64_t done, std::span<const float> state) = 0;
};

// A loss above this counts as this in reports: twice that of knowing nothing.
double loss_bound(Loss loss, std::size_t classes);

// The parts of a step's sum with their noise multipliers, for a step of noise σ: gradients first,
// then loss and accuracy. The trainer and its tests make them with this one function.
Result<std::vector<NoisyPart>> noisy_parts(const Network& network, const TrainerOptions& options,
                                           const Rational& sigma, double clip,
                                           std::size_t tile_rows);

// Of a step's accuracy, at most, by the last of its parts; the loss's is loss_bound times that.
double report_deviation(const NoisyPart& report, double expected_lot);

// What a training with this noise would be refused for, whatever its rows are: asked before
// anything is paid for. Parameters are named as `discreet learn sgd` has them.
Status check_training(const Network& network, const TrainerOptions& options,
                      const std::vector<Schedule::Piece>& sigma);

}  // namespace discreet::learn
