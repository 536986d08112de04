// One line for each area of the command line; each is defined in the file of its name.
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

void add_budget(CLI::App& app, Action& chosen);
void add_explain(CLI::App& app, Action& chosen);
void add_noise(CLI::App& app, Action& chosen);
void add_policy(CLI::App& app, Action& chosen);
void add_sql(CLI::App& app, Action& chosen);

inline constexpr Area kAreas[] = {
    {"budget", add_budget},
    {"explain", add_explain},
    {"noise", add_noise},
    {"policy", add_policy},
    {"sql", add_sql},
};

}  // namespace discreet::cli
