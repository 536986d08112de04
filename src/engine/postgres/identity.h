// The name by which a server knows itself: its cluster's number, drawn when it was set up, and its
// database's. An address has many spellings, and one table must have one budget.
//
//   auto name = *identity("postgresql://ana@db.example/clinic");
//   std::string text = name.value_or("");  // postgres://system=7312885410264021843/16384
#pragma once

#include <optional>
#include <string>

#include "discreet/engine/engine.h"

namespace discreet::engine::postgres {

// Nothing: the server doesn't tell (some that others manage don't). An error: it doesn't answer;
// `shown` is what that calls it.
Result<std::optional<std::string>> identity(const std::string& dsn, const Watch& watch = {},
                                            const std::string& shown = {});

}  // namespace discreet::engine::postgres
