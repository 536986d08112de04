#include "discreet/cli/learn_plan.h"

#include <fmt/format.h>

#include <cmath>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/learn_declared.h"
#include "discreet/learn/subsampled.h"
#include "discreet/learn/tree.h"

namespace discreet::cli {
namespace {

using learn::Schedule;

// Of the precision that ε buys, for what comes before training.
const Rational kMeasuringShare(1, 20), kComponentsShare(1, 20);
constexpr std::size_t kMostSigmas = 32;

Result<double> read_positive(const std::string& parameter, const std::string& text, double most) {
  return to_double(TRY(
      read_number(parameter, text, Rounding::kUp,
                  {0, Rational(most), true, fmt::format("a number above 0, at most {}", most)})));
}

Result<std::vector<double>> read_list(const std::string& parameter, const std::string& text) {
  std::vector<double> out;
  for (const std::string& word : words_of(text))
    out.push_back(TRY(read_positive(parameter, word, 1e6)));
  return out;
}

// --layer-clips 1,0.5,0.5 and --layer-noise 1,2,2: of each layer that has weights.
Result<std::vector<learn::LayerClip>> read_layers(const SgdOptions& o) {
  std::vector<learn::LayerClip> out;
  if (o.layer_clips.empty()) {
    if (!o.layer_noise.empty())
      return bad_parameter("layer-noise", "found without bounds of their own for layers",
                           advise("layer-clips", "1,0.5,0.5"));
    return out;
  }
  for (const double clip : TRY(read_list("layer-clips", o.layer_clips))) out.push_back({clip, 1});
  if (o.layer_noise.empty()) return out;
  const std::vector<double> noise = TRY(read_list("layer-noise", o.layer_noise));
  if (noise.size() != out.size())
    return bad_parameter("layer-noise", fmt::format("found {}, and {} bounds; accepted is one each",
                                                    noise.size(), out.size()));
  for (std::size_t i = 0; i < out.size(); ++i) out[i].precision = 1 / (noise[i] * noise[i]);
  return out;
}

std::vector<Schedule::Piece> scaled(std::vector<Schedule::Piece> shape, const Rational& by) {
  for (Schedule::Piece& piece : shape) piece.value *= by;
  return shape;
}

Status read_length(const SgdOptions& o, SgdPlan& plan) {
  const auto count = static_cast<std::int64_t>(plan.count);
  if (count < 1) return bad_parameter("train", "found no examples; accepted is at least one");
  // A hundredth, but not so few that noise is all there is.
  plan.lot = static_cast<std::uint64_t>(std::min(count, std::max<std::int64_t>(256, count / 100)));
  if (!o.lot.empty())
    plan.lot = static_cast<std::uint64_t>(TRY(read_integer("lot", o.lot, 1, count)));
  if (!o.steps.empty() && !o.epochs.empty())
    return bad_parameter("steps", "found with --epochs; accepted is one of the two");
  if (!o.steps.empty()) {
    plan.steps = static_cast<std::uint64_t>(TRY(read_integer("steps", o.steps, 1, 1 << 30)));
  } else {
    const Rational epochs =
        TRY(read_number("epochs", o.epochs.empty() ? "20" : o.epochs, Rounding::kDown,
                        {0, 100'000, true, "a number above 0, such as 20"}));
    const double steps = std::ceil(to_double(epochs) * static_cast<double>(plan.count) /
                                   static_cast<double>(plan.lot));
    if (!(steps <= 1 << 30))
      return bad_parameter("epochs", "found more than 2^30 steps; accepted are fewer");
    plan.steps = static_cast<std::uint64_t>(steps);
  }
  return {};
}

Status read_trainer(const SgdOptions& o, SgdPlan& plan) {
  learn::TrainerOptions& t = plan.trainer;
  t.steps = plan.steps;
  t.batch = static_cast<std::size_t>(TRY(read_integer("batch", o.batch, 1, 1 << 20)));
  t.clip = TRY(Schedule::parse("clip", o.clip));
  t.layers = TRY(read_layers(o));
  t.rate = o.rate.empty() ? Schedule::constant(1 / (2 * t.clip.first()))
                          : TRY(Schedule::parse("learning-rate", o.rate));
  t.optimiser.rule = TRY(learn::rule_named(o.optimiser));
  if (o.rate.empty() && t.optimiser.rule == learn::Rule::kAdam)
    t.rate = Schedule::constant(Rational(1, 1000));
  if (o.rate.empty() && t.optimiser.rule == learn::Rule::kMomentum)
    t.rate = Schedule::constant(1 / (20 * t.clip.first()));
  t.optimiser.momentum = to_double(
      TRY(read_number("momentum", o.momentum, Rounding::kDown,
                      {0, Rational(999, 1000), false, "a number from 0 to 0.999, such as 0.9"})));
  t.optimiser.averaging = TRY(learn::averaging_named(o.average));
  if (!o.weight_decay.empty())
    t.optimiser.weight_decay = TRY(read_positive("weight-decay", o.weight_decay, 1));
  if (!o.threads.empty())
    plan.threads = static_cast<std::size_t>(TRY(read_integer("threads", o.threads, 1, 256)));
  return {};
}

}  // namespace

Result<SgdPlan> plan_sgd(const SgdOptions& o, const TrainingSource& source) {
  SgdPlan plan;
  plan.count = source.count();
  TRY(read_length(o, plan));
  TRY(read_trainer(o, plan));
  if (o.delta.empty())
    return bad_parameter("delta",
                         "none was given; accepted is a number above 0, far below one "
                         "over the number of examples",
                         advise("delta", "1e-5"));
  plan.delta = TRY(read_delta(o.delta));
  if (plan.delta == 0)
    return bad_parameter("delta",
                         "found 0; accepted is a number above 0: Gaussian noise has no "
                         "guarantee without",
                         advise("delta", "1e-5"));
  if (o.epsilon.empty() && o.noise.empty())
    return bad_parameter("epsilon", "none was given, nor any noise; accepted is one of the two",
                         advise("epsilon", "2"));
  const Schedule noise = TRY(Schedule::parse("noise", o.noise.empty() ? "1" : o.noise));
  // With an ε the noise is a shape that is scaled until it fits.
  const bool calibrated = !o.epsilon.empty();
  if (calibrated && !o.noise.empty() && noise.is_constant())
    return bad_parameter("noise",
                         "found with --epsilon; accepted is one of the two (or a schedule, "
                         "whose shape is kept)");
  const std::vector<Schedule::Piece> shape = noise.pieces(plan.steps, kMostSigmas);

  std::function<privacy::Event(const Rational&, std::uint64_t)> training;
  if (o.no_sampling) {
    if (!noise.is_constant())
      return bad_parameter("noise", "found a schedule; accepted is one number without sampling");
    if (!plan.trainer.clip.is_constant())
      return bad_parameter("clip",
                           "found a schedule; accepted without sampling is one bound: a node's "
                           "noise is for all of its steps");
    const std::uint64_t epoch = (plan.count + plan.lot - 1) / plan.lot;
    plan.steps = std::max<std::uint64_t>(1, (plan.steps + epoch / 2) / epoch) * epoch;
    plan.trainer.steps = plan.steps;
    training = [epoch, shape](const Rational& by, std::uint64_t steps) {
      return learn::tree_event(epoch, shape[0].value * by, (steps + epoch - 1) / epoch);
    };
  } else {
    Rational rate(Integer(std::to_string(plan.lot)), Integer(std::to_string(plan.count)));
    rate.canonicalize();
    training = [rate, shape](const Rational& by, std::uint64_t steps) {
      return learn::subsampled_event(rate, scaled(shape, by), steps);
    };
  }
  plan.epochs = static_cast<double>(plan.steps) * static_cast<double>(plan.lot) /
                static_cast<double>(plan.count);
  plan.account.steps = plan.steps;
  plan.account.training = training;

  // What comes before training takes its share of ε: the one that was asked for, or what training
  // at the noise that was given costs.
  const Rational budget =
      calibrated ? TRY(read_epsilon(o.epsilon))
                 : TRY(exactly(TRY(learn::epsilon_of(training(1, plan.steps), plan.delta))));
  if (source.cost(1)) {
    plan.measuring = TRY(learn::sigma_of_share(budget, plan.delta, kMeasuringShare));
    plan.account.before.push_back(*source.cost(*plan.measuring));
  }
  if (!o.pca.empty()) {
    plan.components = static_cast<std::size_t>(TRY(read_integer("pca", o.pca, 1, 4096)));
    plan.components_sigma = o.pca_noise.empty()
                                ? TRY(learn::sigma_of_share(budget, plan.delta, kComponentsShare))
                                : TRY(read_number("pca-noise", o.pca_noise, Rounding::kUp,
                                                  {Rational(1, 1000), 1'000'000, false,
                                                   "a number from 0.001 to 10^6"}));
    plan.account.before.push_back({privacy::Gaussian{plan.components_sigma}});
  } else if (!o.pca_noise.empty()) {
    return bad_parameter("pca-noise", "found without principal components", advise("pca", "60"));
  }
  const Rational by =
      calibrated ? TRY(learn::calibrate_noise(plan.account, budget, plan.delta)) : Rational(1);
  plan.sigma = scaled(shape, by);
  plan.account.training = [training, by](const Rational& one, std::uint64_t steps) {
    return training(by * one, steps);
  };
  plan.epsilon = TRY(learn::epsilon_of(plan.spent(plan.steps), plan.delta));
  if (!std::isfinite(plan.epsilon))
    return bad_parameter("noise",
                         "found so little that no ε bounds what it tells; accepted is more");
  plan.run = fmt::format(
      "policy={} train={} label={} labels={} features={} bounds={} classes={} model={} "
      "activation={} N={} lot={} steps={} clip={} layers={}/{} rate={} optimiser={}/{} average={} "
      "decay={} pca={} event={}",
      o.data.policy, o.data.file, o.data.label, o.data.labels, o.data.features, o.data.bounds,
      o.data.classes, o.model, o.activation, plan.count, plan.lot, plan.steps, o.clip,
      o.layer_clips, o.layer_noise, plan.trainer.rate.text(), o.optimiser, o.momentum, o.average,
      o.weight_decay, o.pca, privacy::describe(plan.spent(plan.steps)));
  return plan;
}

}  // namespace discreet::cli
