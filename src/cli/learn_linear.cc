#include "discreet/cli/learn_linear.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/cli/learn_model.h"
#include "discreet/cli/out_file.h"
#include "discreet/learn/account.h"

namespace discreet::cli {
namespace {

// Of the precision that (ε, δ) buys, where bounds or classes aren't declared.
const Rational kMeasuringShare(1, 10);

// A weight's name: the column's, or column=value. What stands before the first = that has no
// backslash is the column, so no two weights share a name, whatever columns and values are called.
std::string weight_name(const learn::Column& column) {
  std::string out;
  for (const char c : column.name) {
    if (c == '=' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// The weights in the columns' own units, class by class: a score is the intercept and the sum of
// weights times values. Of two classes the one score says how much the second is favoured; pixels
// are numbers from 0 to 1, one after the other.
struct Weights {
  Json weights = Json::object(), intercepts = Json::object();
};
Weights weights_of(const learn::Model& model) {
  const std::size_t outputs = model.classes > 2 ? model.classes : 1;
  const std::size_t inputs = model.weights.size() / outputs - 1;
  const std::vector<std::string>& classes = model.encoding.label.values;
  Weights out;
  for (std::size_t k = 0; k < outputs; ++k) {
    const auto weight = [&](std::size_t i) { return double{model.weights[i * outputs + k]}; };
    OwnUnits own = in_own_units(model.encoding, weight, weight(inputs));
    if (model.encoding.images) {
      own.weights["pixels"] = Json::array();
      for (std::size_t i = 0; i < inputs; ++i) own.weights["pixels"].push_back(weight(i));
    }
    const std::string& name = classes.at(outputs == 1 ? 1 : k);
    out.weights[name] = std::move(own.weights);
    out.intercepts[name] = own.intercept;
  }
  return out;
}
// … and how they are read.
std::string reading_of(const learn::Model& model) {
  const std::string score =
      "a class's score is its intercept plus weight times value, of each column (clamped to its "
      "bounds; column=value: 1 or 0)";
  if (model.classes > 2) return score + "; the largest wins";
  return fmt::format("{}; above 0 it is {}, else {}", score, model.encoding.label.values.at(1),
                     model.encoding.label.values.at(0));
}

}  // namespace

OwnUnits in_own_units(const learn::Encoding& encoding,
                      const std::function<double(std::size_t)>& weight, double intercept) {
  OwnUnits out{Json::object(), intercept};
  std::size_t place = 0;
  for (const learn::Column& column : encoding.features) {
    const std::string name = weight_name(column);
    for (const std::string& value : column.values)
      out.weights[fmt::format("{}={}", name, value)] = weight(place++);
    if (!column.values.empty()) continue;
    // The model's number is (2v − low − high)/(high − low).
    const double width = column.high - column.low, here = weight(place++);
    out.weights[name] = width > 0 ? 2 * here / width : 0;
    out.intercept -= width > 0 ? here * (column.high + column.low) / width : 0;
  }
  return out;
}

void add_linear_options(CLI::App& verb, LinearOptions& o) {
  add_data_options(verb, o.data);
  verb.add_option("--epsilon", o.epsilon, "ε of everything: measuring and training")->required();
  verb.add_option("--delta", o.delta, "δ of everything")->capture_default_str();
  verb.add_option("--radius", o.radius,
                  "examples longer than this are cut to it (default: the longest that bounded "
                  "columns can be)");
  verb.add_option("-o,--out", o.out,
                  "the file for the model (default: none, the answer has the weights)");
  verb.add_flag("--json", o.json, "one JSON object on standard output");
}

Result<LinearSetting> open_linear(const LinearOptions& o) {
  LinearSetting out;
  out.epsilon = TRY(read_epsilon(o.epsilon));
  out.delta = TRY(read_delta(o.delta));
  if (out.delta == 0)
    return bad_parameter("delta", "found 0; accepted is a number above 0: the noise is Gaussian");
  if (!o.radius.empty())
    out.radius = to_double(
        TRY(read_number("radius", o.radius, Rounding::kDown,
                        {0, Rational(1'000'000), true, "a number above 0 and at most 1000000"})));
  if (!o.out.empty()) TRY(can_write("out", o.out));
  out.source = TRY(open_training(o.data));
  if (out.source->undeclared().empty()) return out;
  out.measuring = TRY(learn::sigma_of_share(out.epsilon, out.delta, kMeasuringShare));
  out.before = {out.source->cost(out.measuring).value()};
  return out;
}

learn::BallOptions ball_of(const LinearSetting& setting, const learn::Encoding& encoding) {
  // Each column's numbers have a norm of at most 1, whether it is one from −1 to 1 or categories of
  // which one is 1; pixels are from 0 to 1.
  const std::size_t columns =
      encoding.images ? encoding.shape.size() : std::max<std::size_t>(1, encoding.features.size());
  return {.radius = setting.radius.value_or(std::sqrt(static_cast<double>(columns))),
          .intercept = true};
}

learn::Model linear_model(const TrainingData& data, const learn::BallOptions& ball,
                          const std::vector<std::vector<double>>& scores) {
  learn::Model model;
  model.network = data.encoding.label.values.empty() ? "linear" : "logistic";
  model.classes = data.encoding.label.values.size();
  model.shape = data.examples.shape;
  model.encoding = data.encoding;
  std::vector<std::vector<double>> own;
  for (const auto& score : scores) own.push_back(learn::of_examples(score, ball));
  if (own.size() == 2) {  // of two classes a network says how much more the second is
    for (std::size_t i = 0; i < own[1].size(); ++i) own[1][i] -= own[0][i];
    own.erase(own.begin());
  }
  // The layer's weights: by feature, then output; the intercepts last.
  for (std::size_t i = 0; i < own[0].size(); ++i)
    for (const auto& score : own) model.weights.push_back(static_cast<float>(score[i]));
  return model;
}

Status finish_linear(const LinearOptions& o, LinearSetting& setting, learn::Model model,
                     const privacy::Event& event, const Json& result) {
  TRY(check_finite(model));
  // The noise was calibrated so that (ε, δ) holds; the accountant's own bound may be a little above
  // that, by its tolerance, or below.
  const double epsilon = std::min(TRY(learn::epsilon_of(event, setting.delta)),
                                  to_written_double(setting.epsilon, Rounding::kUp));
  model.promise.epsilon = epsilon;
  model.promise.delta = setting.delta;
  model.promise.events = {privacy::describe(event)};
  model.promise.examples = setting.source->count();
  Json all{{"epsilon", epsilon},
           {"delta", to_written_double(setting.delta, Rounding::kUp)},
           {"event", privacy::describe(event)}};
  all.update(result);
  all["examples"] = setting.source->count();
  all["examples_declared"] = setting.source->count_declared();
  all["measured"] = setting.source->undeclared();
  if (model.classes > 0) all["classes"] = model.encoding.label.values;
  // Without a file the answer is the only place that has what was paid for.
  if (o.out.empty() && model.classes > 0) {
    Weights own = weights_of(model);
    all["weights"] = std::move(own.weights);
    all["intercepts"] = std::move(own.intercepts);
    all["weights_mean"] = reading_of(model);
  }
  const std::string receipt = TRY(setting.source->finish(all.dump()));
  if (!receipt.empty()) all["receipt"] = receipt;
  if (!o.out.empty()) {
    TRY(write_whole("out", o.out, learn::write_model(model)));
    all["model"] = o.out;
  }
  if (o.json) return print(all.dump() + "\n");
  std::string text;
  for (const auto& [key, value] : all.items()) {
    const std::string shown = value.is_string()         ? value.get<std::string>()
                              : value.is_number_float() ? fmt::format("{:.6g}", value.get<double>())
                                                        : value.dump();
    if (!shown.empty()) text += fmt::format("{:<18} {}\n", key, shown);
  }
  if (!setting.source->count_declared())
    text += "The number of rows is treated as public; --examples declares another.\n";
  return print(text);
}

}  // namespace discreet::cli
