// The names by which a server knows itself and its tables: its cluster's number, drawn when it was
// set up, its database's, and the tables'. An address has many spellings, a table can be renamed or
// moved to another schema, and one table must have one budget.
//
//   auto told = *identity("postgresql://ana@db.example/clinic", {{"", "public", "visits"}});
//   std::string text = told.server.value_or("");  // postgres://system=7312885410264021843/16384
//   std::vector<std::string> numbers = told.tables[0];  // 16391
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/engine/engine.h"
#include "discreet/policy/source.h"

namespace discreet::engine::postgres {

struct Identity {
  // Nothing: the server doesn't tell (some that others manage don't).
  std::optional<std::string> server = {};
  // Of each table that was asked about: its number, and those of its partitions and children, whose
  // rows are its own. Empty: there is no such table.
  std::vector<std::vector<std::string>> tables = {};
};

// An error: it doesn't answer; `shown` is what that calls it.
Result<Identity> identity(const std::string& dsn,
                          const std::vector<policy::ServerTable>& tables = {},
                          const Watch& watch = {}, const std::string& shown = {});

}  // namespace discreet::engine::postgres
