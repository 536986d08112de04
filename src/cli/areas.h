// One line for each area of the command line; each is defined in the file of its name.
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

void add_account(CLI::App& app, Action& chosen);
void add_budget(CLI::App& app, Action& chosen);
void add_noise(CLI::App& app, Action& chosen);

inline constexpr Area kAreas[] = {
    {"account", add_account},
    {"budget", add_budget},
    {"noise", add_noise},
};

}  // namespace discreet::cli
