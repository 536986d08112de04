// The options of `discreet mechanism NAME`, made from the entry of that name, and what was given.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>

#include "discreet/cli/command.h"
#include "discreet/mechanism/entry.h"

namespace discreet::cli {

struct MechanismOptions {
  // public parameters, by name
  std::map<std::string, std::string> texts;
  std::map<std::string, bool> flags;
  // Private input, as text or as a file. An empty text is an input too: nobody's values.
  std::string input, input_file;
  bool typed = false;
  bool given() const { return typed || !input_file.empty(); }
  // what to do
  bool release = false, pmf = false, cost = false, json = false, show_private = false;
  std::string from, to, accuracy, plot;
};

// The options must live as long as the parser does.
void add_input_options(CLI::App& verb, const mechanism::Entry& entry, MechanismOptions& options);
// --unsafe-show-private.
void add_unsafe_option(CLI::App& verb, MechanismOptions& options);
void add_parameter_options(CLI::App& verb, std::span<const mechanism::Parameter> parameters,
                           MechanismOptions& options);
// What was given for them.
Result<mechanism::Parameters> read_parameters(std::span<const mechanism::Parameter> parameters,
                                              const MechanismOptions& options);

struct MechanismInput {
  mechanism::Parameters parameters;
  std::optional<mechanism::Value> value;  // none where nothing was given
};
Result<MechanismInput> read_mechanism_input(const mechanism::Entry& entry,
                                            const MechanismOptions& options);
Result<mechanism::Window> read_window(const MechanismOptions& options);

}  // namespace discreet::cli
