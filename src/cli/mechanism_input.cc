#include "discreet/cli/mechanism_input.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/numbers_file.h"

namespace discreet::cli {
namespace {

using mechanism::Entry;
using mechanism::Kind;
using mechanism::Parameter;
using mechanism::ParameterKind;
using mechanism::ParameterValue;
using mechanism::Value;

const Rational kHuge(Integer(1) << 20000);  // past whatever can be written

// Outputs that lie on a line can be listed from one to another.
bool on_a_line(Kind output) {
  return output == Kind::kNumber || output == Kind::kNumbers || output == Kind::kCounts;
}

Result<Rational> any_number(std::string_view parameter, const std::string& text) {
  return read_number(parameter, text, Rounding::kDown, {-kHuge, kHuge, false, "a number"});
}

Status one_of_the_two(const std::string& option, const MechanismOptions& o) {
  if (!o.typed || o.input_file.empty()) return {};
  return fail(Code::kUsage,
              fmt::format("{}: found with {}-file; accepted is one of the two", option, option));
}

Result<ParameterValue> read_range(const std::string& name, const std::string& text,
                                  const std::string& accepted) {
  const std::vector<std::string> ends = split_list(text);
  if (ends.size() != 2)
    return bad_parameter(name, fmt::format("found {}; accepted is {}", quote(text), accepted));
  const Rational low = TRY(any_number(name, ends[0])), high = TRY(any_number(name, ends[1]));
  return mechanism::Limits{low, high};
}

// What kind of thing was written. Ranges are the library's to check.
Result<ParameterValue> read_parameter(const Parameter& parameter, const std::string& text) {
  const std::string name(parameter.name);
  switch (parameter.kind) {
    case ParameterKind::kPositive:
    case ParameterKind::kNotNegative:
    case ParameterKind::kNumber:
    case ParameterKind::kProbability:
      return TRY(
          read_number(name, text, parameter.rounding, {-kHuge, kHuge, false, accepted(parameter)}));
    case ParameterKind::kWhole:
      return TRY(read_integer(name, text, 1, parameter.most));
    case ParameterKind::kRelation:
      if (text == "add-remove") return privacy::Relation::kAddRemove;
      if (text == "substitute") return privacy::Relation::kSubstitute;
      return bad_parameter(
          name, fmt::format("found {}; accepted is {}", quote(text), accepted(parameter)));
    case ParameterKind::kLabels:
      return split_list(text);
    case ParameterKind::kChoice:
      return text;
    case ParameterKind::kRange:
      return TRY(read_range(name, text, accepted(parameter)));
    case ParameterKind::kFlag:
      break;
  }
  return bad_parameter(name, "it takes no text");
}

// How many have each label, from a list or a file.
Result<std::optional<Value>> read_counts(const Entry& entry, const MechanismOptions& o) {
  const std::string option = fmt::format("--{}", entry.input.word());
  TRY(one_of_the_two(option, o));
  if (o.typed) return Value(TRY(read_count_list(option, o.input)));
  if (o.input_file.empty()) return std::optional<Value>();
  return Value(TRY(read_counts_file(option + "-file", o.input_file)));
}

// Numbers from a list or a file, whose labels name them where the entry takes names.
Result<std::optional<Value>> read_numbers(const Entry& entry, const MechanismOptions& o,
                                          mechanism::Parameters& parameters) {
  const std::string option = fmt::format("--{}", entry.input.word());
  TRY(one_of_the_two(option, o));
  if (o.typed) return Value(TRY(read_number_list(option, o.input)));
  if (o.input_file.empty()) return std::optional<Value>();
  const std::string_view names = mechanism::kLabels.name;
  const bool takes_names = entry.parameter(names) != nullptr;
  LabelledNumbers file =
      TRY(read_numbers_file(entry.input.in_file ? option : option + "-file", o.input_file,
                            takes_names ? Lines::kEither : Lines::kNumbers));
  if (!file.labels.empty() && takes_names && !parameters.has(names))
    parameters.set(names, std::move(file.labels));
  return Value(std::move(file.numbers));
}

Result<std::optional<Value>> read_input(const Entry& entry, const MechanismOptions& o,
                                        mechanism::Parameters& parameters) {
  const std::string option = fmt::format("--{}", entry.input.word());
  if (entry.input.kind == Kind::kNumbers) return read_numbers(entry, o, parameters);
  if (entry.input.kind == Kind::kCounts) return read_counts(entry, o);
  if (!o.given()) return std::optional<Value>();
  switch (entry.input.kind) {
    case Kind::kNumber:
      return Value(TRY(any_number(entry.input.word(), o.input)));
    case Kind::kLabel:
      return Value(mechanism::Label{0, o.input});
    case Kind::kLabels: {
      mechanism::Labels labels;
      for (std::string& name : split_list(o.input))
        labels.push_back({labels.size(), std::move(name)});
      return Value(std::move(labels));
    }
    case Kind::kRows:
      return Value(TRY(read_rows_file(option, o.input_file)));
    case Kind::kNumbers:
    case Kind::kCounts:
    case Kind::kNothing:
    case Kind::kFlags:
    case Kind::kGaps:
      break;
  }
  return fail(Code::kFailure,
              fmt::format("{}: {} can't be given", option, name_of(entry.input.kind)));
}

// What a file of the entry's input has on each line.
std::string_view lines_of(const Entry& entry) {
  if (entry.input.kind == Kind::kCounts) return "one a line, \"label,number\"";
  if (entry.parameter(mechanism::kLabels.name) == nullptr) return "one number a line";
  return "one a line, \"label,number\" or the number alone";
}

}  // namespace

void add_input_options(CLI::App& verb, const Entry& entry, MechanismOptions& o) {
  const std::string option = fmt::format("--{}", entry.input.word());
  const bool in_file = entry.input.in_file || entry.input.kind == Kind::kRows;
  const bool numbers = entry.input.kind == Kind::kNumbers;
  std::string help(entry.input.help);
  if (in_file && numbers) help += fmt::format("; {}", kHeaderHelp);
  if (in_file)
    verb.add_option(option, o.input_file, help);
  else
    verb.add_option(option, o.input, help)->each([&o](const std::string&) { o.typed = true; });
  if (!in_file && (numbers || entry.input.kind == Kind::kCounts))
    verb.add_option(
        option + "-file", o.input_file,
        fmt::format("a file with {} (- is standard input); {}", lines_of(entry), kHeaderHelp));
  if (on_a_line(entry.output) && entry.has_pmf) {
    verb.add_option("--from", o.from, "with --pmf: the first output to list");
    verb.add_option("--to", o.to, "with --pmf: the last output to list");
  }
}

void add_unsafe_option(CLI::App& verb, MechanismOptions& o) {
  verb.add_flag("--unsafe-show-private", o.show_private,
                "show what is computed from private input without noise");
}

void add_parameter_options(CLI::App& verb, std::span<const Parameter> parameters,
                           MechanismOptions& o) {
  for (const Parameter& parameter : parameters) {
    const std::string name(parameter.name), option = "--" + name;
    std::string help(parameter.help);
    if (parameter.kind == ParameterKind::kChoice) help += ": " + accepted(parameter);
    if (!parameter.fallback.empty()) help += fmt::format(" (default: {})", parameter.fallback);
    if (parameter.kind == ParameterKind::kFlag) {
      verb.add_flag(option, o.flags[name], help);
    } else {
      CLI::Option* added = verb.add_option(option, o.texts[name], help);
      if (parameter.required) added->required();
    }
  }
}

Result<mechanism::Parameters> read_parameters(std::span<const Parameter> parameters,
                                              const MechanismOptions& o) {
  mechanism::Parameters out;
  for (const Parameter& parameter : parameters) {
    if (const auto flag = o.flags.find(std::string(parameter.name));
        flag != o.flags.end() && flag->second)
      out.set(parameter.name, true);
    const auto text = o.texts.find(std::string(parameter.name));
    if (text == o.texts.end() || text->second.empty()) continue;
    ParameterValue value = TRY(read_parameter(parameter, text->second));
    out.set(parameter.name, std::move(value));
  }
  return out;
}

Result<MechanismInput> read_mechanism_input(const Entry& entry, const MechanismOptions& o) {
  MechanismInput out;
  out.parameters = TRY(read_parameters(entry.parameters, o));
  out.value = TRY(read_input(entry, o, out.parameters));
  return out;
}

Result<mechanism::Window> read_window(const MechanismOptions& o) {
  mechanism::Window window;
  if (!o.from.empty()) window.from = TRY(any_number("from", o.from));
  if (!o.to.empty()) window.to = TRY(any_number("to", o.to));
  return window;
}

}  // namespace discreet::cli
