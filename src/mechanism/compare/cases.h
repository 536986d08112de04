// The comparisons there are, as plain data: the command's options, help and lists are made of it.
//
//   #include "discreet/mechanism/compare/cases.h"
//   for (const Case& each : cases()) std::string name(each.name);
//   auto picture = cases()[1].make({{"epsilon", 1}, {"delta", Rational(1, 1000000)}});
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "discreet/mechanism/compare/comparison.h"
#include "discreet/mechanism/parameter.h"

namespace discreet::mechanism::compare {

struct Case {
  std::string_view name, title, example;
  std::vector<Parameter> parameters;
  // Makes it of parameters that were checked. Called by make alone.
  Result<Comparison> (*maker)(const Parameters& parameters);

  // What the descriptions say of the parameters is checked first.
  Result<Comparison> make(const Parameters& given) const;
};

std::span<const Case> cases();

}  // namespace discreet::mechanism::compare
