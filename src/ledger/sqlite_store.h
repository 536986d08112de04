// A ledger in one SQLite file. Write-ahead log with synchronous=FULL: a commit is on the disk
// before finish() returns. Turns are taken by flock on FILE-lock, not by SQLite's busy-waiting,
// which lets one of many clients wait for seconds.
#pragma once

#include "discreet/ledger/store.h"

namespace discreet::ledger {

std::unique_ptr<Store> make_sqlite_store(const std::string& path, Clock clock = {});

}  // namespace discreet::ledger
