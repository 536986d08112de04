// One mechanism as the registry knows it: plain data, from which the command line, the table in the
// documentation, the tests and the audits are made.
//
//   #include "discreet/mechanism/registry.h"
//   const Entry& laplace = *find("laplace");
//   for (const Parameter& parameter : laplace.parameters) std::string help(parameter.help);
//   auto mechanism = laplace.make({{"epsilon", 1}});  // sensitivity: missing
//
// A new mechanism is a file of its own that returns one of these, and one line in registry.cc.
#pragma once

#include <string_view>
#include <vector>

#include "discreet/mechanism/mechanism.h"
#include "discreet/mechanism/parameter.h"

namespace discreet::mechanism {

// What is private.
struct InputDescription {
  std::string_view name;  // "value", "choice", "counts", "scores", "answers"
  Kind kind;
  std::string_view help;         // one line
  std::string_view option = {};  // what it is called where it is given; none: its name
  bool in_file = false;          // numbers that come one a line, too many to be typed

  std::string_view word() const { return option.empty() ? name : option; }
};

// A small case that shows the mechanism at its worst: what tests and audits try. ε is theirs to
// change.
struct Trial {
  Parameters parameters;
  std::vector<Value> inputs;
  Window window = {};
};

struct Entry {
  std::string_view name, title;  // the title is one sentence
  std::string_view deck;         // where it is taught
  InputDescription input;
  Kind output;
  std::vector<Parameter> parameters;
  std::string_view example;  // the options of a command that shows it
  std::vector<Trial> trials;
  bool has_pmf = true;             // the exact distribution is known
  bool may_withhold = false;       // an answer may be Nothing
  bool accuracy_of_input = false;  // it depends on the scores, or on how many cells there are
  // … on more than neighbours have in common (how many cells): shown where that is asked for alone.
  bool accuracy_is_private = false;
  // Where the input is what blocks of units answered (gap/sample_aggregate.h): what it tells of
  // them in a word, "mode". Whoever has a file and a program can have the blocks asked.
  std::string_view aggregate = {};
  // A twin with so many times the ε must be caught by the trials: where a proof has slack, more.
  Rational twin = Rational(3, 2);
  // Makes it of parameters that were checked. Called by make alone.
  Result<MechanismPointer> (*maker)(const Parameters& parameters);

  // The one way to a mechanism: what the descriptions say of the parameters is checked first.
  Result<MechanismPointer> make(const Parameters& given) const;
  const Parameter* parameter(std::string_view name) const;  // null if it takes none of that name
};

}  // namespace discreet::mechanism
