// The budget, kept durably: who asked what of which data set, what it cost, and what is left.
//
//   Terms terms;
//   terms.policy = "clinic", terms.location = "/data/clinic.ledger";
//   terms.epsilon = 3, terms.delta = Rational(1, 1000000);
//   terms.sources = {"/data/visits.parquet"};
//   auto ledger = *Ledger::open(terms);  // the first time: creates it, copies the budget into it
//   Request request;
//   request.analyst = "ana", request.query = "SELECT COUNT(*) FROM visits";
//   request.epsilon = Rational(1, 2);
//   auto reservation = *ledger->reserve(request);
//   // Read the data, draw the noise.
//   auto receipt = *ledger->commit(reservation, "[412]");  // only now may the answer be shown
//
// The order is the promise. reserve() checks that the cost fits and makes it durable in one
// transaction *before* any data is read; from then on it counts as spent, whatever happens.
// commit() makes the released answer durable and returns the receipt; an answer is shown only after
// it returned. abandon() gives a reservation back, and may be called only while no data was read.
// Nothing here ever holds an exact value about people.
//
// A Ledger may be used by several threads; each call is one transaction, and calls of all processes
// queue up fairly.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/base/number.h"
#include "discreet/ledger/clock.h"

namespace discreet::ledger {

// How costs add up; chosen once for each account. approx: Σε and Σδ, exactly. pure: Σε, and δ > 0
// is refused. zcdp: Σρ with Σδ; see account.h.
enum class Accountant { kApprox, kPure, kZcdp };
Result<Accountant> parse_accountant(std::string_view text);  // "approx", "pure", "zcdp"
std::string_view name_of(Accountant accountant);

// What the policy says about its budget and where it is kept.
struct Terms {
  std::string policy;  // its name
  Rational epsilon;    // the whole budget, for the life of the data…
  Rational delta;
  Accountant accountant = Accountant::kApprox;
  std::optional<std::chrono::seconds>
      renewal;  // …or, where the owner says so, for each window of this length
  std::optional<Rational> max_epsilon_per_query, max_delta_per_query;
  std::string location;              // the SQLite file's path, or postgresql://host/database[#name]
  std::vector<std::string> sources;  // the real paths of the private sources, or a server's tables
  // More of them, by which they are found again under another name (marks.h): which of the sources
  // are files of this machine, and {source, number} of tables.
  std::vector<std::string> files = {};
  std::vector<std::pair<std::string, std::string>> numbers = {};
  std::string policy_hash;  // SHA-256 of the policy file's bytes, in hex
};

// One randomised step of a plan, as an accountant sees it.
struct Event {
  std::string expression;  // as `discreet account` reads it: "laplace(scale=2)", "gaussian(sigma=4,
                           // sensitivity=1)"
  Rational epsilon, delta;  // its part of the query's cost, as (ε, δ)
  std::optional<Rational>
      rho;  // Gaussian noise: Δ²/(2σ²) of zCDP, which the zcdp accountant charges instead
};

struct Request {
  std::string analyst;     // a name, not an authentication; the command line gives the login name
                           // where --as is left out
  std::string query;       // the canonical query, for people
  std::string asked = {};  // … and as they wrote it; may be empty
  std::string
      plan;  // the whole plan, canonically: equal text means the same question at the same price
  std::vector<Event> events;
  Rational epsilon, delta;  // the query's cost: what it guarantees as a whole
  // What the answer tells beside itself, each by a text: later requests may build on it (known()).
  std::vector<std::string> tells;
  std::string
      source_stamp;  // sizes and modification times of the sources; only a salted hash is recorded
};

struct Reservation {
  std::uint64_t record = 0;
  std::string hash;  // of that record
};

// How far work in steps has come under its reservation (a training): what keeps a checkpoint that
// is put back from being two answers for the price of one.
//
// Every checkpoint is recorded before it takes its place, with the number of steps that count as
// spent from then on, some of them ahead of time; no step is drawn that no record counts. Whoever
// goes on draws from the step where the ledger stands, whatever the file says, and its first record
// names the one it follows (`record`), as every record does: of two that go on from the same one,
// the second is refused. So with a₁ < a₂ < … where the ledger stood whenever somebody went on, the
// i-th draws steps from aᵢ on, and none that isn't below aᵢ₊₁: its own last record counted them,
// and that is where the next one begins. Each step is drawn once at most, which is what was paid
// for. (An orderly stop counts back to what was drawn, as the last record of who has drawn it.)
//
// A crash between the record and the file's taking its place leaves the file of before, which the
// record names too: it is gone on with, and the steps that were counted in between are lost.
struct Progress {
  std::uint64_t record = 0;  // that says so; 0: none
  std::uint64_t begun = 0;   // steps that count as spent
  std::string checkpoint;    // the digest of the file that was about to take its place…
  std::string before = {};   // … and of the one that was there; empty: none
};

// Proof that a release is in the ledger. `hash` is the head of the chain with this release in it.
struct Receipt {
  std::string id;  // LEDGER-RECORD
  std::string hash;
};

struct Amount {
  Rational epsilon, delta;
  std::optional<Rational>
      rho;  // under the zcdp accountant, where ε is what ρ converts to at half the budget's δ
  friend bool operator==(const Amount&, const Amount&) = default;
};

// One account: the data set's, an analyst's or a group's.
struct Balance {
  std::string name;  // empty: the data set
  bool group = false;
  std::optional<Accountant> accountant;  // none: no cap of its own
  std::optional<Amount> budget;
  Amount spent;
  std::optional<Amount> remaining;
  std::uint64_t releases = 0;  // charged to it
};

struct Balances {
  std::string ledger;  // its id
  Terms terms;         // as the ledger has them, which is what binds
  Balance data_set;
  std::vector<Balance> analysts, groups;  // by name
  std::uint64_t records = 0;
  std::uint64_t unfinished = 0;  // reserved, neither committed nor abandoned: spent
  std::string head;
  std::optional<std::string> window_end;  // with a renewal: when the next window begins, in UTC
};

// An answer that was paid for before.
struct Reused {
  std::string result;  // the JSON given to commit()
  Receipt receipt;     // of the original release
  std::string when;    // it was released, in UTC
  bool stale = false;  // the data or the policy has changed since
};

// A release as history() tells it, or an act of the owner.
struct Entry {
  std::uint64_t record = 0;
  std::string kind;             // init, release, reuse, set, grant, sources, share
  std::string when, who, text;  // text: the canonical query, or the reason
  std::string asked;            // the query as it was written; older records don't have it
  std::string state;            // of a release: reserved, committed, abandoned
  Amount cost;                  // of a release; of a set or grant, the new limit
  std::vector<std::string>
      charged;  // the accounts it was charged to, as Balance names them; the data set's is ""
  std::vector<Event> events;
  std::string hash;
};

// What verify() went through. It returns an error instead where something is wrong.
struct Verified {
  std::string ledger;
  std::uint64_t records = 0, results = 0;
  std::string head;
  std::optional<std::uint64_t>
      registered;  // the record that the registry knows as the head; none: not registered yet
};

// What the owner says when starting a ledger by hand (`discreet budget init`).
struct Start {
  bool fresh =
      false;  // --new: although one is known; the old one is put aside and the new one names it
  bool share = false;  // --share: although sources belong to another ledger
  std::string who, reason;
};

struct Grant {
  std::string analyst;  // one of the two may be empty: then it is the other's own cap; both: the
                        // analyst joins the group
  std::string group;
  std::optional<Rational> epsilon, delta;  // needed unless an analyst only joins a group
  Accountant accountant = Accountant::kApprox;
  std::string who, reason;
};

class Ledger {
 public:
  // Opens the ledger of these terms; one that was never used is created by its first record. Fails,
  // and leaves everything as it is, when a known ledger is missing, shorter than or different from
  // what this user's registry knows; when a source belongs to another ledger; when a record doesn't
  // match its hash.
  static Result<std::unique_ptr<Ledger>> open(const Terms& terms, Clock clock = {});
  // The owner's explicit start.
  static Result<std::unique_ptr<Ledger>> start(const Terms& terms, const Start& start,
                                               Clock clock = {});

  ~Ledger();
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  // Error kBudget when it doesn't fit, or when the policy's budget is no longer the one the ledger
  // holds: nothing was spent, and the message says Requested / Remaining / Missing and what would
  // fit. On success the cost is durably spent.
  Result<Reservation> reserve(const Request& request);
  // Durable on return, and only then may the answer be shown.
  // Of work in steps: `last` is the last record of it (advance()), and has to be the ledger's.
  Result<Receipt> commit(const Reservation& reservation, const std::string& result,
                         std::uint64_t last = 0);
  // Is this reservation still open, of exactly this request (its plan, the analyst's accounts, the
  // data and the policy's text), and this the latest checkpoint of it? Then work that was
  // interrupted may go on under it, from the step that is returned: what it costs is spent already.
  // Refused otherwise; writes nothing.
  Result<Progress> resume(const Reservation& reservation, const Request& request,
                          const std::string& checkpoint);
  // Records, durably, that `begun` steps count as spent and that this checkpoint is about to take
  // the place of from.checkpoint. Refused where somebody else went on since `from`, and where fewer
  // steps would be spent than before, but at an orderly stop.
  enum class Going { kOn, kStopped };
  Result<Progress> advance(const Reservation& reservation, const Progress& from,
                           std::uint64_t begun, const std::string& checkpoint,
                           Going going = Going::kOn);
  // Only before data was read.
  Status abandon(const Reservation& reservation, const std::string& reason);

  // Would this fit? The same answer as reserve(), and nothing is written.
  Status check(const Request& request);

  // The latest committed answer to exactly this plan; nothing if there is none. Costs the data set
  // nothing; an analyst (or group) that never paid for this answer has its own cap charged. An
  // answer from other data or another policy text is refused unless `stale_too`.
  Result<std::optional<Reused>> reuse(const Request& request, bool stale_too);

  // For each text the latest committed release that tells it, of the same data under the same
  // policy, if every account of the analyst has paid for it. Each result stands there once. Writes
  // nothing.
  struct Telling {
    std::string result;
    std::vector<std::string> texts;
  };
  Result<std::vector<Telling>> known(const std::vector<std::string>& texts, const Request& request);

  Result<Balances> balances();
  // What the caps of an analyst, their own and their groups', leave them: the least of each.
  // Nothing where no cap binds them, and only the data set's budget does.
  Result<std::optional<Amount>> left_for(const std::string& analyst);
  Result<std::vector<Entry>> history();
  // Reads every record and every result again and compares: hashes, the chain, the registry, and
  // the receipt if one is given.
  Result<Verified> verify(const std::optional<Receipt>& receipt);
  // All records as they are, one JSON object a line: {"record":…,"hash":…,"body":{…}}.
  Result<std::string> export_lines();

  // The owner's acts, each a record.
  Status set_budget(const Rational& epsilon, const Rational& delta, const std::string& who,
                    const std::string& reason);
  Status grant(const Grant& grant);

 private:
  struct Parts;
  explicit Ledger(std::unique_ptr<Parts> parts);
  // Nothing is looked at yet.
  static Result<std::unique_ptr<Ledger>> make(const Terms& terms, Clock clock);
  static Status start_parts(Parts& parts, const Start& start);
  std::unique_ptr<Parts> parts_;
};

}  // namespace discreet::ledger
