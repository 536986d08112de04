// The one list of mechanisms. The command line makes its options from it, the documentation has a
// section for each entry (a test looks), and the auditor finds here what to audit.
//
//   #include <iostream>
//   for (const Entry& entry : registry()) std::cout << entry.name << '\n';
//   auto laplace = *find("laplace")->make({{"epsilon", Rational(1, 2)}, {"sensitivity", 1}});
#pragma once

#include <span>
#include <string_view>

#include "discreet/mechanism/entry.h"

namespace discreet::mechanism {

std::span<const Entry> registry();
const Entry* find(std::string_view name);  // null if there is none

}  // namespace discreet::mechanism
