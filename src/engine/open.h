// The engine that a policy names.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "discreet/engine/engine.h"

namespace discreet::engine {

// Opens it: DuckDB for files, a server's for its tables.
Result<std::unique_ptr<Engine>> open(const policy::Policy& policy, const Limits& limits,
                                     const Watch& watch = {});

// The name by which its server knows itself, whatever address leads there; nothing where it tells
// none, or the rows are in files.
Result<std::optional<std::string>> identity(const policy::Policy& policy, const Watch& watch = {});

}  // namespace discreet::engine
