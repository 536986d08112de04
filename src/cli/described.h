// The commands and their options as data, read off the parser that understands them: the man page
// and the completions are made of it, so that they can't fall behind.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace discreet::cli {

struct DescribedOption {
  std::vector<std::string> names;  // "-o", "--output"; of a positional argument, its one name
  std::string value;               // what stands behind it; empty: it is a flag
  std::string help, initial;       // initial: its value unless said; empty: none
  bool positional = false, required = false;
};

struct Described {
  std::string path;  // "discreet budget show"
  std::string name, help;
  std::string footer;  // its example
  std::vector<DescribedOption> options;
  std::vector<Described> verbs;
};

Described describe(const CLI::App& app);

// This command and all below it, in the order in which the help lists them.
std::vector<const Described*> flattened(const Described& root);

}  // namespace discreet::cli
