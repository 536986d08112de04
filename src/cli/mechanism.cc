// discreet mechanism NAME … --release | --pmf | --accuracy BETA | --cost | --plot FILE. The names,
// and which options each takes, come from the registry (mechanism/registry.h).
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/numbers_file.h"
#include "discreet/mechanism/registry.h"
#include "discreet/present/plot.h"
#include "discreet/present/table.h"
#include "discreet/random/generator.h"

namespace discreet::cli {
namespace {

using namespace mechanism;

const Rational kHuge(Integer(1) << 20000);  // past whatever can be written

struct Options {
  // public parameters and private input, as text
  std::string epsilon, delta, sensitivity, grid, sigma, rho, threshold, threshold_share, max,
      positives, relation, values;
  std::string value, numbers, numbers_file, labels;
  bool monotone = false, gap = false;
  // what to do
  bool release = false, pmf = false, cost = false, json = false;
  std::string from, to, accuracy, plot;
};

bool takes(const Entry& entry, std::string_view parameter) {
  return std::count(entry.required.begin(), entry.required.end(), parameter) +
             std::count(entry.optional.begin(), entry.optional.end(), parameter) >
         0;
}

Status read(const char* option, const std::string& text, Rounding rounding, const Bounds& bounds,
            std::optional<Rational>& out) {
  if (text.empty()) return {};
  auto number = TRY(read_number(option, text, rounding, bounds));
  out = number;
  return {};
}

Result<Parameters> read_parameters(const Entry& entry, const Options& o) {
  Parameters p;
  const Bounds positive{0, kHuge, true, "a number above 0, such as 1 or 0.5"};
  const Bounds any{-kHuge, kHuge, false, "a number"};
  const Bounds share{0, 1, true, "a number above 0 and below 1, such as 1/3"};
  if (!o.epsilon.empty()) {
    auto epsilon = TRY(read_epsilon(o.epsilon));
    p.epsilon = epsilon;
  }
  if (!o.delta.empty()) {
    auto delta = TRY(read_delta(o.delta));
    p.delta = delta;
  }
  // Each is rounded (only ln(…) ever is) towards more noise.
  for (const Status& status :
       {read("sensitivity", o.sensitivity, Rounding::kUp, positive, p.sensitivity),
        read("grid", o.grid, Rounding::kDown, positive, p.grid),
        read("sigma", o.sigma, Rounding::kUp, positive, p.sigma),
        read("rho", o.rho, Rounding::kDown, positive, p.rho),
        read("threshold", o.threshold, Rounding::kUp, any, p.threshold),
        read("threshold-share", o.threshold_share, Rounding::kDown, share, p.threshold_share)}) {
    if (!status) return tl::unexpected<Error>(status.error());
  }
  if (!o.max.empty()) {
    auto max = TRY(read_integer("max", o.max, 1, std::int64_t{1} << 62));
    p.max = max;
  }
  if (!o.positives.empty()) {
    auto positives = TRY(read_integer("positives", o.positives, 1, std::int64_t{1} << 40));
    p.positives = positives;
  }
  if (o.relation == "add-remove") {
    p.relation = privacy::Relation::kAddRemove;
  } else if (o.relation == "substitute") {
    p.relation = privacy::Relation::kSubstitute;
  } else if (!o.relation.empty()) {
    return fail(
        Code::kUsage,
        fmt::format("--relation: found '{}'; accepted is add-remove or substitute", o.relation));
  }
  p.monotone = o.monotone, p.gap = o.gap;
  if (entry.input == "choice") p.labels = split_list(o.values);
  return p;
}

// The private input; absent where nothing was given.
Result<std::optional<Input>> read_input(const Entry& entry, const Options& o, Parameters& p) {
  Input input;
  if (entry.input == "choice") {
    input.choice = o.value;
    return o.value.empty() ? std::optional<Input>() : input;
  }
  if (entry.input == "value") {
    if (o.value.empty()) return std::optional<Input>();
    auto value = read_number("value", o.value, Rounding::kDown, {-kHuge, kHuge, false, "a number"});
    if (!value) return forward_error(value);
    input.numbers.push_back(*value);
    return input;
  }
  const std::string option = fmt::format("--{}", entry.input);
  if (!o.numbers.empty() && !o.numbers_file.empty()) {
    return fail(Code::kUsage,
                fmt::format("{}: found with {}-file; accepted is one of the two", option, option));
  }
  if (!o.numbers.empty()) {
    auto numbers = TRY(read_number_list(option, o.numbers));
    input.numbers = std::move(numbers);
  } else if (!o.numbers_file.empty()) {
    auto file =
        read_numbers_file(entry.input == "answers" ? option : option + "-file", o.numbers_file);
    if (!file) return forward_error(file);
    input.numbers = std::move(file->numbers);
    p.labels = std::move(file->labels);
  } else {
    return std::optional<Input>();
  }
  if (!o.labels.empty()) p.labels = split_list(o.labels);
  if (!p.labels.empty() && p.labels.size() != input.numbers.size()) {
    return fail(Code::kUsage, fmt::format("--labels: found {} for {} {}; accepted is one for each",
                                          p.labels.size(), input.numbers.size(), entry.input));
  }
  return input;
}

double middle(const Ball& ball) { return ball.middle(); }

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

std::string guarantee_json(const privacy::Guarantee& g) {
  return fmt::format("{{\"epsilon\":{},\"delta\":{},\"relation\":\"{}\"}}", charge(g.epsilon),
                     charge(g.delta), name_of(g.relation));
}

std::string guarantee_text(const privacy::Guarantee& g) {
  if (g.delta == 0) return fmt::format("ε = {}, {}", charge(g.epsilon), name_of(g.relation));
  return fmt::format("ε = {}, δ = {}, {}", charge(g.epsilon), charge(g.delta), name_of(g.relation));
}

std::string figures_json(const std::vector<std::pair<std::string, double>>& figures) {
  std::string out;
  for (const auto& [name, value] : figures)
    out += fmt::format(",{}:{}", json_string(name), json_number(value));
  return out;
}

// A JSON string without its quotes; other JSON as it is.
std::string plain(const std::string& json) {
  const auto value = nlohmann::json::parse(json, nullptr, /*allow_exceptions=*/false);
  return value.is_string() ? value.get<std::string>() : json;
}

Status show_release(const AnyMechanism& any, const Input& input, bool json) {
  auto answer = TRY(any.release(Exact<Input>::from_private(input), random::thread_generator()));
  const privacy::Guarantee guarantee = any.guarantee();
  if (json) {
    const std::string interval =
        answer.lower.empty() ? "null"
                             : fmt::format("{{\"lower\":{},\"upper\":{},\"confidence\":0.95}}",
                                           answer.lower, answer.upper);
    return print(fmt::format("{{\"value\":{},\"guarantee\":{},\"interval\":{}}}\n", answer.value,
                             guarantee_json(guarantee), interval));
  }
  std::string text = present::printable(plain(answer.value)) + "\n";
  if (!answer.lower.empty())
    text += fmt::format("95 % sure: {} to {}\n", answer.lower, answer.upper);
  return print(text + fmt::format("cost: {}\n", guarantee_text(guarantee)));
}

Status show_pmf(const AnyMechanism& any, const Input& input, const Window& window, bool json) {
  auto pmf = TRY(any.pmf(input, window));
  const double tail = std::max(0.0, middle(pmf.tail));
  const bool cells = !pmf.rows.empty() && !pmf.rows[0].cell.empty();
  if (json) {
    fmt::memory_buffer out;
    fmt::format_to(std::back_inserter(out), "{{\"pmf\":[");
    for (std::size_t i = 0; i < pmf.rows.size(); ++i) {
      const Mass& row = pmf.rows[i];
      const std::string cell = cells ? fmt::format("\"cell\":{},", json_string(row.cell)) : "";
      fmt::format_to(std::back_inserter(out), "{}{{{}\"output\":{},\"probability\":{}}}",
                     i == 0 ? "" : ",", cell, row.output, json_number(middle(row.probability)));
    }
    fmt::format_to(std::back_inserter(out), "],\"tail\":{}{}}}\n", json_number(tail),
                   figures_json(pmf.figures));
    return print({out.data(), out.size()});
  }
  std::vector<present::Column> columns{{"output", present::Align::kRight}, {"probability"}};
  if (cells) columns.insert(columns.begin(), present::Column{"cell"});
  present::Table table(columns);
  for (const Mass& row : pmf.rows) {
    std::vector<std::string> line{plain(row.output), json_number(middle(row.probability))};
    if (cells) line.insert(line.begin(), row.cell);
    table.add(std::move(line));
  }
  std::string text = table.text();
  if (tail > 0) text += fmt::format("everything else: {}\n", json_number(tail));
  for (const auto& [name, value] : pmf.figures)
    text += fmt::format("{}: {}\n", name, json_number(value));
  return print(text);
}

Status show_accuracy(const AnyMechanism& any, const Input& input, const std::string& beta_text,
                     bool json) {
  auto beta = TRY(read_number("accuracy", beta_text, Rounding::kDown,
                              {0, 1, true, "a probability above 0 and below 1, such as 0.05"}));
  if (beta == 1)
    return fail(Code::kUsage,
                "--accuracy: found 1; accepted is a probability above 0 and below 1, such as 0.05");
  auto accuracy = TRY(any.accuracy(input, beta));
  if (json) {
    return print(fmt::format("{{\"bound\":{},\"beta\":{},\"method\":\"exact\"{}}}\n",
                             json_number(accuracy.bound), json_number(beta),
                             figures_json(accuracy.figures)));
  }
  std::string text = fmt::format("within ±{} with probability {} or more (exact)\n",
                                 json_number(accuracy.bound), json_number(Rational(1 - beta)));
  for (const auto& [name, value] : accuracy.figures)
    text += fmt::format("{}: {}\n", name, json_number(value));
  return print(text);
}

Status show_cost(const AnyMechanism& any, bool json) {
  return print((json ? guarantee_json(any.guarantee()) : guarantee_text(any.guarantee())) + "\n");
}

std::string describe(const Entry& entry, const Input& input) {
  if (!input.choice.empty()) return input.choice;
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(input.numbers.size(), 6); ++i)
    out += (i > 0 ? ", " : "") + json_number(input.numbers[i]);
  return fmt::format("{} {}{}", entry.input, out, input.numbers.size() > 6 ? ", …" : "");
}

// The distributions on the input and on a neighbour of it, side by side.
Status show_plot(const Entry& entry, const AnyMechanism& any, const Input& input,
                 const std::string& path, bool json) {
  const Input other = any.neighbour(input);
  Window window;
  if (entry.input == "value" ||
      entry.input == "counts") {  // one window for both, so that they can be compared
    auto reach = TRY(any.accuracy(input, Rational(1, 100)));
    std::vector<Rational> all = input.numbers;
    all.insert(all.end(), other.numbers.begin(), other.numbers.end());
    window.from = *std::min_element(all.begin(), all.end()) - Rational(reach.bound);
    window.to = *std::max_element(all.begin(), all.end()) + Rational(reach.bound);
  }
  const privacy::Guarantee guarantee = any.guarantee();
  present::Plot plot{.title = fmt::format("{} ({})", entry.name, guarantee_text(guarantee)),
                     .x_label = "output",
                     .y_label = "probability"};
  for (const Input* each : {&input, &other}) {
    auto pmf = TRY(any.pmf(*each, window));
    present::Series series{.name = describe(entry, *each)};
    const bool bars = entry.input != "value" || pmf.rows.size() <= 80;
    series.style = bars ? present::Style::kBars : present::Style::kSteps;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pmf.rows.size(); ++i) {
      const Mass& row = pmf.rows[i];
      series.x.push_back(entry.input == "value" ? std::stod(row.output) : static_cast<double>(i));
      series.y.push_back(middle(row.probability));
      names.push_back(row.cell.empty() ? plain(row.output) : row.cell + " " + row.output);
    }
    if (entry.input != "value") plot.categories = std::move(names);
    plot.series.push_back(std::move(series));
  }
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << present::svg(plot);
  file.close();
  if (!file) return fail(Code::kFailure, fmt::format("--plot: '{}' could not be written", path));
  return json ? print(fmt::format("{{\"plot\":{}}}\n", json_string(path))) : Status{};
}

Status act(const Entry& entry, const Options& o) {
  auto parameters = TRY(read_parameters(entry, o));
  auto input = TRY(read_input(entry, o, parameters));
  auto any = TRY(entry.make(parameters));
  if (o.cost) return show_cost(*any, o.json);
  // Accuracy is a matter of public parameters, but for mechanisms whose error is relative to
  // scores, or to how many answers there are.
  const bool needed = o.accuracy.empty() || entry.input == "scores" || entry.input == "answers" ||
                      entry.input == "counts";
  if (!input.has_value() && needed) {
    const std::string_view option = entry.input == "choice" ? "value" : entry.input;
    return fail(Code::kUsage,
                fmt::format("discreet mechanism {}: --{} is missing", entry.name, option),
                fmt::format("discreet mechanism {} {}", entry.name, entry.example));
  }
  const Input given = input.value_or(Input{});
  if (!o.accuracy.empty()) return show_accuracy(*any, given, o.accuracy, o.json);
  if (o.release) return show_release(*any, given, o.json);
  if (!o.plot.empty()) return show_plot(entry, *any, given, o.plot, o.json);
  Window window;
  const Bounds bounds{-kHuge, kHuge, false, "a number"};
  TRY(read("from", o.from, Rounding::kDown, bounds, window.from));
  TRY(read("to", o.to, Rounding::kDown, bounds, window.to));
  return show_pmf(*any, given, window, o.json);
}

Status run(const Entry& entry, const Options& o) {
  const int actions =
      int(o.release) + int(o.pmf) + int(o.cost) + int(!o.accuracy.empty()) + int(!o.plot.empty());
  if (actions != 1) {
    return fail(Code::kUsage, fmt::format("discreet mechanism {}: found {} of --release, --pmf, "
                                          "--accuracy BETA, --cost and --plot FILE; "
                                          "accepted is one",
                                          entry.name, actions == 0 ? "none" : "several"));
  }
  Status status = act(entry, o);
  if (!status) {
    // The library names a parameter as in C++; here it is an option.
    Error& error = status.error();
    const std::string word = error.message.text().substr(0, error.message.text().find(':'));
    if (takes(entry, word) || word == entry.input || word == "value")
      error.message = "--" + error.message;
  }
  return status;
}

Status list(bool json) {
  if (json) {
    std::string out = "{\"mechanisms\":[";
    for (const Entry& entry : registry()) {
      const auto names = [](const std::vector<std::string_view>& parameters) {
        std::string text;
        for (const std::string_view parameter : parameters)
          text += (text.empty() ? "" : ",") + json_string(parameter);
        return "[" + text + "]";
      };
      out += fmt::format(
          "{}{{\"name\":{},\"title\":{},\"deck\":{},\"input\":{},\"required\":{},\"optional\":{},"
          "\"example\":{}}}",
          out.back() == '[' ? "" : ",", json_string(entry.name), json_string(entry.title),
          json_string(entry.deck), json_string(entry.input), names(entry.required),
          names(entry.optional),
          json_string(
              fmt::format("discreet mechanism {} {} --release", entry.name, entry.example)));
    }
    return print(out + "]}\n");
  }
  present::Table table({{"mechanism"}, {"what it does"}, {"deck"}});
  for (const Entry& entry : registry())
    table.add({std::string(entry.name), std::string(entry.title), std::string(entry.deck)});
  return print(table.text());
}

void add_parameters(CLI::App& verb, const Entry& entry, Options& o) {
  const auto add = [&](const char* name, std::string& text, const char* help) {
    if (!takes(entry, name)) return;
    CLI::Option* option = verb.add_option(std::string("--") + name, text, help);
    if (std::count(entry.required.begin(), entry.required.end(), std::string_view(name)) > 0)
      option->required();
  };
  add("epsilon", o.epsilon, "the privacy loss ε, above 0");
  add("delta", o.delta, "the δ of (ε, δ), above 0 and below 1");
  add("sensitivity", o.sensitivity, "by how much one unit can change the value (or any one score)");
  add("sigma", o.sigma, "the noise's standard deviation, in place of ε or δ");
  add("rho", o.rho, "zCDP's ρ = Δ²/(2σ²), in place of sigma");
  add("max", o.max, "the largest value, which is public");
  add("threshold", o.threshold, "the public threshold");
  add("threshold-share", o.threshold_share, "the part of ε that the threshold's noise takes");
  add("positives", o.positives, "after so many answers above the threshold it stops");
  add("values", o.values, "all values a person can say, separated by commas");
  add("grid", o.grid,
      "the public grid's step (1, or a power of two if the sensitivity isn't whole)");
  add("relation", o.relation, "who are neighbours: add-remove (the default) or substitute");
  if (takes(entry, "monotone"))
    verb.add_flag("--monotone", o.monotone,
                  "all scores move the same way when a unit comes: half the noise");
  if (takes(entry, "gap"))
    verb.add_flag("--gap", o.gap, "also tell by how much a positive was above, at no cost");
}

void add_input(CLI::App& verb, const Entry& entry, Options& o) {
  if (entry.input == "value") {
    verb.add_option("--value", o.value, "the exact value, which is private");
    verb.add_option("--from", o.from, "with --pmf: the first output to list");
    verb.add_option("--to", o.to, "with --pmf: the last output to list");
  } else if (entry.input == "choice") {
    verb.add_option("--value", o.value, "what the person would say, which is private");
  } else if (entry.input == "answers") {
    verb.add_option("--answers", o.numbers_file,
                    "a file with one exact answer a line (- is standard input)");
  } else {
    const std::string name(entry.input);
    verb.add_option("--" + name, o.numbers, "the exact " + name + ", separated by commas");
    verb.add_option(
        "--" + name + "-file", o.numbers_file,
        "a file with one a line, \"label,number\" or the number alone (- is standard input)");
    verb.add_option("--labels", o.labels, "their public names, separated by commas");
    if (name == "counts") {
      verb.add_option("--from", o.from, "with --pmf: the first output to list");
      verb.add_option("--to", o.to, "with --pmf: the last output to list");
    }
  }
}

}  // namespace

void add_mechanism(CLI::App& app, Action& chosen) {
  CLI::App* area = app.add_subcommand(
      "mechanism",
      "release a value with noise, or see what that does: distribution, accuracy, cost");
  area->require_subcommand(1);
  area->footer(
      "Example:\n  discreet mechanism laplace --value 412 --sensitivity 1 --epsilon 0.5 --release");
  CLI::App* verb = add_verb(*area, "list", "all mechanisms", "discreet mechanism list");
  auto as_json = std::make_shared<bool>(false);
  verb->add_flag("--json", *as_json, "one object with all of the registry");
  verb->callback([as_json, &chosen] { chosen = [as_json] { return list(*as_json); }; });
  for (const Entry& entry : registry()) {
    CLI::App* each =
        add_verb(*area, std::string(entry.name), std::string(entry.title),
                 fmt::format("discreet mechanism {} {} --release", entry.name, entry.example));
    auto o = std::make_shared<Options>();
    add_input(*each, entry, *o);
    add_parameters(*each, entry, *o);
    each->add_flag("--release", o->release, "release one answer");
    each->add_flag("--pmf", o->pmf, "list the exact distribution of answers");
    each->add_option("--accuracy", o->accuracy,
                     "how far off an answer is, but for this probability");
    each->add_flag("--cost", o->cost, "what a release costs");
    each->add_option("--plot", o->plot,
                     "draw the distributions on this input and on a neighbour, as an SVG file");
    each->add_flag("--json", o->json, "one JSON object on standard output");
    each->callback([&entry, o, &chosen] { chosen = [&entry, o] { return run(entry, *o); }; });
  }
}

}  // namespace discreet::cli
