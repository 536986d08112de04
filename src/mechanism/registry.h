// The one list of mechanisms. The command line makes its options from it, the documentation has a
// section for each entry (a test looks), and the auditor finds here what to audit.
//
//   #include <iostream>
//   for (const Entry& entry : registry()) std::cout << entry.name << '\n';
//   Parameters parameters;
//   parameters.epsilon = Rational(1, 2), parameters.sensitivity = 1;
//   auto mechanism = *find("laplace")->make(parameters);
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "discreet/mechanism/any_mechanism.h"

namespace discreet::mechanism {

struct Entry {
  std::string_view name, title;
  std::string_view deck;   // where it is taught
  std::string_view input;  // what is private: "value", "choice", "counts", "scores" or "answers"
  std::vector<std::string_view> required,
      optional;  // public parameters, by the names of their options
  std::string_view example;
  Result<AnyMechanismPointer> (*make)(const Parameters& parameters);
};

std::span<const Entry> registry();
const Entry* find(std::string_view name);  // null if there is none

}  // namespace discreet::mechanism
