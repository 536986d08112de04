// The inside of a Ledger: the book, the store and the registry, and the one transaction that all
// calls go through.
#pragma once

#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>

#include "discreet/base/try.h"
#include "discreet/ledger/book.h"
#include "discreet/ledger/identity.h"
#include "discreet/ledger/registry.h"
#include "discreet/ledger/store.h"

namespace discreet::ledger {

// A name that people and JSON can carry, and that no group's account can be confused with.
Status check_name(std::string_view what, const std::string& name);
// 128 random bits, in hex.
Result<std::string> new_id();

// Records that are being added: each ties to the one before and is taken into the book at once.
class Draft {
 public:
  Draft(Book& book, std::int64_t now) : book_(book), now_(now) {}

  Status add(Json body, std::optional<std::string> result = std::nullopt) {
    body["record"] = book_.records() + 1;
    body["time"] = utc(now_);
    auto text = TRY(canonical(body));
    Row row{book_.records() + 1, text, chain_hash(book_.head(), text), std::move(result)};
    TRY(book_.apply(row));
    rows_.push_back(std::move(row));
    return {};
  }

  const std::vector<Row>& rows() const { return rows_; }
  std::int64_t now() const { return now_; }

 private:
  Book& book_;
  std::int64_t now_;
  std::vector<Row> rows_;
};

// Says with a failure what it means for the budget. A refusal (kBudget) says so itself.
tl::unexpected<Error> noted(Error error, const std::string& note);

// A file's size tells how many rows it has, so the records hold a hash only, salted with a nonce
// that stands beside the chain, where results are, and is never exported. Older records have the
// stamp itself.
std::string salted(const std::string& nonce, const std::string& stamp);

// A record of the book, for people. A commit or an abandonment is told as the state of its release.
Result<Entry> tell(const Row& row, const Json& body, const Book& book);

// "the data set's budget", "ana's budget", "the budget of group statistics".
std::string account_title(const std::string& name);

struct Ledger::Parts {
  Terms terms;
  std::string location;  // canonical
  std::unique_ptr<Store> store;
  Registry registry;
  Book book = {};
  std::mutex mutex = {};
  // While the owner replaces a ledger or shares sources on purpose, what would otherwise be
  // refused.
  bool replacing = false, sharing = false;
  bool placed = false;  // this ledger was found to be the right one for its place and sources
  std::vector<Mark> marks = {};  // of the sources
  bool keyed = false;            // marks of contents are among them

  // Brings the book up to what the store has, and compares it with the registry. The registry is
  // read first: a head found there is then surely in what is read of the ledger afterwards.
  Status catch_up(const std::function<Result<Snapshot>()>& read, std::int64_t* now);

  tl::unexpected<Error> located(Error error) const;

  Status look(std::int64_t* now);

  Status apply(const Snapshot& snapshot);
  Result<std::vector<Known>> known_ledgers() const;
  Known known_now() const;
  // With what others have appended since, as far as it is durable.
  Known newest();

  // One transaction: everybody's records up to now, then what `decide` adds to them, durably in the
  // ledger and then in the registry. An error of `decide` leaves the ledger as it was.
  Status transact(const std::function<Status(Draft&)>& decide);

  // The first record, where there is none.
  Status ensure_started(Draft& draft, const Json& extra = Json::object());

  Status ensure_sources(Draft& draft);

  // The policy's budget is copied at first use; from then on the ledger's binds, and a policy that
  // says otherwise is refused.
  Status check_terms() const;

  Status check_clock(std::int64_t now) const;

  Status check_query(const Request& request, const Sums& cost, std::int64_t now) const;

  Status check_accounts(const std::vector<std::string>& names, const Sums& cost,
                        std::int64_t now) const;

  Status abandon_unread(const Reservation& reservation, const std::string& reason);

  Status check_reserved(const Reservation& reservation) const;
  // Nobody else has gone on with the work that is reserved so.
  Status check_last(const Reservation& reservation, std::uint64_t last) const;
  // Whether the release of this record was of sources with this stamp.
  Result<bool> same_data(std::uint64_t record, const std::string& stamp);

  Balance balance(const std::string& name, const Account& account, std::uint64_t window) const;
};

}  // namespace discreet::ledger
