// discreet local simulate …: protocols tried on made-up people.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/cli/out_file.h"
#include "discreet/local/simulate.h"
#include "discreet/present/plot.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

using local::Simulated;
using local::Task;

struct Options {
  std::string distribution = "zipf", users, domain, epsilon, protocols = "all",
              method = "inversion", plot, blocks, range;
  bool json = false;
};

struct Tried {
  std::string name;
  Task task;
  Simulated found;
};

// Lists this long are worth reading; longer ones stay out of the JSON and the picture.
constexpr std::size_t kMostListed = 10'000, kMostDrawn = 100;

Result<std::vector<double>> weights_of(const Options& options, std::optional<std::size_t> domain) {
  const std::string& text = options.distribution;
  std::vector<Rational> numbers;
  if (text.find(',') != std::string::npos) {
    numbers = TRY(read_number_list("distribution", text));
  } else if (std::error_code none; std::filesystem::is_regular_file(text, none)) {
    numbers = TRY(read_numbers_file("distribution", text, Lines::kEither)).numbers;
  } else {
    if (!domain)
      return bad_parameter("domain", "none was given; accepted is how many values there are",
                           advise("domain", "100"));
    return local::law_weights(text, *domain);
  }
  if (domain && numbers.size() != *domain)
    return bad_parameter("domain", fmt::format("found {} and {} weights; accepted is their number",
                                               *domain, numbers.size()));
  std::vector<double> out;
  for (const Rational& number : numbers) out.push_back(to_double(number));
  return out;
}

// With an ε coins are flat; a shape is smoothed between neighbours, and names have none.
Result<std::vector<const local::Entry*>> protocols_of(const std::string& text) {
  std::vector<const local::Entry*> out;
  if (text == "all") {
    for (const local::Entry& entry : local::registry())
      if (entry.name != "coins" && entry.task != Task::kShape) out.push_back(&entry);
    return out;
  }
  for (const std::string& name : split_list(text)) {
    auto entry = local::require(name);
    if (!entry) {
      entry.error().parameter = "protocols";
      return forward_error(entry);
    }
    out.push_back(*entry);
  }
  if (out.empty())
    return bad_parameter("protocols", "found none; accepted is all, or names with commas between");
  return out;
}

Json json_of(const Tried& tried) {
  const Simulated& s = tried.found;
  Json out{{"name", tried.name}};
  if (tried.task == Task::kMean) {
    out["mean"] = s.truth[0];
    out["estimate"] = s.estimate[0];
    out["stderr"] = s.stderr_[0];
    out["error"] = s.largest;
  }
  out["mse"] = s.mse;
  if (s.predicted > 0) out["predicted_mse"] = s.predicted;
  if (tried.task != Task::kMean) {
    out["total_variation"] = s.total_variation;
    out["largest_error"] = s.largest;
  }
  out["within_two_stderr"] = s.within;
  out["seconds_perturbing"] = s.seconds_perturbing;
  out["seconds_estimating"] = s.seconds_estimating;
  out["bits"] = s.bits;
  if (tried.task != Task::kMean && s.truth.size() <= kMostListed) {
    out["distribution"] = s.estimate;
    Json bars = Json::array();
    for (const double bar : s.stderr_) bars.push_back(json_number(bar));
    out["stderr"] = bars;
  }
  return out;
}

std::string text_of(const std::vector<Tried>& all) {
  using present::Align;
  present::Table values({{"protocol"},
                         {"mean squared error", Align::kRight},
                         {"predicted", Align::kRight},
                         {"total variation", Align::kRight},
                         {"largest error", Align::kRight},
                         {"within ±2 stderr", Align::kRight},
                         {"perturbing", Align::kRight},
                         {"estimating", Align::kRight},
                         {"bits", Align::kRight}});
  present::Table means({{"protocol"},
                        {"mean", Align::kRight},
                        {"estimate", Align::kRight},
                        {"± one stderr", Align::kRight},
                        {"error", Align::kRight},
                        {"perturbing", Align::kRight},
                        {"bits", Align::kRight}});
  for (const Tried& tried : all) {
    const Simulated& s = tried.found;
    const auto number = [](double x) { return fmt::format("{:.3g}", x); };
    const auto time = [](double x) { return fmt::format("{:.3f} s", x); };
    const std::string bits = fmt::format("{:.1f}", s.bits);
    if (tried.task == Task::kMean)
      means.add({tried.name, fmt::format("{:.4f}", s.truth[0]),
                 fmt::format("{:.4f}", s.estimate[0]), number(s.stderr_[0]), number(s.largest),
                 time(s.seconds_perturbing), bits});
    else
      values.add({tried.name, number(s.mse), s.predicted > 0 ? number(s.predicted) : "",
                  number(s.total_variation), number(s.largest),
                  fmt::format("{:.0f} %", 100 * s.within), time(s.seconds_perturbing),
                  time(s.seconds_estimating), bits});
  }
  std::string out;
  if (values.rows() > 0) out += values.text();
  if (values.rows() > 0 && means.rows() > 0)
    out += "\nThe mean of the values as numbers, -1 the first and 1 the last:\n\n";
  if (means.rows() > 0) out += means.text();
  if (std::any_of(all.begin(), all.end(), [](const Tried& t) { return t.task == Task::kShape; }))
    out +=
        "\nA smoothed shape is rounded off where it is steep, which its error bars don't tell.\n";
  return out;
}

// True frequencies as a line, estimates as points with two standard errors each way.
present::Plot frequencies_plot(const Tried& tried, const std::string& title) {
  const Simulated& s = tried.found;
  std::vector<std::size_t> order(s.truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  present::Plot plot{.title = fmt::format("{}: {}", tried.name, title),
                     .x_label = "value",
                     .y_label = "frequency"};
  if (order.size() > kMostDrawn) {
    std::stable_sort(order.begin(), order.end(),
                     [&s](std::size_t a, std::size_t b) { return s.truth[a] > s.truth[b]; });
    order.resize(kMostDrawn);
    plot.x_label = fmt::format("value, the {} most frequent", kMostDrawn);
  }
  present::Series truth{.name = "true"}, found{.name = "estimated, ± 2 stderr"};
  truth.style = found.style = present::Style::kPoints;
  for (const std::size_t v : order) plot.categories.push_back(fmt::format("{}", v));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto x = static_cast<double>(i);
    const std::size_t v = order[i];
    truth.x.push_back(x);
    truth.y.push_back(s.truth[v]);
    found.x.push_back(x);
    found.y.push_back(s.estimate[v]);
    found.lower.push_back(s.estimate[v] - 2 * s.stderr_[v]);
    found.upper.push_back(s.estimate[v] + 2 * s.stderr_[v]);
  }
  plot.series = {std::move(truth), std::move(found)};
  return plot;
}

present::Plot means_plot(const std::vector<Tried>& all, const std::string& title) {
  present::Plot plot{.title = "The mean: " + title, .y_label = "mean of numbers -1 … 1"};
  present::Series truth{.name = "true"}, found{.name = "estimated, ± 2 stderr"};
  truth.style = found.style = present::Style::kPoints;
  for (const Tried& tried : all) {
    if (tried.task != Task::kMean) continue;
    const Simulated& s = tried.found;
    const auto x = static_cast<double>(plot.categories.size());
    plot.categories.push_back(tried.name);
    truth.x.push_back(x);
    truth.y.push_back(s.truth[0]);
    found.x.push_back(x);
    found.y.push_back(s.estimate[0]);
    found.lower.push_back(s.estimate[0] - 2 * s.stderr_[0]);
    found.upper.push_back(s.estimate[0] + 2 * s.stderr_[0]);
  }
  plot.series = {std::move(truth), std::move(found)};
  return plot;
}

std::string picture_of(const std::vector<Tried>& all, const std::string& title) {
  std::vector<present::Plot> plots;
  for (const Tried& tried : all)
    if (tried.task != Task::kMean) plots.push_back(frequencies_plot(tried, title));
  if (plots.size() < all.size()) plots.push_back(means_plot(all, title));
  return present::svg(plots);
}

Status simulate(const Options& options) {
  if (options.epsilon.empty())
    return bad_parameter("epsilon", "none was given; accepted is a number above 0",
                         advise("epsilon", "1"));
  const Rational epsilon = TRY(read_report_epsilon(options.epsilon));
  if (options.users.empty())
    return bad_parameter("users", "none was given; accepted is how many people report",
                         advise("users", "1e6"));
  const std::int64_t users = TRY(read_integer("users", options.users, 1, 1'000'000'000));
  std::optional<std::size_t> domain;
  if (!options.domain.empty())
    domain = static_cast<std::size_t>(TRY(read_integer("domain", options.domain, 2, 100'000'000)));
  local::EstimateOptions how;
  how.method = TRY(local::read_method(options.method));
  const auto protocols = TRY(protocols_of(options.protocols));
  const std::vector<double> weights = TRY(weights_of(options, domain));
  if (!options.plot.empty()) TRY(can_write("plot", options.plot));
  const local::Population people = TRY(local::draw_population(
      weights, static_cast<std::uint64_t>(users), random::thread_generator()));
  local::Parameters parameters{.epsilon = epsilon, .domain = weights.size()};
  TRY(read_own_parameters(options.blocks, options.range, protocols, parameters));
  std::vector<Tried> all;
  Json left_out = Json::array();
  std::string notes;
  if (options.protocols == "all") {
    const std::pair<const char*, const char*> known[] = {
        {"coins", "with the coin of this ε it is flat"},
        {"square-wave", "it is for numbers, whose neighbours are alike; name it to try it"}};
    for (const auto& [name, why] : known) {
      left_out.push_back({{"name", name}, {"why", why}});
      notes += fmt::format("Left out: {}: {}.\n", name, why);
    }
  }
  present::Progress progress("simulating", protocols.size());
  for (const local::Entry* entry : protocols) {
    auto protocol = entry->make(parameters);
    auto found = protocol ? local::simulate(**protocol, people, how)
                          : Result<Simulated>(forward_error(protocol));
    progress.advance(1);
    if (found) {
      all.push_back({std::string(entry->name), entry->task, *std::move(found)});
    } else if (options.protocols == "all" && found.error().code == Code::kUsage) {
      const std::string why = found.error().message.text();
      left_out.push_back({{"name", entry->name}, {"why", why}});
      notes += fmt::format("Left out: {}: {}.\n", entry->name, why);
    } else {
      return forward_error(found);
    }
  }
  const std::string title =
      fmt::format("{} people, ε = {}", present::with_commas(static_cast<std::uint64_t>(users)),
                  to_decimal(epsilon));
  if (!options.plot.empty()) TRY(write_whole("plot", options.plot, picture_of(all, title)));
  Json json{{"users", users},
            {"domain", weights.size()},
            {"epsilon", to_written_double(epsilon, Rounding::kUp)},
            {"distribution", options.distribution},
            {"method", local::name_of(how.method)}};
  if (weights.size() <= kMostListed) json["true"] = people.frequencies();
  json["protocols"] = Json::array();
  for (const Tried& tried : all) json["protocols"].push_back(json_of(tried));
  json["left_out"] = left_out;
  return finish(options.json, json, text_of(all) + notes);
}

}  // namespace

void add_local_simulate(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "simulate", "protocols tried on made-up people",
                            "discreet local simulate --distribution zipf --users 1e6 --domain 100 "
                            "--epsilon 1 --plot simulated.svg");
  auto options = std::make_shared<Options>();
  verb->add_option(
      "--distribution", options->distribution,
      fmt::format("{}; or weights, as a list or a file (zipf where none is given)", local::kLaws));
  verb->add_option("--users", options->users, "how many people there are");
  verb->add_option("--domain", options->domain, "how many values there are");
  verb->add_option("--epsilon", options->epsilon, "ε of each report");
  verb->add_option("--protocols", options->protocols,
                   "all, or names with commas between (all where none is given)");
  add_own_options(*verb, options->blocks, options->range);
  verb->add_option("--method", options->method,
                   "of frequencies: inversion, clip, simplex, ibu or mle (inversion where none is "
                   "given)");
  verb->add_option("--plot", options->plot,
                   "draw true against estimated frequencies, as an SVG file");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return simulate(*options); }; });
}

}  // namespace discreet::cli
