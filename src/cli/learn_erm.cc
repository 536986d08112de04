// discreet learn erm: a linear classifier by output or objective perturbation.
#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/learn_linear.h"
#include "discreet/learn/erm.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

struct ErmCommand {
  LinearOptions linear;
  std::string method = "objective", loss = "logistic", lambda;
};

Result<learn::ErmOptions> read_options(const ErmCommand& o) {
  learn::ErmOptions out;
  if (o.method == "output")
    out.method = learn::ErmMethod::kOutput;
  else if (o.method != "objective")
    return bad_parameter("method",
                         fmt::format("found {}; accepted is objective or output", quote(o.method)));
  if (o.loss == "huber")
    out.loss = learn::Surrogate::kHuber;
  else if (o.loss != "logistic")
    return bad_parameter("loss",
                         fmt::format("found {}; accepted is logistic or huber (a support vector "
                                     "machine's, smoothed)",
                                     quote(o.loss)));
  if (!o.lambda.empty())
    out.lambda = TRY(
        read_number("lambda", o.lambda, Rounding::kDown,
                    {0, Rational(1'000'000'000'000), true, "a number above 0 and at most 10^12"}));
  return out;
}

// What is public of the rows: of a number that was declared there may be 16 times as many.
learn::ErmSize size_of(const TrainingSource& source, std::size_t width, std::size_t classes) {
  const std::uint64_t count = std::max<std::uint64_t>(1, source.count());
  return {.count = count,
          .width = width,
          .classes = classes,
          .most = source.count_declared() ? 16 * count : count};
}

Status run(const ErmCommand& o) {
  learn::ErmOptions options = TRY(read_options(o));
  if (o.linear.data.classes == "none")
    return bad_parameter("classes",
                         "found none; accepted are classes: `learn regression` predicts "
                         "numbers");
  LinearSetting setting = TRY(open_linear(o.linear));
  options.epsilon = setting.epsilon;
  options.delta = setting.delta;
  options.before = setting.before;
  // What a plan costs depends on the number of classes, and that may have to be measured. Nothing
  // does of its (ε, δ): that is what is charged.
  const privacy::Event whole{privacy::Approximate{setting.epsilon, setting.delta}};
  // What no rows would allow is said before anything is spent; of classes that have to be measured
  // there are at least two.
  const learn::Encoding declared = setting.source->declared();
  TRY(learn::plan_erm(options,
                      {.count = std::max<std::uint64_t>(1, setting.source->count()),
                       .width = declared.shape.size() + 1,
                       .classes = std::max<std::size_t>(2, declared.label.values.size())}));
  TRY(setting.source->charge({.what = fmt::format("erm {} {}", o.method, o.loss),
                              .run = {},
                              .event = whole,
                              .epsilon = setting.epsilon,
                              .delta = setting.delta}));
  TrainingData data = TRY(setting.source->read(setting.measuring));
  const learn::BallOptions ball = ball_of(setting, data.encoding);
  const learn::BallRows rows = learn::in_ball(data.examples, ball);
  const learn::ErmPlan plan = TRY(learn::plan_erm(
      options, size_of(*setting.source, rows.width, data.encoding.label.values.size())));
  learn::Workers workers;
  const learn::ErmModel model =
      TRY(learn::run_erm(plan, rows, data.examples.y, random::thread_generator(), workers));
  return finish_linear(o.linear, setting, linear_model(data, ball, model.scores), plan.event,
                       {{"method", o.method},
                        {"loss", o.loss},
                        {"lambda", plan.lambda},
                        {"sigma", to_double(plan.sigma)},
                        {"noise", model.noise},
                        {"radius", ball.radius}});
}

}  // namespace

void add_learn_erm(CLI::App& area, Action& chosen) {
  auto o = std::make_shared<ErmCommand>();
  CLI::App* verb = add_verb(area, "erm", "A linear classifier by output or objective perturbation",
                            "discreet learn erm --train visits.csv --label ill --method objective "
                            "--epsilon 1 -o ill.model");
  add_linear_options(*verb, o->linear);
  verb->add_option("--method", o->method, "objective or output: where the noise is added")
      ->capture_default_str();
  verb->add_option("--loss", o->loss, "logistic, or huber (a smooth support vector machine)")
      ->capture_default_str();
  verb->add_option("--lambda", o->lambda,
                   "the weight of ½‖θ‖² beside the sum of losses (default: by ε, δ, the number of "
                   "examples and of features)");
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace discreet::cli
