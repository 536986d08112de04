// discreet learn sgd …: DP-SGD on a file of rows or images.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "discreet/base/digest.h"
#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/learn_model.h"
#include "discreet/cli/learn_plan.h"
#include "discreet/cli/learn_report.h"
#include "discreet/cli/learn_sources.h"
#include "discreet/cli/learn_verbs.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/watchdog.h"
#include "discreet/learn/checkpoint.h"
#include "discreet/learn/scattering.h"
#include "discreet/learn/subsampled.h"
#include "discreet/learn/tree.h"
#include "discreet/present/progress.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

using learn::Checkpoint;

Result<std::string> draw_id() {
  std::uint64_t words[2] = {};
  TRY(random::thread_generator().fill(words));
  return fmt::format("{:016x}{:016x}", words[0], words[1]);
}

// The examples as the network takes them, and the model but for its weights: from the rows, or on
// resuming by what was measured then.
struct Ready {
  learn::Examples examples;
  learn::Model model;
};

Result<Ready> prepare(const SgdOptions& o, const SgdPlan& plan, TrainingSource& source,
                      const std::optional<Checkpoint>& found) {
  Ready out;
  const learn::Watching watching{.progress = {}, .stop = &Interrupt::flag()};
  if (found) {
    out.model = found->model;
    out.examples =
        TRY(learn::apply(out.model.front, TRY(source.read_as(out.model.encoding)), watching));
    if (out.examples.shape.size() != out.model.shape.size())
      return fail(Code::kFailure, "the checkpoint is of other examples");
    return out;
  }
  TrainingData data = TRY(source.read(plan.measuring.value_or(1)));
  out.model.encoding = std::move(data.encoding);
  out.model.classes = out.model.encoding.label.values.size();
  out.model.front.scattering = o.model == "scatter";
  out.examples = TRY(learn::apply(out.model.front, std::move(data.examples), watching));
  if (plan.components > 0) {
    out.model.front.projection = TRY(learn::private_components(
        out.examples, plan.components, plan.components_sigma, random::thread_generator()));
    out.examples = learn::project(*out.model.front.projection, out.examples);
  }
  out.model.shape = out.examples.shape;
  return out;
}

Result<std::unique_ptr<learn::Regime>> make_regime(const SgdOptions& o, const SgdPlan& plan,
                                                   learn::Workers& workers) {
  if (o.no_sampling)
    return std::unique_ptr<learn::Regime>(std::make_unique<learn::TreeAggregation>(
        TRY(learn::TreeAggregation::create(plan.lot, plan.count, plan.sigma[0].value, workers))));
  return std::unique_ptr<learn::Regime>(std::make_unique<learn::SubsampledGaussian>(
      TRY(learn::SubsampledGaussian::create(plan.lot, plan.count, plan.sigma, workers))));
}

// ε after some of the steps, for the curve and the progress bar.
Result<std::vector<std::pair<std::uint64_t, double>>> epsilon_curve(const SgdPlan& plan) {
  std::vector<std::pair<std::uint64_t, double>> out = {{0, 0.0}};
  if (!plan.account.before.empty())
    out[0].second = TRY(learn::epsilon_of(plan.spent(0), plan.delta));
  // Closer at the start, where it is steep.
  for (const double share : {0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
    const std::uint64_t step = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(plan.steps))));
    if (step <= out.back().first) continue;
    out.emplace_back(step, step == plan.steps
                               ? plan.epsilon
                               : TRY(learn::epsilon_of(plan.spent(step), plan.delta)));
  }
  return out;
}

double between(const std::vector<std::pair<std::uint64_t, double>>& curve, std::uint64_t step) {
  for (std::size_t i = 1; i < curve.size(); ++i)
    if (step <= curve[i].first) {
      const double share = static_cast<double>(step - curve[i - 1].first) /
                           static_cast<double>(curve[i].first - curve[i - 1].first);
      return curve[i - 1].second + share * (curve[i].second - curve[i - 1].second);
    }
  return curve.back().second;
}

class Run {
 public:
  Run(const SgdOptions& o, const SgdPlan& plan, Ready ready, learn::Checkpoints& files,
      std::string reservation)
      : o_(o), plan_(plan), ready_(std::move(ready)), files_(files) {
    checkpoint_.reservation = std::move(reservation);
  }

  Status train(const std::optional<Checkpoint>& found, Training& told) {
    const learn::Network network =
        TRY(learn::make_network(found ? ready_.model.network : o_.model, ready_.model.shape,
                                ready_.model.classes, {.activation = o_.activation}));
    ready_.model.network = network.name();
    ready_.model.promise = {
        plan_.epsilon, plan_.delta, {privacy::describe(plan_.spent(plan_.steps))},
        "add-remove",  plan_.count, plan_.steps};
    told.network = network.name();
    told.weights = network.weights();
    told.classes = ready_.model.classes;
    told.loss_bound = learn::loss_bound(network.loss(), told.classes);
    if (!o_.validate.empty())
      validation_ =
          TRY(examples_for(ready_.model, "validate", o_.validate, o_.validate_labels, true));
    learn::Workers workers(plan_.threads);
    const auto regime = TRY(make_regime(o_, plan_, workers));
    learn::TrainerOptions options = plan_.trainer;
    options.stop = &Interrupt::flag();
    const auto trainer =
        TRY(learn::Trainer::create(network, ready_.examples, *regime, options, workers));
    checkpoint_.run = plan_.run;
    checkpoint_.steps = plan_.steps;
    if (found) {
      const std::uint64_t next = regime->resume(found->begun);
      if (!trainer->restore(next, found->state))
        return fail(Code::kFailure, "the checkpoint is of another network");
      if (next > found->begun)
        fmt::print(stderr,
                   "discreet: {} steps that were left of an epoch are left out: without sampling, "
                   "an example is used once an epoch\n",
                   next - found->begun);
      checkpoint_.id = found->id;
      checkpoint_.begun = next;
      told.told = checkpoint_.told = found->told;
      // Of what is told already, should there be no step left.
      const std::uint64_t last = plan_.steps - 1;
      const auto parts = TRY(learn::noisy_parts(network, plan_.trainer, regime->sigma(last),
                                                plan_.trainer.clip.at(last, plan_.steps), 1));
      told.accuracy_deviation = learn::report_deviation(parts.back(), regime->expected_lot());
      told.loss_deviation = told.loss_bound * told.accuracy_deviation;
    } else {
      checkpoint_.id = TRY(draw_id());
    }
    checkpoint_.state = trainer->state();
    checkpoint_.model = ready_.model;
    if (!found) files_.remove();
    TRY(files_.begin(checkpoint_));
    TRY(steps(*trainer, told));
    ready_.model.weights.assign(trainer->result().begin(), trainer->result().end());
    return {};
  }

  const learn::Model& model() const { return ready_.model; }

 private:
  Status steps(learn::Trainer& trainer, Training& told) {
    present::Progress progress("training", plan_.steps);
    progress.advance(trainer.done());
    const std::uint64_t every = std::max<std::uint64_t>(1, plan_.steps / 20);
    double loss = 0, accuracy = 0;  // of recent steps
    while (trainer.done() < plan_.steps) {
      Result<learn::StepReport> made = trainer.step();
      if (!made && made.error().code == Code::kInterrupted) return stopped(trainer);
      const learn::StepReport report = TRY(std::move(made));
      told.loss_deviation = report.loss_deviation;
      told.accuracy_deviation = report.accuracy_deviation;
      told.told.emplace_back(report.loss, report.accuracy);
      checkpoint_.told.emplace_back(report.loss, report.accuracy);
      const double part =
          told.told.size() == 1 ? 1 : std::max(1.0 / 50, 1.0 / double(told.told.size()));
      loss += part * (report.loss - loss);
      accuracy += part * (report.accuracy - accuracy);
      if (!o_.validate.empty() && (trainer.done() % every == 0 || trainer.done() == plan_.steps))
        TRY(validate(trainer, told));
      // This step is done; the next is about to be drawn, and counts.
      checkpoint_.begun = std::min(trainer.done() + 1, plan_.steps);
      checkpoint_.state = trainer.state();
      TRY(files_.keep(checkpoint_));
      std::string note = fmt::format("loss {:.3f}", std::max(loss, 0.0));
      if (told.classes > 0)
        note += fmt::format(", accuracy {:.1f} %", 100 * std::clamp(accuracy, 0.0, 1.0));
      if (!told.spent.empty())
        note += fmt::format(", ε {:.3f}", between(told.spent, trainer.done()));
      progress.note(std::move(note));
      progress.advance(1);
    }
    told.begun = trainer.done();
    return {};
  }

  // The step that was under way gave nothing out: it isn't spent.
  Status stopped(const learn::Trainer& trainer) {
    checkpoint_.begun = trainer.done();
    TRY(files_.stop(checkpoint_));
    return fail(Code::kInterrupted,
                fmt::format("interrupted after {} of {} steps; what they spent is in {}",
                            trainer.done(), plan_.steps, quote(o_.out + ".checkpoint")),
                advise("resume", ""));
  }

  Status validate(const learn::Trainer& trainer, Training& told) {
    learn::Model now = ready_.model;
    now.weights.assign(trainer.result().begin(), trainer.result().end());
    const Evaluated found = TRY(evaluate(now, validation_));
    told.validated.push_back({trainer.done(), found.accuracy, found.loss});
    return {};
  }

  const SgdOptions& o_;
  const SgdPlan& plan_;
  Ready ready_;
  learn::Checkpoints& files_;
  Checkpoint checkpoint_;
  learn::Examples validation_;
};

Result<std::optional<Checkpoint>> find_checkpoint(const SgdOptions& o, const SgdPlan& plan,
                                                  const learn::Checkpoints& files) {
  const std::string path = o.out + ".checkpoint";
  auto found = TRY(files.find());
  if (!o.resume) {
    if (found && !o.fresh)
      return bad_parameter("out",
                           fmt::format("a training that was stopped left {}; accepted is to go on "
                                       "with it, or with --fresh to begin anew (what it spent "
                                       "stays spent)",
                                       quote(path)),
                           advise("resume", ""));
    return std::optional<Checkpoint>();
  }
  if (!found)
    return bad_parameter("resume", fmt::format("there is no {} to go on with", quote(path)));
  if (found->run != plan.run)
    return bad_parameter(
        "resume",
        fmt::format("{} is of a training with other options; accepted are the same", quote(path)));
  return found;
}

// How far it is, the ledger says, where there is one: the file may be a copy.
Status go_on(TrainingSource& source, const Charge& charge, Checkpoint& found) {
  const std::optional<std::uint64_t> spent = TRY(source.resume(charge, found));
  if (!spent) return {};
  if (*spent > found.begun)
    fmt::print(stderr,
               "discreet: {} steps that the ledger counts as spent are left out: the training was "
               "killed\n",
               *spent - found.begun);
  found.begun = *spent;
  return {};
}

// What such a training is refused for, whatever its rows are: said before anything is paid for.
Status dry_run(const SgdOptions& o, const SgdPlan& plan, const TrainingSource& source) {
  const learn::Encoding encoding = source.declared();
  learn::Model model;
  model.encoding = encoding;
  model.classes = encoding.label.values.size();
  model.shape = encoding.shape;
  model.front.scattering = o.model == "scatter";
  if (model.front.scattering && !encoding.images)
    return bad_parameter("model", "found scatter, and rows; accepted with it are images",
                         advise("model", "logistic"));
  if (model.front.scattering) model.shape = TRY(learn::Scattering::create(encoding.shape)).shape();
  if (!o.validate.empty())
    TRY(read_examples("validate", o.validate, o.validate_labels, encoding, true));
  if (plan.components > 0) {
    TRY(learn::check_components(model.shape.size(), plan.components, plan.components_sigma));
    model.shape = {1, 1, plan.components};
  }
  const learn::Network network =
      TRY(learn::make_network(o.model, model.shape, model.classes, {.activation = o.activation}));
  if (network.layers()[0]->describe().starts_with("embed"))
    return bad_parameter("model",
                         "found an embedding, which takes whole numbers; accepted for columns, "
                         "which are brought to -1 … 1, and points of pictures, to 0 … 1, are other "
                         "layers (values that are declared stand by themselves: ward=A|B)");
  return learn::check_training(network, plan.trainer, plan.sigma);
}

Status explain(const SgdOptions& o, const SgdPlan& plan, const TrainingSource& source) {
  Training told{.plan = &plan, .begun = plan.steps, .epsilon = plan.epsilon};
  told.undeclared = source.undeclared();
  told.count_declared = source.count_declared();
  const Json json{{"examples", plan.count},
                  {"lot", plan.lot},
                  {"measured", told.undeclared},
                  {"event", privacy::describe(plan.spent(plan.steps))},
                  {"epsilon", plan.epsilon},
                  {"delta", to_written_double(plan.delta, Rounding::kUp)},
                  {"sigma", to_written_double(plan.sigma[0].value, Rounding::kDown)},
                  {"steps", plan.steps}};
  return finish(
      o.json, json,
      fmt::format("{} steps of {} examples on average, with noise of {:.5g} times what one "
                  "changes, are ({:.5g}, {})-DP: {}\nNothing was trained or spent.\n",
                  present::with_commas(plan.steps), present::with_commas(plan.lot),
                  to_double(plan.sigma[0].value), plan.epsilon, to_decimal(plan.delta),
                  privacy::describe(plan.spent(plan.steps))));
}

Status sgd(SgdOptions o) {
  const Interrupt interrupt;
  // Where it ends a step or a checkpoint that is being written, one step counts as spent and is
  // lost.
  std::optional<Watchdog> watchdog(std::in_place);
  // A number is what `linear` predicts; everything else, classes.
  if (o.model == "linear" && o.data.classes.empty()) o.data.classes = "none";
  const auto source = TRY(open_training(o.data));
  const SgdPlan plan = TRY(plan_sgd(o, *source));
  if (o.explain) {
    TRY(dry_run(o, plan, *source));
    return explain(o, plan, *source);
  }
  if (o.out.empty())
    return bad_parameter("out", "none was given; accepted is the file for the model",
                         advise("out", "model"));
  TRY(can_write("out", o.out));
  if (!o.plot.empty()) TRY(can_write("plot", o.plot));
  if (!o.report.empty()) TRY(can_write("report", o.report));
  learn::Checkpoints files(o.out + ".checkpoint");
  TRY(files.lock());
  std::optional<Checkpoint> found = TRY(find_checkpoint(o, plan, files));
  TRY(dry_run(o, plan, *source));
  if (plan.delta * Rational(Integer(std::to_string(plan.count))) >= 1)
    fmt::print(stderr,
               "discreet: δ = {} is not below 1/{}: it lets a mechanism publish someone's row\n",
               to_decimal(plan.delta), plan.count);

  Training told{.plan = &plan, .epsilon = plan.epsilon};
  told.undeclared = source->undeclared();
  told.count_declared = source->count_declared();
  told.spent = TRY(epsilon_curve(plan));
  const Charge charge{.what = fmt::format("sgd {}", o.model),
                      .run = plan.run,
                      .event = plan.spent(plan.steps),
                      .epsilon = TRY(exactly(plan.epsilon)),
                      .delta = plan.delta};
  if (found)
    TRY(go_on(*source, charge, *found));
  else
    TRY(source->charge(charge));
  files.record_with([&](const Checkpoint::Mark& mark) { return source->advance(mark); });
  Run run(o, plan, TRY(prepare(o, plan, *source, found)), files, source->reservation());
  TRY(run.train(found, told));
  if (Status finite = check_finite(run.model()); !finite) {
    files.remove();
    return finite;
  }

  watchdog.reset();  // what is paid for is written, however long that takes
  told.receipt = TRY(
      source->finish(training_json(told, o).dump(-1, ' ', false, Json::error_handler_t::replace)));
  TRY(write_whole("out", o.out, learn::write_model(run.model())));
  files.remove();
  if (!o.plot.empty()) TRY(write_whole("plot", o.plot, training_plot(told)));
  if (!o.report.empty()) TRY(write_whole("report", o.report, report_json(told, o).dump(1) + "\n"));
  return finish(o.json, training_json(told, o), training_text(told, o));
}

}  // namespace

void add_learn_sgd(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "sgd", "train with DP-SGD: clipped gradients, noisy lots",
                            "discreet learn sgd --train visits.csv --label ill --model mlp:64 "
                            "--epsilon 2 --delta 1e-5 --lot 256 --epochs 20 -o ill.model");
  auto o = std::make_shared<SgdOptions>();
  add_data_options(*verb, o->data);
  verb->add_option(
      "--model", o->model,
      "logistic, linear (a number), mlp:256,64, cnn, scatter (features of images, then "
      "linear), or layers:A-B-… by hand (default: logistic)");
  verb->add_option("--activation", o->activation,
                   "of mlp and cnn: relu, tanh or tempered:S:T:O (default: relu)");
  verb->add_option("--epsilon", o->epsilon, "ε of everything that is told; the noise follows");
  verb->add_option("--delta", o->delta, "δ of everything that is told");
  verb->add_option("--noise", o->noise,
                   "σ instead of ε, over what one example changes; or with --epsilon a schedule "
                   "whose shape is kept");
  verb->add_option("--lot", o->lot, "how many examples a step draws on average");
  verb->add_option("--batch", o->batch, "how many are in memory at once (default: 128)");
  verb->add_option("--clip", o->clip,
                   "C, the bound of a gradient's norm, or a schedule (default: 1)");
  verb->add_option("--layer-clips", o->layer_clips,
                   "bounds of their own for layers, times C: 1,0.5,0.5");
  verb->add_option("--layer-noise", o->layer_noise,
                   "with them: how the layers' noises compare, 1,2,2 (default: equal)");
  verb->add_option("--epochs", o->epochs,
                   "how often each example is drawn on average (default: 20)");
  verb->add_option("--steps", o->steps, "how many steps, instead");
  verb->add_option("--learning-rate", o->rate,
                   "or a schedule: 0.5->0.1:cosine, or 0.5,100:0.2 (default: by the optimiser)");
  verb->add_option("--optimiser", o->optimiser, "sgd, momentum or adam (default: sgd)");
  verb->add_option("--momentum", o->momentum, "of momentum (default: 0.9)");
  verb->add_option("--average", o->average,
                   "of the steps' weights: none, exponential or tail (default: none)");
  verb->add_option("--weight-decay", o->weight_decay, "how fast weights shrink");
  verb->add_option("--pca", o->pca, "first find this many principal components, privately");
  verb->add_option("--pca-noise", o->pca_noise,
                   "σ for them (default: a twentieth of the precision that ε buys)");
  verb->add_flag("--no-sampling", o->no_sampling,
                 "DP-FTRL: every example once an epoch, noise of a tree");
  verb->add_option("--validate", o->validate,
                   "rows that are public, to follow the training's success on");
  verb->add_option("--validate-labels", o->validate_labels,
                   "their IDX labels, where they aren't found beside the images");
  verb->add_option("--threads", o->threads, "how many (default: as many as there are cores)");
  verb->add_option("-o,--out", o->out, "the file for the model; FILE.checkpoint on the way");
  verb->add_flag("--resume", o->resume, "go on with a training that was stopped");
  verb->add_flag("--fresh", o->fresh, "begin anew, whatever was stopped");
  verb->add_option("--plot", o->plot, "draw accuracy and ε over the steps, as an SVG file");
  verb->add_option("--report", o->report, "the result with its curves, as a JSON file");
  verb->add_flag("--explain", o->explain, "what it would cost; nothing is trained or spent");
  verb->add_flag("--json", o->json, "one JSON object");
  verb->callback(
      [o, &chosen] { chosen = [o] { return run_training(o->data, [o] { return sgd(*o); }); }; });
}

}  // namespace discreet::cli
