// The engine that a policy names.
#pragma once

#include <memory>

#include "discreet/engine/engine.h"

namespace discreet::engine {

// Opens it: DuckDB for files, a server's for its tables.
Result<std::unique_ptr<Engine>> open(const policy::Policy& policy, const Limits& limits);

}  // namespace discreet::engine
