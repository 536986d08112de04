// The ledger as the records tell it: whoever reads the same records holds the same book. Nothing
// else is stored, so no total can disagree with the records.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "discreet/ledger/account.h"
#include "discreet/ledger/record.h"

namespace discreet::ledger {

// Accounts are named "" (the data set), "ana" (an analyst), "@statistics" (a group).
struct Account {
  std::optional<Limit> limit;
  Sums spent;  // in `window`
  std::uint64_t window = 0;
  std::uint64_t releases = 0;
};

struct Release {
  enum class State { kReserved, kCommitted, kAbandoned };
  std::string plan, policy_hash, source_stamp;
  std::set<std::string> paid;  // the accounts that were charged for it, also later by reuse
  Sums cost;
  std::uint64_t window = 0;
  State state = State::kReserved;
  std::uint64_t commit_record = 0;
  std::string result_hash, when;
  std::set<std::string> tells;  // hashes of what its result tells beside the answer
  Progress progress = {};       // of work in steps
};

class Book {
 public:
  // Takes in the next record. Fails where its number, its hash or its content is not what must
  // follow; the book is then of no further use.
  Status apply(const Row& row);

  bool empty() const { return hashes_.empty(); }
  std::uint64_t records() const { return hashes_.size(); }
  const std::string& head() const { return hashes_.empty() ? kNoHash : hashes_.back(); }
  // The hash of a record from 0 to records().
  const std::string& hash_of(std::uint64_t record) const {
    return record == 0 ? kNoHash : hashes_[record - 1];
  }

  const std::string& id() const { return id_; }
  const Terms& terms() const { return terms_; }
  const std::set<std::string>& sources() const { return sources_; }
  const std::set<std::string>& shared() const { return shared_; }  // ids of other ledgers
  std::int64_t last_time() const { return last_time_; }

  const std::map<std::string, Account>& accounts() const { return accounts_; }
  const std::map<std::uint64_t, Release>& releases() const { return releases_; }
  // The latest committed release of this plan; null if there is none.
  const Release* latest(const std::string& plan, std::uint64_t* record) const;

  // … that tells this.
  const Release* latest_telling(const std::string& what, std::uint64_t* record) const;

  // The accounts that a query of this analyst is charged to: the data set's, its own, its groups'.
  std::vector<std::string> accounts_of(const std::string& analyst) const;
  // Without a renewal always 0. Never goes back, whatever the clock does.
  std::uint64_t window_at(std::int64_t now) const;
  std::int64_t window_end(std::uint64_t window) const;
  // What counts in this window.
  Sums spent(const std::string& account, std::uint64_t window) const;

 private:
  Status take_in(const Json& body, std::uint64_t record);
  // The accounts that the record names, but those that have paid for the release already.
  Status charge(const Json& body, std::uint64_t record, Release& release);

  std::vector<std::string> hashes_;
  std::string id_;
  Terms terms_;
  std::set<std::string> sources_, shared_;
  std::int64_t first_time_ = 0, last_time_ = 0;
  std::uint64_t window_ = 0;
  std::map<std::string, Account> accounts_;
  std::map<std::string, std::set<std::string>> groups_of_;  // analyst → "@group"
  std::map<std::uint64_t, Release> releases_;
  std::map<std::string, std::uint64_t> latest_;   // plan → release
  std::map<std::string, std::uint64_t> telling_;  // what is told → release
};

Json event_json(const Event& event);
Result<Event> event_of(const Json& json);

}  // namespace discreet::ledger
