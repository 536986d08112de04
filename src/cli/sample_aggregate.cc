#include "discreet/cli/sample_aggregate.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/cli/block_source.h"
#include "discreet/cli/interrupt.h"
#include "discreet/cli/mechanism_input.h"
#include "discreet/cli/mechanism_show.h"
#include "discreet/cli/watchdog.h"
#include "discreet/mechanism/registry.h"

namespace discreet::cli {
namespace {

using mechanism::Entry;
using mechanism::Kind;
using mechanism::Parameter;

struct Options {
  MechanismOptions mechanism;
  BlockOptions blocks;
  std::string aggregate, verb;
};

// The entries that take such answers.
std::vector<const Entry*> aggregators() {
  std::vector<const Entry*> out;
  for (const Entry& entry : mechanism::registry())
    if (!entry.aggregate.empty()) out.push_back(&entry);
  return out;
}

// "mode, median or mean".
std::string names() {
  std::string out;
  const std::vector<const Entry*> all = aggregators();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) out += i + 1 == all.size() ? " or " : ", ";
    out += all[i]->aggregate;
  }
  return out;
}

Result<const Entry*> entry_for(const std::string& aggregate) {
  for (const Entry* entry : aggregators())
    if (entry->aggregate == aggregate) return entry;
  return bad_parameter("aggregate",
                       fmt::format("found {}; accepted is {}", quote(aggregate), names()));
}

// The parameters of all of them, each once; which one needs which is checked when it is made.
std::vector<Parameter> all_parameters() {
  std::vector<Parameter> out;
  for (const Entry* entry : aggregators())
    for (Parameter parameter : entry->parameters) {
      if (std::any_of(out.begin(), out.end(),
                      [&](const Parameter& p) { return p.name == parameter.name; }))
        continue;
      parameter.required = parameter.name == mechanism::kEpsilon.name;
      out.push_back(parameter);
    }
  return out;
}

Status check_taken(const Entry& entry, const Options& o) {
  for (const auto& [name, text] : o.mechanism.texts)
    if (!text.empty() && entry.parameter(name) == nullptr)
      return bad_parameter(name, "found with " + given("aggregate", o.aggregate) +
                                     "; accepted is only what that takes");
  return {};
}

Result<mechanism::MechanismPointer> made(const Entry& entry, MechanismInput& input) {
  if (!input.value || input.parameters.has("blocks")) return entry.make(input.parameters);
  // How many blocks there are is known from their answers.
  const auto count = std::visit(
      [](const auto& value) -> std::size_t {
        if constexpr (requires { value.size(); }) return value.size();
        return 0;
      },
      *input.value);
  input.parameters.set("blocks", static_cast<std::int64_t>(count));
  auto out = entry.make(input.parameters);
  if (!out && out.error().parameter == "blocks") {  // which nobody gave: there are no more answers
    out.error().parameter = entry.input.word();
    out.error().hint = "have more blocks answer, or take a larger epsilon or delta";
  }
  return out;
}

Status ask_blocks(const Entry& entry, const MechanismInput& input, const Options& o) {
  if (input.value || o.mechanism.pmf || !o.mechanism.plot.empty())
    return fail(Code::kUsage,
                fmt::format("{}: found {} with --data; accepted is one of the two "
                            "ways to the answers, and a distribution only of --answers",
                            o.verb, input.value ? "--answers" : "--pmf or --plot"));
  const auto blocks = input.parameters.whole("blocks");
  if (!blocks)
    return bad_parameter("blocks",
                         "it is missing; accepted is how many blocks the units are split "
                         "into, such as 100");
  const mechanism::MechanismPointer mechanism = TRY(entry.make(input.parameters));
  const bool numbers = entry.input.kind == Kind::kNumbers;
  const auto range = input.parameters.range("range");
  const Interrupt tidy;  // from here on there may be processes and a folder
  const Watchdog watchdog;
  const BlockSource source = TRY(BlockSource::open(
      o.blocks, numbers, numbers && range ? to_decimal(range->low) : std::string()));
  const auto answers = TRY(source.answers(static_cast<std::uint64_t>(*blocks)));
  return show_release(*mechanism, answers, o.mechanism.json,
                      fmt::format(",\"blocks\":{}{}", *blocks, source.isolation_json()));
}

Status run(const Options& o) {
  const MechanismOptions& m = o.mechanism;
  const int actions =
      int(m.release) + int(m.pmf) + int(m.cost) + int(!m.accuracy.empty()) + int(!m.plot.empty());
  if (actions > 1)
    return fail(Code::kUsage, fmt::format("{}: found several of --release, --pmf, --accuracy BETA, "
                                          "--cost and --plot FILE; accepted is one",
                                          o.verb));
  const Entry& entry = *TRY(entry_for(o.aggregate));
  TRY(check_taken(entry, o));
  TRY(check_shown(entry, m));
  MechanismInput input = TRY(read_mechanism_input(entry, m));
  if (m.cost) return show_cost(*TRY(made(entry, input)), m.json);
  if (!m.accuracy.empty()) return show_accuracy(entry, *TRY(made(entry, input)), input.value, m);
  if (o.blocks.given()) return ask_blocks(entry, input, o);
  if (!input.value)
    return fail(
        Code::kUsage,
        fmt::format("{}: found no answers; accepted is --answers, or --data and --unit with "
                    "--program or --query",
                    o.verb),
        fmt::format("{} {}", o.verb, entry.example));
  const mechanism::MechanismPointer mechanism = TRY(made(entry, input));
  if (!m.plot.empty()) return show_plot(entry, *mechanism, *input.value, m.plot, m.json);
  if (m.pmf) return show_pmf(*mechanism, *input.value, TRY(read_window(m)), m.json);
  return show_release(*mechanism, *input.value, m.json);
}

}  // namespace

void add_sample_aggregate(CLI::App& area, const Entry& entry, Action& chosen) {
  auto o = std::make_shared<Options>();
  o->aggregate = entry.aggregate;
  o->verb = fmt::format("discreet mechanism {}", entry.name);
  CLI::App* verb = add_verb(area, std::string(entry.name), std::string(entry.title),
                            fmt::format("{} {} --release", o->verb, entry.example));
  add_input_options(*verb, entry, o->mechanism);
  add_block_options(*verb, o->blocks);
  verb->add_option("--aggregate", o->aggregate, "what is told of the answers: " + names())
      ->capture_default_str();
  add_parameter_options(*verb, all_parameters(), o->mechanism);
  add_unsafe_option(*verb, o->mechanism);
  verb->add_flag("--release", o->mechanism.release, "release one answer (the default)");
  verb->add_flag("--pmf", o->mechanism.pmf,
                 "list the exact distribution of answers on this input: not for private data");
  verb->add_option("--accuracy", o->mechanism.accuracy,
                   "how far off an answer is, but for this probability");
  verb->add_flag("--cost", o->mechanism.cost,
                 "what a release costs, its threshold and how many blocks it needs");
  verb->add_option("--plot", o->mechanism.plot,
                   "draw the distributions on this input and on a neighbour, as an SVG file");
  verb->add_flag("--json", o->mechanism.json, "one JSON object on standard output");
  verb->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace discreet::cli
