// Where records are kept: an append-only list of rows that survives. SQLite for one machine,
// PostgreSQL for several; both pass one contract (contract_test.cc).
//
//   auto store = *make_store("/data/clinic.ledger");
//   auto early = *store->line_up(0);     // waits to be next; nobody else begins before us
//   auto snapshot = *store->begin(0);    // waits its turn; nobody else appends until finish()
//   std::vector<Row> rows;               // what was decided
//   Status done = store->finish(rows);   // durable when it returns; an empty list just lets go
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/ledger/clock.h"
#include "discreet/ledger/record.h"

namespace discreet::ledger {

inline constexpr int kSchemaVersion = 1;

struct Snapshot {
  std::vector<Row> rows;  // without results
  std::int64_t now = 0;   // seconds since 1970, by the clock that all users of the store share
};

class Store {
 public:
  virtual ~Store() = default;

  // The records after number `known`, none if the store doesn't exist yet (it is not created).
  // Other processes may append meanwhile.
  virtual Result<Snapshot> read(std::uint64_t known) = 0;

  // The same, and what it returns is on the disk: others may be shown a record a moment before
  // that.
  virtual Result<Snapshot> settled(std::uint64_t known) = 0;

  // The same, as the one that will begin next: whoever comes later waits. Creates the store if it
  // isn't there and `known` is 0. What is read here needn't be read in one's turn, which makes
  // turns short. begin() or finish() must follow.
  virtual Result<Snapshot> line_up(std::uint64_t known) = 0;
  // The same, and from here to finish() this is the only process that may append. Turns are given
  // in the order of asking. After a failure neither place nor turn is held.
  virtual Result<Snapshot> begin(std::uint64_t known) = 0;
  // Appends all of them or none. After a failure it is not known which; a caller treats them as not
  // appended and reads again.
  virtual Status finish(const std::vector<Row>& rows) = 0;

  // The released answer kept with a record.
  virtual Result<std::string> result(std::uint64_t record) = 0;

  // The store's own consistency check, beyond the chain of hashes.
  virtual Status inspect() = 0;

  // Puts the ledger's records aside under another name, so that a new one can start in its place;
  // returns that name.
  virtual Result<std::string> put_aside(const std::string& suffix) = 0;
};

// A file's path gives SQLite, postgresql://… or postgres://… PostgreSQL. Touches nothing yet.
Result<std::unique_ptr<Store>> make_store(const std::string& location, Clock clock = {});

// The one name of a place: an absolute path without links, or the address without its password.
// Equal for the same ledger.
Result<std::string> canonical_location(const std::string& location);

}  // namespace discreet::ledger
