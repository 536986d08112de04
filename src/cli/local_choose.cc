// discreet local choose …: every protocol side by side, and which is best.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/cli/channel_output.h"
#include "discreet/cli/local_verbs.h"
#include "discreet/cli/out_file.h"
#include "discreet/local/choose.h"
#include "discreet/present/plot.h"
#include "discreet/present/progress.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

using local::Choice;
using local::Choices;

struct Options {
  std::string epsilon, domain, users, plot;
  bool numeric = false, json = false;
};

Result<Choices> choices_of(const local::ChooseOptions& asked, bool numeric) {
  return numeric ? local::choose_means(asked) : local::choose_frequencies(asked);
}

Json json_of(const Choices& choices, bool numeric) {
  Json rows = Json::array(), left_out = Json::array();
  for (const Choice& each : choices.rows) {
    Json row{{"name", each.name}, {"variance", each.variance}};
    if (numeric) row["worst_variance"] = each.worst;
    row["stderr"] = each.stderr_;
    row["bits"] = each.bits;
    row["memory"] = each.memory;
    row["client"] = each.client;
    row["collector"] = each.collector;
    if (each.parameters.blocks > 1) row["blocks"] = each.parameters.blocks;
    rows.push_back(std::move(row));
  }
  for (const auto& [name, why] : choices.left_out)
    left_out.push_back({{"name", name}, {"why", why}});
  return {{"best",
           {{"variance", choices.rows[choices.by_variance].entry->name},
            {"communication", choices.rows[choices.by_communication].entry->name}}},
          {"protocols", rows},
          {"left_out", left_out}};
}

std::string bits_text(double bits) {
  return bits < 1e4 ? fmt::format("{:.1f}", bits)
                    : present::with_commas(static_cast<std::uint64_t>(std::ceil(bits)));
}

// As one writes it: "hadamard --blocks 4".
std::string written(const Choice& choice) {
  return choice.parameters.blocks > 1
             ? fmt::format("{} --blocks {}", choice.entry->name, choice.parameters.blocks)
             : std::string(choice.entry->name);
}

// Two standard errors, which 19 of 20 estimates are within.
std::string verdict(const Choices& choices, const local::ChooseOptions& asked, bool numeric) {
  const Choice& best = choices.rows[choices.by_variance];
  const Choice& small = choices.rows[choices.by_communication];
  std::string out = fmt::format("Take {}", written(best));
  if (choices.by_communication != choices.by_variance)
    out += fmt::format(", or {} for short reports", written(small));
  // of numbers -1 … 1 a hundredth of the range is 0.02
  const double unit = numeric ? 2 : 1;
  const char* what = numeric ? "the mean is known to ± {:.2g} % of the range"
                             : "the share of a rare value is known to ± {:.2g} %";
  if (asked.users > 1)
    out += fmt::format("; with {} people ", present::with_commas(asked.users)) +
           fmt::format(fmt::runtime(what), 100 * 2 * best.stderr_ / unit);
  const double needed = std::ceil(best.worst * std::pow(2 / (0.01 * unit), 2));
  return out + fmt::format("; ± 1 % takes {} people (two standard errors).\n",
                           needed < 1e15 ? present::with_commas(static_cast<std::uint64_t>(needed))
                                         : fmt::format("{:.2g}", needed));
}

std::string text_of(const Choices& choices, const local::ChooseOptions& asked, bool numeric) {
  using present::Align;
  std::vector<present::Column> columns{{"protocol"}, {"variance", Align::kRight}};
  if (numeric) columns.push_back({"at worst", Align::kRight});
  if (asked.users > 1) columns.push_back({"± one stderr", Align::kRight});
  columns.insert(columns.end(), {{"bits", Align::kRight}, {"client"}, {"collector"}, {"best by"}});
  present::Table table(columns);
  for (std::size_t i = 0; i < choices.rows.size(); ++i) {
    const Choice& each = choices.rows[i];
    std::vector<std::string> cells{written(each), fmt::format("{:.4g}", each.variance)};
    if (numeric) cells.push_back(fmt::format("{:.4g}", each.worst));
    if (asked.users > 1) cells.push_back(fmt::format("{:.3g}", each.stderr_));
    std::string best = i == choices.by_variance ? "variance" : "";
    if (i == choices.by_communication) best += best.empty() ? "communication" : ", communication";
    cells.insert(cells.end(), {bits_text(each.bits), each.client, each.collector, best});
    table.add(std::move(cells));
  }
  std::string out = table.text() + "\n" + verdict(choices, asked, numeric);
  out += numeric ? "The variance is how far one report scatters, squared, for numbers -1 … 1 whose "
                   "mean is 0; what is compared is that of the worst mean. With n people it is n "
                   "times less.\nFor a histogram of numbers take square-wave.\n"
                 : "The variance is how far one report scatters, squared, for a value that nobody "
                   "has; with n people it is n times less.\n";
  out += "Best by communication: the fewest bits of those within a tenth of the best stderr.\n";
  for (const auto& [name, why] : choices.left_out)
    out += fmt::format("Left out: {}: {}.\n", name, why);
  return out;
}

// The variance over ε, a line a protocol.
Result<present::Plot> picture_of(const local::ChooseOptions& asked, bool numeric) {
  constexpr int kPoints = 40;
  constexpr double kLow = 0.2, kHigh = 8;
  present::Plot plot{
      .title = numeric ? "Variance of a mean where it is worst, one user"
                       : fmt::format("Variance of a frequency near 0, one user, {} values",
                                     present::with_commas(asked.domain)),
      .x_label = "ε",
      .y_label = "variance",
      .log_x = true,
      .log_y = true};
  for (int i = 0; i < kPoints; ++i) {
    const double epsilon = kLow + (kHigh - kLow) * i / (kPoints - 1);
    local::ChooseOptions there = asked;
    there.epsilon = TRY(exactly(epsilon));
    const Choices choices = TRY(choices_of(there, numeric));
    for (const Choice& each : choices.rows) {
      // however many blocks are best there, it is one line
      const std::string name = each.parameters.blocks > 1 ? "hadamard, best blocks" : each.name;
      auto series = std::find_if(plot.series.begin(), plot.series.end(),
                                 [&name](const auto& known) { return known.name == name; });
      if (series == plot.series.end()) {
        plot.series.push_back({.name = name});
        series = std::prev(plot.series.end());
      }
      series->x.push_back(epsilon);
      series->y.push_back(each.worst);
    }
  }
  return plot;
}

Status choose(const Options& options) {
  local::ChooseOptions asked;
  if (options.epsilon.empty())
    return bad_parameter("epsilon", "none was given; accepted is a number above 0",
                         advise("epsilon", "1"));
  asked.epsilon = TRY(read_report_epsilon(options.epsilon));
  if (options.numeric && !options.domain.empty())
    return bad_parameter("domain",
                         "found together with --numeric, where there are numbers and no "
                         "list of values");
  if (!options.numeric && options.domain.empty())
    return bad_parameter("domain", "none was given; accepted is how many values there are",
                         advise("domain", "1000"));
  if (!options.domain.empty())
    asked.domain = static_cast<std::size_t>(
        TRY(read_integer("domain", options.domain, 2, local::kMostValues)));
  if (!options.users.empty())
    asked.users = static_cast<std::uint64_t>(
        TRY(read_integer("users", options.users, 1, std::int64_t{1} << 53)));
  const Choices choices = TRY(choices_of(asked, options.numeric));
  if (!options.plot.empty()) {
    const present::Plot plot = TRY(picture_of(asked, options.numeric));
    TRY(write_whole("plot", options.plot, present::svg(plot)));
  }
  return finish(options.json, json_of(choices, options.numeric),
                text_of(choices, asked, options.numeric));
}

}  // namespace

void add_local_choose(CLI::App& area, Action& chosen) {
  CLI::App* verb =
      add_verb(area, "choose", "which protocol is best, by variance and by communication",
               "discreet local choose --domain 1000 --epsilon 1 --users 1e6");
  auto options = std::make_shared<Options>();
  verb->add_option("--epsilon", options->epsilon, "ε of each report");
  verb->add_option("--domain", options->domain, "how many values there are");
  verb->add_option("--users", options->users, "how many people report");
  verb->add_flag("--numeric", options->numeric, "protocols for the mean of numbers");
  verb->add_option("--plot", options->plot, "draw the variance over ε, as an SVG file");
  verb->add_flag("--json", options->json, "one JSON object");
  verb->callback([options, &chosen] { chosen = [options] { return choose(*options); }; });
}

}  // namespace discreet::cli
