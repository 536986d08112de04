#include "discreet/cli/mechanism_compare.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/mechanism_input.h"
#include "discreet/cli/out_file.h"
#include "discreet/cli/value_text.h"
#include "discreet/mechanism/compare/cases.h"
#include "discreet/present/plot.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

using mechanism::compare::Case;
using mechanism::compare::Comparison;
using mechanism::compare::Line;

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

Status run(const Case& each, const MechanismOptions& o) {
  const mechanism::Parameters given = TRY(read_parameters(each.parameters, o));
  const Comparison found = TRY(each.make(given));
  if (!o.plot.empty()) TRY(write_whole("plot", o.plot, present::svg(picture_of(found))));
  if (o.json) return print(json_of(found));
  return o.plot.empty() ? print(text_of(found)) : Status{};
}

}  // namespace

void add_compare(CLI::App& area, Action& chosen) {
  const auto example = [](const Case& each) {
    return fmt::format("discreet mechanism compare {} {}", each.name, each.example);
  };
  CLI::App* compare = add_verb(area, "compare", "mechanisms side by side, on public data",
                               example(mechanism::compare::cases().front()));
  compare->require_subcommand(1);
  for (const Case& each : mechanism::compare::cases()) {
    CLI::App* verb =
        add_verb(*compare, std::string(each.name), std::string(each.title), example(each));
    auto o = std::make_shared<MechanismOptions>();
    add_parameter_options(*verb, each.parameters, *o);
    verb->add_option("--plot", o->plot, "draw it, as an SVG file");
    verb->add_flag("--json", o->json, "one JSON object with all lines");
    verb->callback([&each, o, &chosen] { chosen = [&each, o] { return run(each, *o); }; });
  }
}

}  // namespace discreet::cli
