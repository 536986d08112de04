// Is this the ledger it should be? Compares what lies at a policy's location with what the registry
// knows.
#pragma once

#include "discreet/ledger/book.h"
#include "discreet/ledger/marks.h"
#include "discreet/ledger/registry.h"

namespace discreet::ledger {

// The known head must be in the chain; what extends it is fine (registry.h says why).
Status check_head(const Book& book, const std::optional<Known>& known, const std::string& location);

// A known ledger at this location must be there and be the one that is known.
Status check_place(const Book& book, const std::vector<Known>& known, const std::string& location);

// What a policy's ledger guards: its sources, and their marks.
struct Guarded {
  const std::vector<std::string>& sources;
  const std::vector<Mark>& marks;
};

// Why a ledger that is known guards one of them: by its name, or by a mark.
struct Match {
  std::string source;
  std::optional<Mark::Of> by;  // none: by name
};
// Contents are asked about only where the source isn't one of `settled` (marks.h says why). What
// lies at the known ledger's paths now counts as well as what lay there when it was used last.
std::optional<Match> match(const Known& one, const Guarded& guarded,
                           const std::set<std::string>& settled);

// The ledgers, others than this one, that guard one of the sources.
struct Conflict {
  Known other;
  Match match;
};
std::vector<Conflict> conflicts(const Book& book, const std::vector<Known>& known,
                                const std::string& location, const Guarded& guarded);

// No conflicts but over sources that were shared on purpose.
Status check_sources(const Book& book, const std::vector<Known>& known, const std::string& location,
                     const Guarded& guarded);

}  // namespace discreet::ledger
