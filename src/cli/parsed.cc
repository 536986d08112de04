#include "discreet/cli/parsed.h"

#include <algorithm>

#include "discreet/cli/shell.h"

namespace discreet::cli {

using std::string;

const CLI::App* deepest(const CLI::App* app) {
  const auto chosen = app->get_subcommands();
  return chosen.empty() ? app : deepest(chosen.back());
}

string path_of(const CLI::App* app) {
  const CLI::App* parent = app->get_parent();
  return parent == nullptr ? "discreet" : path_of(parent) + " " + app->get_name();
}

namespace {

bool is_flag(const CLI::Option& option) { return option.get_expected_max() == 0; }

// Read once, standard input is gone.
bool reads_standard_input(const CLI::App& verb) {
  const CLI::Option* query = verb.get_option_no_throw("QUERY");
  const CLI::Option* file = verb.get_option_no_throw("--file");
  if (query == nullptr || file == nullptr || query->count() > 0) return false;
  return file->count() == 0 || file->as<string>() == "-";
}

}  // namespace

string command_with(const CLI::App& verb, const std::map<string, string>& changes) {
  if (reads_standard_input(verb)) return "";
  for (const auto& [name, value] : changes) {
    const CLI::Option* option = verb.get_option_no_throw("--" + name);
    if (option == nullptr || is_flag(*option) != value.empty()) return "";
  }
  string out = path_of(&verb), positional;
  bool dashed = false;
  for (const CLI::Option* option : verb.get_options()) {
    if (option->nonpositional()) {
      const string name = option->get_lnames().empty() ? "" : option->get_lnames().front();
      const auto change = changes.find(name);
      const string dashes = name.empty() ? "-" + option->get_snames().front() : "--" + name;
      if (change != changes.end()) {
        out += " " + dashes + (change->second.empty() ? "" : " " + shell_word(change->second));
      } else if (option->count() > 0 && is_flag(*option)) {
        out += " " + dashes;
      } else {
        for (const string& value : option->results()) out += " " + dashes + " " + shell_word(value);
      }
      continue;
    }
    for (const string& value : option->results()) {
      dashed = dashed || value.starts_with("-");
      positional += " " + shell_word(value);
    }
  }
  return out + (dashed ? " --" : "") + positional;
}

}  // namespace discreet::cli
