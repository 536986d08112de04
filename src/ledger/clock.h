// What time it is, for whatever the ledger does by time: windows that renew a budget, the times of
// records, and the check that nobody has set the clock back.
//
//   #include "discreet/ledger/ledger.h"
//   Terms terms;
//   auto usual = Ledger::open(terms);                              // by the store's own clock
//   auto frozen = Ledger::open(terms, [] { return 1800000000; });  // by this one
//
// A ledger's own clock is this machine's for a file, and the server's for PostgreSQL, which all
// machines share. Whoever gives another one answers for it: a clock that runs ahead renews a budget
// early. Tests do; so may a host that has a better clock than its operating system's.
#pragma once

#include <cstdint>
#include <functional>

namespace discreet::ledger {

// Seconds since 1970. Empty: the store's own.
using Clock = std::function<std::int64_t()>;

// The machine's.
std::int64_t machine_time();

}  // namespace discreet::ledger
