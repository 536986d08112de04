// Is this the ledger it should be? Compares what lies at a policy's location with what the registry
// knows.
#pragma once

#include "discreet/ledger/book.h"
#include "discreet/ledger/registry.h"

namespace discreet::ledger {

// The known head must be in the chain; what extends it is fine (registry.h says why).
Status check_head(const Book& book, const std::optional<Known>& known, const std::string& location);

// A known ledger at this location must be there and be the one that is known.
Status check_place(const Book& book, const std::vector<Known>& known, const std::string& location);

// The ledgers, others than this one, that guard one of the sources.
struct Conflict {
  Known other;
  std::vector<std::string> sources;
};
std::vector<Conflict> conflicts(const std::string& id, const std::vector<Known>& known,
                                const std::string& location,
                                const std::vector<std::string>& sources);

// No conflicts but over sources that were shared on purpose.
Status check_sources(const Book& book, const std::vector<Known>& known, const std::string& location,
                     const std::vector<std::string>& sources);

}  // namespace discreet::ledger
