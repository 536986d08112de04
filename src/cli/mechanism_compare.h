// discreet mechanism compare selection | mode | median …: mechanisms side by side.
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

void add_compare(CLI::App& area, Action& chosen);

}  // namespace discreet::cli
