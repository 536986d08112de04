// Verbs of entries that aggregate the answers of blocks (mechanism::Entry::aggregate). These come
// as a list, as every input does, or a program or query is asked on blocks of a file's units.
// --aggregate chooses among the entries.
#pragma once

#include "discreet/cli/command.h"
#include "discreet/mechanism/entry.h"

namespace discreet::cli {

void add_sample_aggregate(CLI::App& area, const mechanism::Entry& entry, Action& chosen);

}  // namespace discreet::cli
