// discreet mechanism NAME … --release | --pmf | --accuracy BETA | --cost | --plot FILE. The names,
// and which options each takes, come from the registry (mechanism/registry.h); what aggregates
// the answers of blocks can also have these asked (cli/sample_aggregate.h).
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/cli/command.h"
#include "discreet/cli/mechanism_compare.h"
#include "discreet/cli/mechanism_input.h"
#include "discreet/cli/mechanism_show.h"
#include "discreet/cli/sample_aggregate.h"
#include "discreet/mechanism/registry.h"

namespace discreet::cli {
namespace {

using mechanism::Entry;

Status act(const Entry& entry, const MechanismOptions& o) {
  TRY(check_shown(entry, o));
  const MechanismInput given = TRY(read_mechanism_input(entry, o));
  const mechanism::MechanismPointer made = TRY(entry.make(given.parameters));
  if (o.cost) return show_cost(*made, o.json);
  // Accuracy is a matter of public parameters, unless the entry says otherwise.
  if (!given.value && (o.accuracy.empty() || entry.accuracy_of_input)) {
    return fail(
        Code::kUsage,
        fmt::format("discreet mechanism {}: --{} is missing", entry.name, entry.input.word()),
        fmt::format("discreet mechanism {} {}", entry.name, entry.example));
  }
  if (!o.accuracy.empty()) return show_accuracy(entry, *made, given.value, o);
  if (o.release) return show_release(*made, *given.value, o.json);
  if (!o.plot.empty()) return show_plot(entry, *made, *given.value, o.plot, o.json);
  const mechanism::Window window = TRY(read_window(o));
  return show_pmf(*made, *given.value, window, o.json);
}

Status run(const Entry& entry, const MechanismOptions& o) {
  const int actions =
      int(o.release) + int(o.pmf) + int(o.cost) + int(!o.accuracy.empty()) + int(!o.plot.empty());
  if (actions != 1) {
    return fail(Code::kUsage, fmt::format("discreet mechanism {}: found {} of --release, --pmf, "
                                          "--accuracy BETA, --cost and --plot FILE; "
                                          "accepted is one",
                                          entry.name, actions == 0 ? "none" : "several"));
  }
  return act(entry, o);
}

void add_entry(CLI::App& area, const Entry& entry, Action& chosen) {
  CLI::App* verb =
      add_verb(area, std::string(entry.name), std::string(entry.title),
               fmt::format("discreet mechanism {} {} --release", entry.name, entry.example));
  auto o = std::make_shared<MechanismOptions>();
  add_input_options(*verb, entry, *o);
  add_parameter_options(*verb, entry.parameters, *o);
  verb->add_flag("--release", o->release, "release one answer");
  if (entry.has_pmf)
    verb->add_flag("--pmf", o->pmf,
                   "list the exact distribution of answers on this input: not for private data");
  verb->add_option("--accuracy", o->accuracy, "how far off an answer is, but for this probability");
  add_unsafe_option(*verb, *o);
  verb->add_flag("--cost", o->cost, "what a release costs");
  if (entry.has_pmf)
    verb->add_option("--plot", o->plot,
                     "draw the distributions on this input and on a neighbour, as an SVG file");
  verb->add_flag("--json", o->json, "one JSON object on standard output");
  verb->callback([&entry, o, &chosen] { chosen = [&entry, o] { return run(entry, *o); }; });
}

void add_list(CLI::App& area, Action& chosen) {
  CLI::App* verb = add_verb(area, "list", "all mechanisms", "discreet mechanism list");
  struct Forms {
    bool json = false, markdown = false;
  };
  auto forms = std::make_shared<Forms>();
  CLI::Option* json = verb->add_flag("--json", forms->json, "one object with all of the registry");
  verb->add_flag("--markdown", forms->markdown, "the table of the documentation")->excludes(json);
  verb->callback([forms, &chosen] {
    chosen = [forms] {
      if (forms->markdown) return show_list(ListForm::kMarkdown);
      return show_list(forms->json ? ListForm::kJson : ListForm::kText);
    };
  });
}

}  // namespace

void add_mechanism(CLI::App& app, Action& chosen) {
  CLI::App* area = app.add_subcommand(
      "mechanism",
      "release a value with noise, or see what that does: distribution, accuracy, cost");
  area->require_subcommand(1);
  const Entry& first = mechanism::registry().front();
  area->footer(
      fmt::format("Example:\n  discreet mechanism {} {} --release", first.name, first.example));
  add_list(*area, chosen);
  add_compare(*area, chosen);
  for (const Entry& entry : mechanism::registry())
    (entry.aggregate.empty() ? add_entry : add_sample_aggregate)(*area, entry, chosen);
}

}  // namespace discreet::cli
