// What is said of a server's tables where the policy and they don't fit: the same on every server.
#pragma once

#include <string>
#include <vector>

#include "discreet/engine/pushdown/rows.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::pushdown {

// Advice where a table isn't there: the nearest of those in its schema; where there is no such
// schema, the nearest of these; and else what is accepted.
std::string other_table(const policy::ServerTable& wanted, const std::vector<std::string>& tables,
                        const std::vector<std::string>& schemas, const std::string& accepted);

// Refuses a type that the policy gives a column and that the engine can't read it as: every
// question about its table would be refused, without a place.
Status reads_types(const policy::Policy& policy, const policy::Schemas& schemas,
                   const std::string& engine, const ReadColumn& read);

}  // namespace discreet::engine::pushdown
