// discreet learn regression: a linear function of the columns, from noisy second moments.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/learn_linear.h"
#include "discreet/learn/moments.h"
#include "discreet/learn/regression.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

constexpr std::size_t kMostFeatures = 4096;

Status run(LinearOptions o) {
  if (!o.data.classes.empty() && o.data.classes != "none")
    return bad_parameter("classes", fmt::format("found {}; accepted is nothing: what is predicted "
                                                "is a number",
                                                quote(o.data.classes)));
  o.data.classes = "none";
  LinearSetting setting = TRY(open_linear(o));
  const Rational sigma =
      TRY(learn::regression_sigma(setting.epsilon, setting.delta, setting.before));
  // What no rows would change is said before anything is spent.
  TRY(learn::check_moments("epsilon", sigma, true));
  if (const std::size_t width = setting.source->declared().shape.size(); width > kMostFeatures)
    return bad_parameter("features",
                         fmt::format("found {}; accepted are at most {}", width, kMostFeatures));
  privacy::Composed all{setting.before};
  all.events.push_back(learn::moments_event(sigma));
  const privacy::Event event =
      all.events.size() == 1 ? all.events[0] : privacy::Event{std::move(all)};
  TRY(setting.source->charge({.what = "regression",
                              .run = {},
                              .event = event,
                              .epsilon = setting.epsilon,
                              .delta = setting.delta}));
  TrainingData data = TRY(setting.source->read(setting.measuring));
  const learn::BallOptions ball = ball_of(setting, data.encoding);
  const learn::BallRows rows = learn::in_ball(data.examples, ball);
  const learn::Regression found =
      TRY(learn::regress(rows, data.examples.y, sigma, random::thread_generator()));
  learn::Model model = linear_model(data, ball, {found.weights});
  // In the columns' own units, which are released with the model.
  const std::vector<double> scores = learn::of_examples(found.weights, ball);
  const double unit = (data.encoding.label.high - data.encoding.label.low) / 2;
  const OwnUnits own = in_own_units(
      data.encoding, [&](std::size_t i) { return scores[i] * unit; }, scores.back() * unit);
  const double middle = (data.encoding.label.high + data.encoding.label.low) / 2;
  return finish_linear(o, setting, std::move(model), event,
                       {{"sigma", to_double(sigma)},
                        {"noise", found.noise},
                        {"ridge", found.ridge},
                        {"radius", ball.radius},
                        {"weights", own.weights},
                        {"intercept", own.intercept + middle}});
}

}  // namespace

void add_learn_regression(CLI::App& area, Action& chosen) {
  auto o = std::make_shared<LinearOptions>();
  CLI::App* verb = add_verb(area, "regression", "Linear regression from noisy second moments",
                            "discreet learn regression --train visits.csv --label cost --epsilon 1 "
                            "-o cost.model");
  add_linear_options(*verb, *o);
  verb->callback(
      [o, &chosen] { chosen = [o] { return run_training(o->data, [o] { return run(*o); }); }; });
}

}  // namespace discreet::cli
