#include "discreet/cli/learn_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/present/plot.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"
#include "discreet/privacy/event.h"

namespace discreet::cli {
namespace {

struct Window {
  double step = 0, loss = 0, accuracy = 0, loss_deviation = 0, accuracy_deviation = 0;
};

// Means over stretches of steps: noise of single steps hides the curve.
std::vector<Window> windows(const Training& t, std::size_t most) {
  std::vector<Window> out;
  const std::size_t n = t.told.size(), count = std::min(most, n);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = n * i / count, end = n * (i + 1) / count;
    Window w{.step = static_cast<double>(begin + end + 1) / 2};
    for (std::size_t s = begin; s < end; ++s) {
      w.loss += t.told[s].first;
      w.accuracy += t.told[s].second;
    }
    const auto steps = static_cast<double>(end - begin);
    w.loss /= steps;
    w.accuracy /= steps;
    w.loss_deviation = t.loss_deviation / std::sqrt(steps);
    w.accuracy_deviation = t.accuracy_deviation / std::sqrt(steps);
    out.push_back(w);
  }
  return out;
}

std::string what_costs(const Training& t) {
  const SgdPlan& plan = *t.plan;
  std::string out = plan.count == 0 ? "" : "every step's noisy sum (gradient, loss and accuracy)";
  if (plan.measuring) out += fmt::format("; measuring {}", t.undeclared);
  if (plan.components > 0) out += fmt::format("; {} principal components", plan.components);
  return out;
}

}  // namespace

LastEpoch last_epoch(const Training& t) {
  LastEpoch out;
  const SgdPlan& plan = *t.plan;
  const std::uint64_t epoch = std::max<std::uint64_t>(1, (plan.count + plan.lot - 1) / plan.lot);
  out.steps = std::min<std::uint64_t>(epoch, t.told.size());
  if (out.steps == 0) return out;
  for (std::size_t i = t.told.size() - out.steps; i < t.told.size(); ++i) {
    out.loss += t.told[i].first;
    out.accuracy += t.told[i].second;
  }
  const auto n = static_cast<double>(out.steps);
  out.loss = std::clamp(out.loss / n, 0.0, t.loss_bound);
  out.accuracy = std::clamp(out.accuracy / n, 0.0, 1.0);
  out.loss_deviation = t.loss_deviation / std::sqrt(n);
  out.accuracy_deviation = t.accuracy_deviation / std::sqrt(n);
  return out;
}

Json training_json(const Training& t, const SgdOptions& o) {
  const SgdPlan& plan = *t.plan;
  const LastEpoch last = last_epoch(t);
  // Of no step nothing is known: a run may have been killed before its first.
  const auto known = [&](double value) { return t.told.empty() ? Json() : Json(value); };
  Json out{{"model", o.out},
           {"network", t.network},
           {"weights", t.weights},
           {"examples", plan.count},
           {"examples_declared", t.count_declared},
           {"lot", plan.lot},
           {"epochs", plan.epochs},
           {"planned_epsilon", plan.epsilon},
           {"relation", "add-remove"},
           {"event", privacy::describe(plan.spent(t.begun))},
           {"measured", t.undeclared}};
  if (!t.receipt.empty()) out["receipt"] = t.receipt;
  if (t.classes > 0) {
    out["train_accuracy"] = known(last.accuracy);
    out["train_accuracy_deviation"] = known(last.accuracy_deviation);
  }
  if (!t.validated.empty()) {
    if (t.classes > 0) out["validation_accuracy"] = t.validated.back().accuracy;
    out["validation_loss"] = t.validated.back().loss;
  }
  if (plan.sigma.size() > 1) {
    out["sigmas"] = Json::array();
    for (const auto& piece : plan.sigma)
      out["sigmas"].push_back({{"from_step", piece.begin}, {"sigma", to_double(piece.value)}});
  }
  out["train_loss_deviation"] = known(last.loss_deviation);
  out["epsilon"] = t.epsilon;
  out["delta"] = to_written_double(plan.delta, Rounding::kUp);
  out["sigma"] = to_written_double(plan.sigma[0].value, Rounding::kDown);
  out["steps"] = t.begun;
  out["train_loss"] = known(last.loss);
  return out;
}

Json report_json(const Training& t, const SgdOptions& o) {
  Json out{{"curves", Json::object()}};
  Json& curves = out["curves"];
  curves["train"] = Json::array();
  for (const Window& w : windows(t, 200)) {
    Json point{{"step", w.step}, {"loss", w.loss}, {"loss_deviation", w.loss_deviation}};
    if (t.classes > 0) {
      point["accuracy"] = w.accuracy;
      point["accuracy_deviation"] = w.accuracy_deviation;
    }
    curves["train"].push_back(point);
  }
  curves["validation"] = Json::array();
  for (const Validated& v : t.validated) {
    Json point{{"step", v.step}, {"loss", v.loss}};
    if (t.classes > 0) point["accuracy"] = v.accuracy;
    curves["validation"].push_back(point);
  }
  curves["epsilon"] = Json::array();
  for (const auto& [step, epsilon] : t.spent)
    curves["epsilon"].push_back({{"step", step}, {"epsilon", epsilon}});
  const Json summary = training_json(t, o);
  for (const auto& [key, value] : summary.items()) out[key] = value;
  return out;
}

std::string training_text(const Training& t, const SgdOptions& o) {
  const SgdPlan& plan = *t.plan;
  const LastEpoch last = last_epoch(t);
  present::Table table({{"training"}, {""}});
  const auto row = [&](const std::string& name, const std::string& text) {
    table.add({name, text});
  };
  row("model", fmt::format("{} ({} weights)", o.model, present::with_commas(t.weights)));
  row("examples",
      fmt::format("{}, {}", present::with_commas(plan.count),
                  t.count_declared ? "as declared" : "the number of rows, treated as public"));
  row("lots", fmt::format("{} of {} on average{}", present::with_commas(t.begun),
                          present::with_commas(plan.lot),
                          o.no_sampling ? ", each example once an epoch" : ", drawn at random"));
  row("noise",
      plan.sigma.size() > 1
          ? fmt::format("{:.5g} to {:.5g} times what one example changes",
                        to_double(plan.sigma.front().value), to_double(plan.sigma.back().value))
          : fmt::format("{:.5g} times what one example changes", to_double(plan.sigma[0].value)));
  row("privacy", fmt::format("({:.5g}, {})-DP, adding or removing an example", t.epsilon,
                             to_decimal(plan.delta)));
  row("covers", what_costs(t));
  if (t.undeclared.starts_with("the bounds"))
    row("texts", "count as nothing in a column whose values aren't declared (--bounds 'ward=A|B')");
  if (!t.told.empty()) {
    row("training loss", fmt::format("{:.4f} ± {:.4f}, with noise, over the last {} lots",
                                     last.loss, 2 * last.loss_deviation, last.steps));
    if (t.classes > 0)
      row("training accuracy",
          fmt::format("{:.2f} % ± {:.2f}", 100 * last.accuracy, 200 * last.accuracy_deviation));
  }
  if (!t.validated.empty()) {
    row("validation loss", fmt::format("{:.4f}, on public rows that nobody's privacy covers",
                                       t.validated.back().loss));
    if (t.classes > 0)
      row("validation accuracy", fmt::format("{:.2f} %", 100 * t.validated.back().accuracy));
  }
  return table.text();
}

std::string training_plot(const Training& t) {
  // About an epoch each: noise of less would hide the curve.
  const auto epochs = static_cast<std::size_t>(std::max(t.plan->epochs, 1.0));
  const std::vector<Window> all = windows(t, std::clamp<std::size_t>(epochs, 8, 60));
  const bool classes = t.classes > 0;
  present::Series train{.name = "training, ± 2 deviations"};
  const double top_value = classes ? 100 : t.loss_bound;
  for (const Window& w : all) {
    const double value = classes ? 100 * w.accuracy : w.loss;
    const double off = classes ? 200 * w.accuracy_deviation : 2 * w.loss_deviation;
    train.x.push_back(w.step);
    train.y.push_back(std::clamp(value, 0.0, top_value));
    train.lower.push_back(std::clamp(value - off, 0.0, top_value));
    train.upper.push_back(std::clamp(value + off, 0.0, top_value));
  }
  present::Plot top{.title = classes ? "Accuracy" : "Loss",
                    .x_label = "step",
                    .y_label = classes ? "accuracy, %" : "loss"};
  top.series.push_back(std::move(train));
  if (!t.validated.empty()) {
    present::Series validation{.name = "validation, public"};
    for (const Validated& v : t.validated) {
      validation.x.push_back(static_cast<double>(v.step));
      validation.y.push_back(classes ? 100 * v.accuracy : v.loss);
    }
    top.series.push_back(std::move(validation));
  }
  present::Series spent{.name = fmt::format("ε at δ = {}", to_decimal(t.plan->delta))};
  for (const auto& [step, epsilon] : t.spent) {
    spent.x.push_back(static_cast<double>(step));
    spent.y.push_back(epsilon);
  }
  present::Plot bottom{.title = "Privacy spent", .x_label = "step", .y_label = "ε"};
  bottom.series.push_back(std::move(spent));
  return present::svg({top, bottom});
}

}  // namespace discreet::cli
