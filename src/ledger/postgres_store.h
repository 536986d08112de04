// A ledger in PostgreSQL, for several machines: postgresql://user@host/database[?options][#name];
// the name tells ledgers in one database apart ("default" where it is left out).
//
// Turns are an advisory lock, which PostgreSQL gives in the order of asking and takes back when a
// connection dies. It is held before the transaction's snapshot is taken, so that serialisable
// transactions don't fail against each other; serialisable they are nevertheless, against whoever
// writes without taking a turn.
#pragma once

#include "discreet/ledger/store.h"

namespace discreet::ledger {

Result<std::unique_ptr<Store>> make_postgres_store(const std::string& address, Clock clock = {});
Result<std::string> postgres_location(const std::string& address);

}  // namespace discreet::ledger
