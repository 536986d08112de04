#include "discreet/cli/mechanism_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "discreet/base/try.h"
#include "discreet/cli/value_text.h"
#include "discreet/present/table.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

using mechanism::Figures;
using mechanism::Mass;
using mechanism::Mechanism;
using mechanism::Value;

std::string_view name_of(privacy::Relation relation) {
  return relation == privacy::Relation::kAddRemove ? "add-remove" : "substitute";
}

// ε and δ as they were written; where decimals don't end, rounded up.
std::string charge(const Rational& value) {
  const std::string text = to_decimal(value);
  return text.find('/') == std::string::npos && text.size() <= 24
             ? text
             : to_text(to_double(value, Rounding::kUp));
}

// Without its braces, so that more can stand beside it.
std::string guarantee_fields(const privacy::Guarantee& g) {
  return fmt::format("\"epsilon\":{},\"delta\":{},\"relation\":\"{}\"", charge(g.epsilon),
                     charge(g.delta), name_of(g.relation));
}

std::string figures_json(const Figures& figures) {
  std::string out;
  for (const auto& [name, value] : figures)
    out += fmt::format(",{}:{}", text_json(name), number_json(value));
  return out;
}

std::string figures_text(const Figures& figures) {
  std::string out;
  for (const auto& [name, value] : figures)
    out += fmt::format("{}: {}\n", name, number_json(value));
  return out;
}

Status print_pmf_json(const mechanism::Pmf& pmf, double tail) {
  fmt::memory_buffer out;
  fmt::format_to(std::back_inserter(out), "{{\"pmf\":[");
  for (std::size_t i = 0; i < pmf.rows.size(); ++i) {
    const Mass& row = pmf.rows[i];
    const std::string cell =
        row.cell ? fmt::format("\"cell\":{},",
                               text_json(row.cell->name.value_or(std::to_string(row.cell->index))))
                 : "";
    fmt::format_to(std::back_inserter(out), "{}{{{}\"output\":{},\"probability\":{}}}",
                   i == 0 ? "" : ",", cell, json_of(row.output),
                   number_json(row.probability.middle()));
  }
  fmt::format_to(std::back_inserter(out), "],\"tail\":{}{}}}\n", number_json(tail),
                 figures_json(pmf.figures));
  return print({out.data(), out.size()});
}

}  // namespace

std::string guarantee_text(const privacy::Guarantee& g) {
  if (g.delta == 0) return fmt::format("ε = {}, {}", charge(g.epsilon), name_of(g.relation));
  return fmt::format("ε = {}, δ = {}, {}", charge(g.epsilon), charge(g.delta), name_of(g.relation));
}

Status show_release(const Mechanism& made, const Value& input, bool json) {
  return show_release(made, mechanism::Exact<Value>::from_private(input), json, "");
}

Status show_release(const Mechanism& made, const mechanism::Exact<Value>& input, bool json,
                    const std::string& more) {
  const mechanism::Answer answer = TRY(made.release(input, random::thread_generator()));
  const privacy::Guarantee guarantee = made.guarantee();
  if (json) {
    const std::string interval =
        !answer.interval
            ? "null"
            : fmt::format("{{\"lower\":{},\"upper\":{},\"confidence\":0.95}}",
                          json_of(answer.interval->first), json_of(answer.interval->second));
    return print(fmt::format("{{\"value\":{},\"guarantee\":{{{}}},\"interval\":{}{}}}\n",
                             json_of(answer.value), guarantee_fields(guarantee), interval, more));
  }
  std::string text = present::printable(text_of(answer.value)) + "\n";
  const auto* counts = std::get_if<mechanism::Counts>(&answer.value);
  if (answer.interval && !(counts != nullptr && counts->empty()))
    text += fmt::format("95 % sure: {} to {}\n",
                        text_of(shortened(answer.interval->first, Rounding::kDown)),
                        text_of(shortened(answer.interval->second, Rounding::kUp)));
  return print(text + fmt::format("cost: {}\n", guarantee_text(guarantee)));
}

Status check_shown(const mechanism::Entry& entry, const MechanismOptions& o) {
  if (o.show_private) return {};
  if (!o.accuracy.empty() && entry.accuracy_is_private)
    return fail(Code::kUsage,
                fmt::format("discreet mechanism {}: --accuracy of this mechanism is computed from "
                            "the private {}, without noise. Add --unsafe-show-private to see it, "
                            "and show it to nobody else",
                            entry.name, entry.input.name));
  if ((o.pmf || !o.plot.empty()) && !o.input_file.empty())
    return fail(Code::kUsage,
                fmt::format("discreet mechanism {}: a distribution tells the {} that it is "
                            "computed from, and these come from a file. Add --unsafe-show-private "
                            "to see it, and show it to nobody else",
                            entry.name, entry.input.name));
  return {};
}

Status show_pmf(const Mechanism& made, const Value& input, const mechanism::Window& window,
                bool json) {
  const mechanism::Pmf pmf = TRY(made.pmf(input, window));
  const double tail = std::max(0.0, pmf.tail.middle());
  if (json) return print_pmf_json(pmf, tail);
  const bool cells = !pmf.rows.empty() && pmf.rows[0].cell.has_value();
  std::vector<present::Column> columns{{"output", present::Align::kRight}, {"probability"}};
  if (cells) columns.insert(columns.begin(), present::Column{"cell"});
  present::Table table(columns);
  for (const Mass& row : pmf.rows) {
    std::vector<std::string> line{text_of(row.output), number_json(row.probability.middle())};
    if (cells) line.insert(line.begin(), row.cell ? text_of(*row.cell) : "");
    table.add(std::move(line));
  }
  std::string text = table.text();
  if (tail > 0) text += fmt::format("everything else: {}\n", number_json(tail));
  return print(text + figures_text(pmf.figures));
}

Status show_accuracy(const mechanism::Entry& entry, const Mechanism& made,
                     const std::optional<Value>& input, const MechanismOptions& o) {
  const std::string& beta_text = o.accuracy;
  const bool is_private = entry.accuracy_is_private, json = o.json;
  const Rational beta =
      TRY(read_number("accuracy", beta_text, Rounding::kDown,
                      {0, 1, true, "a probability above 0 and below 1, such as 0.05"}));
  if (beta == 1)
    return bad_parameter("accuracy",
                         "found 1; accepted is a probability above 0 and below 1, such as 0.05");
  const mechanism::Accuracy accuracy = TRY(made.accuracy(input, beta));
  if (json) {
    return print(fmt::format(
        "{{\"bound\":{},\"beta\":{},\"method\":\"exact\"{}{}}}\n", number_json(accuracy.bound),
        number_json(beta), is_private ? ",\"private\":true" : "", figures_json(accuracy.figures)));
  }
  const std::string text = fmt::format(fmt::runtime(accuracy.says), bound_text(accuracy.bound),
                                       number_json(Rational(1 - beta))) +
                           "\n";
  const std::string_view warning =
      is_private ? "private: computed from the input without noise, not to be shown to others\n"
                 : "";
  return print(text + figures_text(accuracy.figures) + std::string(warning));
}

Status show_cost(const Mechanism& made, bool json) {
  const privacy::Guarantee guarantee = made.guarantee();
  const Figures figures = made.figures();
  if (!json) return print(guarantee_text(guarantee) + "\n" + figures_text(figures));
  return print(fmt::format("{{{},\"event\":{}{}}}\n", guarantee_fields(guarantee),
                           text_json(privacy::describe(made.event())), figures_json(figures)));
}

}  // namespace discreet::cli
