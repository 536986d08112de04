// discreet learn erm: a linear classifier by output or objective perturbation.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/learn_linear.h"
#include "discreet/learn/account.h"
#include "discreet/learn/erm.h"
#include "discreet/random/gaussian.h"
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

// Of the precision that (ε, δ) buys, where the number of rows is declared: what rounding may do
// grows with the true one, and whoever declares could else learn it from whether there is an
// answer.
const Rational kCountingShare(1, 100);

// No fewer than there are, but with a probability below 10^-32 (12 deviations), whatever is there.
Result<std::uint64_t> at_least(std::size_t rows, const Rational& sigma, random::Source& source) {
  const auto noise = TRY(random::RoundedGaussian::create(sigma));
  std::int64_t drawn = 0;
  TRY(noise.fill(source, {&drawn, 1}));
  const double most = static_cast<double>(rows) + static_cast<double>(drawn) +
                      12 * to_double(sigma, Rounding::kUp) + 1;
  return static_cast<std::uint64_t>(std::clamp(most, 1.0, 0x1p53));
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
  std::optional<Rational> counting;
  if (setting.source->count_declared()) {
    counting = TRY(learn::sigma_of_share(setting.epsilon, setting.delta, kCountingShare));
    options.before.push_back({privacy::Gaussian{*counting}});
  }
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
  learn::ErmSize size{.count = std::max<std::uint64_t>(1, setting.source->count()),
                      .width = rows.width,
                      .classes = data.encoding.label.values.size()};
  if (counting) size.most = TRY(at_least(rows.count, *counting, random::thread_generator()));
  const learn::ErmPlan plan = TRY(learn::plan_erm(options, size));
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
  verb->callback([o, &chosen] {
    chosen = [o] { return run_training(o->linear.data, [o] { return run(*o); }); };
  });
}

}  // namespace discreet::cli
