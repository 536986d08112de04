#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/mechanism_show.h"
#include "discreet/cli/value_text.h"
#include "discreet/mechanism/registry.h"
#include "discreet/present/table.h"

namespace discreet::cli {
namespace {

using mechanism::Entry;
using mechanism::Parameter;
using mechanism::ParameterKind;

std::string_view name_of(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kPositive:
      return "positive";
    case ParameterKind::kNotNegative:
      return "not-negative";
    case ParameterKind::kNumber:
      return "number";
    case ParameterKind::kProbability:
      return "probability";
    case ParameterKind::kWhole:
      return "whole";
    case ParameterKind::kFlag:
      return "flag";
    case ParameterKind::kRelation:
      return "relation";
    case ParameterKind::kLabels:
      return "labels";
    case ParameterKind::kChoice:
      return "one-of";
    case ParameterKind::kRange:
      return "two-numbers";
  }
  return {};
}

std::string names(const Entry& entry, bool required) {
  std::string text;
  for (const Parameter& parameter : entry.parameters)
    if (parameter.required == required)
      text += (text.empty() ? "" : ",") + text_json(parameter.name);
  return "[" + text + "]";
}

std::string parameters_json(const Entry& entry) {
  std::string text;
  for (const Parameter& parameter : entry.parameters) {
    text += fmt::format("{}{{\"name\":{},\"kind\":{},\"required\":{},\"default\":{},\"help\":{}}}",
                        text.empty() ? "" : ",", text_json(parameter.name),
                        text_json(name_of(parameter.kind)), parameter.required,
                        parameter.fallback.empty() ? "null" : text_json(parameter.fallback),
                        text_json(parameter.help));
  }
  return "[" + text + "]";
}

std::string entry_json(const Entry& entry) {
  return fmt::format(
      "{{\"name\":{},\"title\":{},\"deck\":{},\"input\":{},\"required\":{},\"optional\":{},"
      "\"example\":{},\"takes\":{},\"gives\":{},\"parameters\":{}}}",
      text_json(entry.name), text_json(entry.title), text_json(entry.deck),
      text_json(entry.input.name), names(entry, true), names(entry, false),
      text_json(fmt::format("discreet mechanism {} {} --release", entry.name, entry.example)),
      text_json(mechanism::name_of(entry.input.kind)), text_json(mechanism::name_of(entry.output)),
      parameters_json(entry));
}

// The table of docs/mechanisms.md, to the letter. What a release is recorded as follows from a case
// of the entry's own.
Result<std::string> markdown() {
  std::string out =
      "| mechanism | what it does | takes | gives | needs | may be told | recorded as |\n"
      "|---|---|---|---|---|---|---|\n";
  const auto listed = [](const Entry& entry, bool required) {
    std::string text;
    for (const Parameter& parameter : entry.parameters)
      if (parameter.required == required)
        text += fmt::format("{}`{}`", text.empty() ? "" : ", ", parameter.name);
    return text;
  };
  for (const Entry& entry : mechanism::registry()) {
    const mechanism::MechanismPointer made = TRY(entry.make(entry.trials.at(0).parameters));
    out += fmt::format("| [{}](#{}) | {} | {}: {} | {} | {} | {} | `{}` |\n", entry.name,
                       entry.name, entry.title, entry.input.name,
                       mechanism::name_of(entry.input.kind), mechanism::name_of(entry.output),
                       listed(entry, true), listed(entry, false), privacy::name_of(made->event()));
  }
  return out;
}

}  // namespace

Status show_list(ListForm form) {
  switch (form) {
    case ListForm::kMarkdown:
      return print(TRY(markdown()));
    case ListForm::kJson: {
      std::string out;
      for (const Entry& entry : mechanism::registry())
        out += (out.empty() ? "" : ",") + entry_json(entry);
      return print(fmt::format("{{\"mechanisms\":[{}]}}\n", out));
    }
    case ListForm::kText:
      break;
  }
  present::Table table({{"mechanism"}, {"what it does"}, {"deck"}});
  for (const Entry& entry : mechanism::registry())
    table.add({std::string(entry.name), std::string(entry.title), std::string(entry.deck)});
  return print(table.text());
}

}  // namespace discreet::cli
