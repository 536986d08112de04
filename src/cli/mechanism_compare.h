// discreet mechanism compare CASE …: mechanisms side by side. The cases, and which options each
// takes, are the library's (mechanism/compare/cases.h).
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

void add_compare(CLI::App& area, Action& chosen);

}  // namespace discreet::cli
