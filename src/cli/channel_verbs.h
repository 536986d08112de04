// The verbs of `discreet channel` that have a file of their own.
#pragma once

#include "discreet/cli/command.h"

namespace discreet::cli {

void add_channel_make(CLI::App& area, Action& chosen);     // make
void add_channel_optimal(CLI::App& area, Action& chosen);  // optimal, universal
void add_channel_graph(CLI::App& area, Action& chosen);    // graph

}  // namespace discreet::cli
