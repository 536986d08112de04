#include "discreet/cli/local_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_collect.h"
#include "discreet/cli/out_file.h"
#include "discreet/local/channel_protocol.h"
#include "discreet/present/plot.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

constexpr std::size_t kMostNames = 20;

// The value's label or number; of a shape the bin's bounds.
std::string name_of_value(const NamedProtocol& named, const Scale& scale, std::size_t value) {
  const local::Constants& c = named.protocol->constants();
  if (!named.labels.empty()) return named.labels[value];
  if (c.task != local::Task::kShape) return fmt::format("{}", value);
  const auto bins = static_cast<double>(c.domain);
  const double from = scale.at(static_cast<double>(value) / bins),
               to = scale.at(static_cast<double>(value + 1) / bins);
  // a width of few digits is written out; of others a bound is told to a tenth of the width
  const double width = (scale.upper - scale.lower) / bins;
  if (fmt::format("{:.6g}", width).size() <= 5) return fmt::format("{:.6g} to {:.6g}", from, to);
  const int decimals = std::max(0, static_cast<int>(std::ceil(-std::log10(width))) + 1);
  return fmt::format("{:.{}f} to {:.{}f}", from, decimals, to, decimals);
}

}  // namespace

std::vector<std::size_t> shown_values(const std::vector<double>& estimates, std::size_t most) {
  std::vector<std::size_t> out(estimates.size());
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (out.size() <= most) return out;
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(most), out.end(),
                    [&](std::size_t a, std::size_t b) {
                      return estimates[a] != estimates[b] ? estimates[a] > estimates[b] : a < b;
                    });
  out.resize(most);
  return out;
}

int decimals_for(const std::vector<double>& errors) {
  double least = 1;
  for (const double error : errors)
    if (error > 0) least = std::min(least, error);
  return std::clamp(1 - static_cast<int>(std::floor(std::log10(least))), 1, 9);
}

std::string told_number(double value, int decimals) {
  if (!std::isfinite(value)) return "unknown";
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  // a number that rounds to nothing has no sign
  return text.find_first_of("123456789") == std::string::npos && value < 0 ? text.substr(1) : text;
}

std::string strange_reports(const std::string& protocol, const local::Estimate& estimate) {
  if (!estimate.implausible) return "";
  return fmt::format(
      "these reports don't look like reports of {}: was another protocol, ε or number of blocks "
      "used?",
      protocol);
}

void warn(const std::string& warning) {
  if (!warning.empty())
    (void)std::fputs(fmt::format("discreet: warning: {}\n", warning).c_str(), stderr);
}

namespace {

Json head(const NamedProtocol& named) {
  const local::Constants& c = named.protocol->constants();
  return {{"protocol", c.name}, {"epsilon", json_epsilon(*named.protocol)}};
}

}  // namespace

void add_users(Json& json, const local::State& state) {
  json["users"] = state.users;
  json["rejected"] = state.rejected();
  json["rejections"] = rejections(state);
}

std::string foot(const local::State& state) {
  const std::string told = told_rejections(state);
  return fmt::format("\nFrom {} {}.{}\n", present::with_commas(state.users),
                     state.users == 1 ? "report" : "reports", told.empty() ? "" : " " + told + ".");
}

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(json_number(value));
  return out;
}

void add_findings(Json& json, const std::string& protocol, const local::Estimate& estimate) {
  json["iterations"] = estimate.iterations;
  json["stopped"] = local::name_of(estimate.stopped);
  if (estimate.log_likelihood) json["log_likelihood"] = json_number(*estimate.log_likelihood);
  if (estimate.gap) json["gap"] = json_number(*estimate.gap);
  json["bars"] = local::name_of(estimate.bars);
  if (estimate.start_smoothed) json["start_smoothed"] = true;
  if (estimate.threshold) json["threshold"] = json_number(*estimate.threshold);
  if (const std::string strange = strange_reports(protocol, estimate); !strange.empty())
    json["warnings"] = Json::array({strange});
}

namespace {

Json frequencies_json(const NamedProtocol& named, const local::State& state, local::Method method,
                      const local::Estimate& estimate) {
  Json json = head(named);
  json["method"] = local::name_of(method);
  json["distribution"] = numbers(estimate.distribution);
  json["stderr"] = numbers(estimate.stderr_);
  add_users(json, state);
  add_findings(json, state.of, estimate);
  if (!named.labels.empty()) json["values"] = named.labels;
  return json;
}

// How an iterative estimate ended, as a sentence; nothing for the others.
std::string told_end(const local::Estimate& estimate) {
  if (estimate.stopped == local::Stopped::kDirect) return "";
  std::string out =
      fmt::format("Stopped after {} rounds by the {}", present::with_commas(estimate.iterations),
                  local::name_of(estimate.stopped));
  if (estimate.gap)
    out +=
        fmt::format("; a likelier distribution gains at most {:.2g} nats a report", *estimate.gap);
  if (estimate.start_smoothed)
    out += "; the start had zeros, and was mixed with a thousandth of the uniform one";
  return out + ".\n";
}

Status plot(const std::string& path, const NamedProtocol& named, const Scale& scale,
            const local::Estimate& estimate, const std::vector<std::size_t>& values) {
  const local::Constants& c = named.protocol->constants();
  present::Plot picture{
      .title = "Estimated frequencies",
      .x_label = c.task == local::Task::kShape ? "number" : "value",
      .y_label = "frequency",
      .notes = {fmt::format("{}, ε = {:.4g}; error bars are two standard errors either way", c.name,
                            to_double(c.epsilon))}};
  if (values.size() < estimate.distribution.size())
    picture.notes.push_back(fmt::format("the greatest {} of {} values", values.size(),
                                        present::with_commas(estimate.distribution.size())));
  // a few bars have their names; of many the axis shows round numbers
  const bool named_bars = !named.labels.empty() || values.size() < estimate.distribution.size() ||
                          values.size() <= kMostNames;
  present::Series bars{.style = present::Style::kBars};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double y = estimate.distribution[values[i]], error = 2 * estimate.stderr_[values[i]];
    const double middle = (static_cast<double>(values[i]) + 0.5) / static_cast<double>(c.domain);
    bars.x.push_back(c.task == local::Task::kShape ? scale.at(middle) : static_cast<double>(i));
    bars.y.push_back(y);
    bars.lower.push_back(y - error);
    bars.upper.push_back(y + error);
    if (named_bars && c.task != local::Task::kShape)
      picture.categories.push_back(name_of_value(named, scale, values[i]));
  }
  picture.series = {std::move(bars)};
  return write_whole("plot", path, present::svg(picture));
}

// Of many values some are far up by chance alone, and those are the ones that a cut table shows.
std::string told_threshold(double threshold, int decimals) {
  if (!std::isfinite(threshold))
    return "Any of them may be nobody's: there are too few reports to tell.\n";
  return fmt::format(
      "Values below {:.{}f} may be nobody's: what nobody has gets there in at most {:.0f} of 100 "
      "collections.\n",
      threshold, decimals, 100 * local::kFalseValues);
}

std::string frequencies_text(const NamedProtocol& named, const local::State& state,
                             const Scale& scale, const local::Estimate& estimate,
                             const std::vector<std::size_t>& values) {
  present::Table table(
      {{"value"}, {"estimate", present::Align::kRight}, {"±", present::Align::kRight}});
  const int decimals = decimals_for(estimate.stderr_);
  for (const std::size_t value : values)
    table.add({name_of_value(named, scale, value),
               told_number(estimate.distribution[value], decimals),
               told_number(estimate.stderr_[value], decimals)});
  std::string text = table.text();
  const std::size_t all = estimate.distribution.size();
  if (values.size() < all) {
    text += fmt::format("\nThe greatest {} of {} values; {} are left out (--all shows them).\n",
                        values.size(), present::with_commas(all),
                        present::with_commas(all - values.size()));
    if (estimate.threshold) text += told_threshold(*estimate.threshold, decimals);
  }
  return text + foot(state) + told_end(estimate) + "± is one standard error.\n";
}

}  // namespace

Json json_epsilon(const local::Protocol& protocol) {
  const auto* channel = dynamic_cast<const local::ChannelProtocol*>(&protocol);
  if (channel != nullptr && !channel->is_private()) return "inf";
  return to_written_double(protocol.constants().epsilon, Rounding::kUp);
}

Status show_frequencies(const Shown& shown, const NamedProtocol& named, const local::State& state,
                        const Scale& scale, local::Method method, const local::Estimate& estimate) {
  const std::vector<std::size_t> values =
      shown_values(estimate.distribution, shown.top.value_or(kMostRows));
  warn(strange_reports(state.of, estimate));
  if (!shown.plot.empty()) TRY(plot(shown.plot, named, scale, estimate, values));
  if (shown.json) return finish(true, frequencies_json(named, state, method, estimate), "");
  return print(frequencies_text(named, state, scale, estimate, values));
}

Status show_shape(const Shown& shown, const NamedProtocol& named, const local::State& state,
                  const Scale& scale, local::Method method, const local::Shape& shape) {
  // a histogram is whole and in its order
  const std::size_t bins = shape.bins.distribution.size();
  const std::vector<std::size_t> values =
      shown_values(shape.bins.distribution, shown.top.value_or(bins));
  if (!shown.plot.empty()) TRY(plot(shown.plot, named, scale, shape.bins, values));
  const double mean = scale.at(shape.mean.value),
               error = shape.mean.stderr_ * (scale.upper - scale.lower);
  Json json = frequencies_json(named, state, method, shape.bins);
  json["mean"] = json_number(mean);
  json["mean_stderr"] = json_number(error);
  json["lower"] = scale.lower;
  json["upper"] = scale.upper;
  return finish(shown.json, json,
                fmt::format("mean {:.6g} ± {:.2g}\n\n{}", mean, error,
                            frequencies_text(named, state, scale, shape.bins, values)));
}

Status show_mean(const Shown& shown, const NamedProtocol& named, const local::State& state,
                 const Scale& scale, const local::Number& mean) {
  if (!shown.plot.empty())
    return bad_parameter("plot",
                         "found with a mean, which is one number; accepted is it with "
                         "frequencies");
  const double value = scale.at(mean.value), error = mean.stderr_ * (scale.upper - scale.lower);
  Json json = head(named);
  json["mean"] = json_number(value);
  json["stderr"] = json_number(error);
  json["lower"] = scale.lower;
  json["upper"] = scale.upper;
  add_users(json, state);
  return finish(
      shown.json, json,
      fmt::format("mean {:.6g} ± {:.2g}\n{}± is one standard error.\n", value, error, foot(state)));
}

}  // namespace discreet::cli
