#include "discreet/cli/mechanism_compare.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/value_text.h"
#include "discreet/mechanism/compare/median.h"
#include "discreet/mechanism/compare/mode.h"
#include "discreet/mechanism/compare/selection.h"
#include "discreet/present/plot.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

using mechanism::compare::Comparison;
using mechanism::compare::Line;

struct Options {
  std::string epsilon, delta, bins_per_unit = "1", domains = "10,1000000000000";
  std::string range, rows = "300", against = "rows", plot;
  bool json = false;
};
using Compare = Result<Comparison> (*)(const Options& options);

constexpr std::int64_t kMostDomain = 1'000'000'000'000'000;

Result<Comparison> selection(const Options& o) {
  const Rational epsilon = TRY(read_epsilon(o.epsilon)), delta = TRY(read_delta(o.delta));
  const std::int64_t groups = TRY(read_integer("bins-per-unit", o.bins_per_unit, 1, 1'000'000));
  return mechanism::compare::compare_selection({epsilon, delta, groups});
}

Result<Comparison> mode(const Options& o) {
  const Rational epsilon = TRY(read_epsilon(o.epsilon)), delta = TRY(read_delta(o.delta));
  std::vector<std::int64_t> domains;
  for (const std::string& text : split_list(o.domains))
    domains.push_back(TRY(read_integer("domains", text, 2, kMostDomain)));
  return mechanism::compare::compare_mode({epsilon, delta, domains});
}

Result<Comparison> median(const Options& o) {
  const Rational epsilon = TRY(read_epsilon(o.epsilon)), delta = TRY(read_delta(o.delta));
  const std::vector<Rational> ends = TRY(read_number_list("--range", o.range));
  if (ends.size() != 2 || ends[0] >= ends[1])
    return bad_parameter("range", fmt::format("found {}; accepted are two numbers, the first below "
                                              "the second, such as 0,100",
                                              quote(o.range)));
  const std::int64_t rows = TRY(read_integer("rows", o.rows, 1, 10'000));
  const mechanism::compare::MedianCase given{epsilon, delta, ends[0], ends[1], rows};
  if (o.against == "rows") return mechanism::compare::compare_median(given);
  if (o.against == "epsilon") return mechanism::compare::compare_median_by_epsilon(given);
  return bad_parameter("against",
                       fmt::format("found {}; accepted is rows or epsilon", quote(o.against)));
}

std::string list_json(const std::vector<double>& numbers) {
  std::string out;
  for (const double number : numbers) out += (out.empty() ? "" : ",") + number_json(number);
  return "[" + out + "]";
}

std::string json_of(const Comparison& c) {
  std::string lines, notes;
  for (const Line& line : c.lines)
    lines += fmt::format("{}{{\"name\":{},\"y\":{}}}", lines.empty() ? "" : ",",
                         text_json(line.name), list_json(line.y));
  for (const std::string& note : c.notes) notes += (notes.empty() ? "" : ",") + text_json(note);
  return fmt::format(
      "{{\"title\":{},\"notes\":[{}],\"x_label\":{},\"y_label\":{},\"x\":{},\"lines\":[{}]}}\n",
      text_json(c.title), notes, text_json(c.x_label), text_json(c.y_label), list_json(c.x), lines);
}

std::string text_of(const Comparison& c) {
  std::vector<present::Column> columns{{c.x_label, present::Align::kRight}};
  for (const Line& line : c.lines) columns.push_back({line.name, present::Align::kRight});
  present::Table table(columns);
  for (std::size_t i = 0; i < c.x.size(); ++i) {
    std::vector<std::string> row{number_json(c.x[i])};
    for (const Line& line : c.lines) row.push_back(fmt::format("{:.4g}", line.y[i]));
    table.add(std::move(row));
  }
  std::string out = fmt::format("{}: {}\n", c.title, c.y_label);
  for (const std::string& note : c.notes) out += note + "\n";
  return out + table.text();
}

present::Plot picture_of(const Comparison& c) {
  present::Plot plot{.title = c.title, .x_label = c.x_label, .y_label = c.y_label};
  plot.log_x = c.log_x, plot.log_y = c.log_y;
  plot.notes = c.notes;
  for (const Line& line : c.lines)
    plot.series.push_back({.name = line.name, .x = c.x, .y = line.y});
  return plot;
}

Status run(const Options& o, Compare compare) {
  const Comparison found = TRY(compare(o));
  if (!o.plot.empty()) TRY(write_whole("plot", o.plot, present::svg(picture_of(found))));
  if (o.json) return print(json_of(found));
  return o.plot.empty() ? print(text_of(found)) : Status{};
}

CLI::App* add_case(CLI::App& compare, const char* name, const char* what, const char* example,
                   const std::shared_ptr<Options>& o, Compare how, Action& chosen) {
  CLI::App* verb = add_verb(compare, name, what, example);
  verb->add_option("--epsilon", o->epsilon, "the privacy loss ε, above 0")->required();
  verb->add_option("--delta", o->delta, "the δ of (ε, δ), above 0 and below 1")->required();
  verb->add_option("--plot", o->plot, "draw it, as an SVG file");
  verb->add_flag("--json", o->json, "one JSON object with all lines");
  verb->callback([o, how, &chosen] { chosen = [o, how] { return run(*o, how); }; });
  return verb;
}

}  // namespace

void add_compare(CLI::App& area, Action& chosen) {
  CLI::App* compare =
      add_verb(area, "compare", "mechanisms side by side, on public data",
               "discreet mechanism compare mode --epsilon 1 --delta 1e-6 --plot mode.svg");
  compare->require_subcommand(1);
  auto o = std::make_shared<Options>();
  add_case(*compare, "selection", "which groups are shown, by the units in them",
           "discreet mechanism compare selection --epsilon 1 --delta 1e-6", o, selection, chosen)
      ->add_option("--bins-per-unit", o->bins_per_unit, "in how many groups a unit is at most")
      ->capture_default_str();
  add_case(*compare, "mode", "the right answer by how many agree on it",
           "discreet mechanism compare mode --epsilon 1 --delta 1e-6 --domains 2,10,1000000", o,
           mode, chosen)
      ->add_option("--domains", o->domains,
                   "how many values there are, several separated by commas")
      ->capture_default_str();
  CLI::App* median_verb =
      add_case(*compare, "median", "how far off a private median is, by rows or by ε",
               "discreet mechanism compare median --range 0,100 --epsilon 1 --delta 1e-6", o,
               median, chosen);
  median_verb->add_option("--range", o->range, "the public range of the rows: 0,100")->required();
  median_verb
      ->add_option("--rows", o->rows, "how many rows; against rows: the middle of the picture")
      ->capture_default_str();
  median_verb->add_option("--against", o->against, "rows or epsilon")->capture_default_str();
}

}  // namespace discreet::cli
