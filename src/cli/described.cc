#include "discreet/cli/described.h"

#include "discreet/cli/parsed.h"

namespace discreet::cli {
namespace {

DescribedOption describe(const CLI::Option& option) {
  DescribedOption out;
  out.positional = !option.nonpositional();
  if (out.positional) {
    out.names = {option.get_single_name()};
  } else {
    for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  }
  if (option.get_expected_max() > 0) out.value = "VALUE";
  out.help = option.get_description();
  out.initial = option.get_default_str();
  out.required = option.get_required();
  return out;
}

}  // namespace

Described describe(const CLI::App& app) {
  Described out;
  out.path = path_of(&app);
  out.name = app.get_name();
  out.help = app.get_description();
  out.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options()) out.options.push_back(describe(*option));
  for (const CLI::App* verb : app.get_subcommands({})) out.verbs.push_back(describe(*verb));
  return out;
}

std::vector<const Described*> flattened(const Described& root) {
  std::vector<const Described*> out = {&root};
  for (const Described& verb : root.verbs)
    for (const Described* one : flattened(verb)) out.push_back(one);
  return out;
}

}  // namespace discreet::cli
