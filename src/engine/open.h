// The engine that a policy names.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "discreet/engine/engine.h"

namespace discreet::engine {

// Opens it: DuckDB for files, a server's for its tables.
Result<std::unique_ptr<Engine>> open(const policy::Policy& policy, const Limits& limits,
                                     const Watch& watch = {});

// What a server says of the policy's tables, whatever address leads there and whatever they are
// called: {the table as the policy has it, another name}. Nothing where the rows are in files, or
// the server tells none.
struct Names {
  std::vector<std::pair<std::string, std::string>> tables;   // by the server's own name
  std::vector<std::pair<std::string, std::string>> numbers;  // they stay when it is renamed
};
Result<Names> names(const policy::Policy& policy, const Watch& watch = {});

}  // namespace discreet::engine
