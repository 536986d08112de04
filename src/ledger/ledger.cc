#include "discreet/ledger/ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "discreet/base/try.h"
#include "discreet/ledger/parts.h"

namespace discreet::ledger {

Ledger::Ledger(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Ledger::~Ledger() = default;

// A path is made free of links, so that a ledger or source has one name only.
Result<std::unique_ptr<Ledger>> Ledger::make(const Terms& terms, Clock clock) {
  auto location = TRY(canonical_location(terms.location));
  auto registry = TRY(Registry::find());
  auto store = TRY(make_store(terms.location, std::move(clock)));
  TRY(make_limit(terms.accountant, terms.epsilon, terms.delta));
  const auto key = TRY(registry.key());
  std::unique_ptr<Parts> parts(
      new Parts{terms, std::move(location), std::move(store), std::move(registry)});
  parts->marks = marks_of(terms, key);
  parts->keyed = key.has_value();
  return std::unique_ptr<Ledger>(new Ledger(std::move(parts)));
}

Result<std::unique_ptr<Ledger>> Ledger::open(const Terms& terms, Clock clock) {
  auto ledger = TRY(make(terms, std::move(clock)));
  std::int64_t now = 0;
  if (auto looked = ledger->parts_->look(&now); !looked)
    return noted(std::move(looked.error()), "nothing was spent");
  return ledger;
}

Result<std::unique_ptr<Ledger>> Ledger::start(const Terms& terms, const Start& start, Clock clock) {
  auto ledger = TRY(make(terms, std::move(clock)));
  TRY(start_parts(*ledger->parts_, start));
  return ledger;
}

Result<Reservation> Ledger::reserve(const Request& request) {
  const std::lock_guard lock(parts_->mutex);
  auto cost = TRY(cost_of(request));
  TRY(check_name("analyst", request.analyst));
  auto nonce = TRY(new_id());
  Reservation reservation;
  Status done = parts_->transact([&](Draft& draft) -> Status {
    TRY(parts_->ensure_started(draft));
    TRY(parts_->check_clock(draft.now()));
    TRY(parts_->check_query(request, cost, draft.now()));
    TRY(parts_->ensure_sources(draft));
    Json events = Json::array();
    for (const Event& event : request.events) events.push_back(event_json(event));
    Json body = {{"kind", "reserve"},
                 {"analyst", request.analyst},
                 {"query", request.query},
                 {"plan", sha256_hex(request.plan)},
                 {"events", std::move(events)},
                 {"epsilon", number(cost.epsilon)},
                 {"delta", number(cost.delta)},
                 {"rho", number(cost.rho)},
                 {"part_delta", number(cost.part_delta)},
                 {"policy_hash", parts_->terms.policy_hash},
                 {"source_stamp", salted(nonce, request.source_stamp)},
                 {"accounts", parts_->book.accounts_of(request.analyst)}};
    if (!request.tells.empty()) {
      Json tells = Json::array();
      for (const std::string& text : request.tells) tells.push_back(sha256_hex(text));
      body["tells"] = std::move(tells);
    }
    if (!request.asked.empty()) body["asked"] = request.asked;
    auto added = draft.add(std::move(body), nonce);
    if (added) reservation = {parts_->book.records(), parts_->book.head()};
    return added;
  });
  if (done) return reservation;
  // Where only the registry could not be written, the reservation is in the ledger already. No data
  // was read: give it back.
  bool stands = false;
  if (reservation.record > 0 &&
      !parts_->abandon_unread(reservation, "the reservation could not be completed")) {
    std::int64_t now = 0;
    stands = !parts_->look(&now) || parts_->check_reserved(reservation).has_value();
  }
  return noted(std::move(done.error()), stands
                                            ? "the reservation may stand, and then counts as spent"
                                            : "nothing was spent");
}

Result<Receipt> Ledger::commit(const Reservation& reservation, const std::string& result,
                               std::uint64_t last) {
  const std::lock_guard lock(parts_->mutex);
  Receipt receipt;
  Status done = parts_->transact([&](Draft& draft) -> Status {
    TRY(parts_->check_reserved(reservation));
    TRY(parts_->check_last(reservation, last));
    const Book& book = parts_->book;
    auto added = draft.add(
        {{"kind", "commit"}, {"release", reservation.record}, {"result", sha256_hex(result)}},
        result);
    receipt = {fmt::format("{}-{}", book.id(), book.records()), book.head()};
    return added;
  });
  if (!done) return noted(std::move(done.error()), "the answer is not shown; its cost stays spent");
  return receipt;
}

Status Ledger::abandon(const Reservation& reservation, const std::string& reason) {
  const std::lock_guard lock(parts_->mutex);
  return parts_->abandon_unread(reservation, reason);
}

Status Ledger::check(const Request& request) {
  const std::lock_guard lock(parts_->mutex);
  auto cost = TRY(cost_of(request));
  TRY(check_name("analyst", request.analyst));
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  TRY(parts_->check_clock(now));
  // A ledger that was never used is judged as it would be started.
  const bool unused = parts_->book.empty();
  Draft draft(parts_->book, now);
  Status fits = parts_->ensure_started(draft);
  if (fits) fits = parts_->check_query(request, cost, now);
  if (unused) parts_->book = Book{};
  return fits;
}

Result<std::optional<Reused>> Ledger::reuse(const Request& request, bool stale_too) {
  const std::lock_guard lock(parts_->mutex);
  TRY(check_name("analyst", request.analyst));
  std::optional<Reused> reused;
  Status done = parts_->transact([&](Draft& draft) -> Status {
    const Book& book = parts_->book;
    std::uint64_t record = 0;
    const Release* release = book.latest(sha256_hex(request.plan), &record);
    if (release == nullptr) return {};
    const bool data = !TRY(parts_->same_data(record, request.source_stamp));
    const bool policy = release->policy_hash != parts_->terms.policy_hash;
    if ((data || policy) && !stale_too) {
      return fail(Code::kRefused,
                  fmt::format("the recorded answer of {} is stale: {} changed since", release->when,
                              data ? (policy ? "the data and the policy have" : "the data has")
                                   : "the policy has"),
                  advise("stale", "") + " to accept it; asking without " + named("reuse") +
                      " spends budget on a new one");
    }
    TRY(parts_->check_clock(draft.now()));
    // The data set has paid for this answer. Accounts that haven't, the analyst's own and its
    // groups', pay now.
    std::vector<std::string> pay;
    for (const std::string& name : book.accounts_of(request.analyst))
      if (!release->paid.contains(name)) pay.push_back(name);
    TRY(parts_->check_accounts(pay, release->cost, draft.now()));
    auto result = TRY(parts_->store->result(release->commit_record));
    if (sha256_hex(result) != release->result_hash) {
      return fail(Code::kFailure, fmt::format("{}: the answer of record {} does not match its hash",
                                              parts_->location, release->commit_record));
    }
    reused = Reused{std::move(result),
                    {fmt::format("{}-{}", book.id(), release->commit_record),
                     book.hash_of(release->commit_record)},
                    release->when,
                    data || policy};
    Json body{{"kind", "reuse"},
              {"analyst", request.analyst},
              {"release", record},
              {"accounts", pay},
              {"stale", data || policy}};
    if (!request.asked.empty()) body["asked"] = request.asked;
    return draft.add(std::move(body));
  });
  if (!done) return forward_error(done);
  return reused;
}

Result<std::vector<Ledger::Telling>> Ledger::known(const std::vector<std::string>& texts,
                                                   const Request& request) {
  const std::lock_guard lock(parts_->mutex);
  TRY(check_name("analyst", request.analyst));
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  const Book& book = parts_->book;
  const std::vector<std::string> accounts = book.accounts_of(request.analyst);
  const auto is_paid = [&](const Release& release) {
    return std::all_of(accounts.begin(), accounts.end(),
                       [&](const std::string& name) { return release.paid.contains(name); });
  };
  std::map<std::uint64_t, std::vector<std::string>> told;  // by the release's record
  for (const std::string& text : texts) {
    std::uint64_t record = 0;
    const Release* release = book.latest_telling(sha256_hex(text), &record);
    if (release && release->policy_hash == parts_->terms.policy_hash && is_paid(*release))
      told[record].push_back(text);
  }
  std::vector<Telling> out;
  for (auto& [record, of_record] : told) {
    if (!TRY(parts_->same_data(record, request.source_stamp))) continue;
    const Release& release = book.releases().at(record);
    auto result = TRY(parts_->store->result(release.commit_record));
    if (sha256_hex(result) != release.result_hash)
      return fail(Code::kFailure, fmt::format("{}: the answer of record {} does not match its hash",
                                              parts_->location, release.commit_record));
    out.push_back({std::move(result), std::move(of_record)});
  }
  return out;
}

Result<Balances> Ledger::balances() {
  const std::lock_guard lock(parts_->mutex);
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  Balances out;
  const Book& book = parts_->book;
  if (book.empty()) {
    out.terms = parts_->terms;
    auto limit =
        TRY(make_limit(parts_->terms.accountant, parts_->terms.epsilon, parts_->terms.delta));
    out.data_set = parts_->balance("", Account{limit, {}, 0, 0}, 0);
    return out;
  }
  out.ledger = book.id();
  out.terms = book.terms();
  out.terms.location = parts_->location;
  out.terms.max_epsilon_per_query = parts_->terms.max_epsilon_per_query;
  out.terms.max_delta_per_query = parts_->terms.max_delta_per_query;
  out.terms.sources.assign(book.sources().begin(), book.sources().end());
  const std::uint64_t window = book.window_at(now);
  for (const auto& [name, account] : book.accounts()) {
    Balance balance = parts_->balance(name, account, window);
    if (name.empty()) {
      out.data_set = std::move(balance);
    } else {
      (balance.group ? out.groups : out.analysts).push_back(std::move(balance));
    }
  }
  out.records = book.records();
  for (const auto& [record, release] : book.releases())
    if (release.state == Release::State::kReserved) ++out.unfinished;
  out.head = book.head();
  if (book.terms().renewal) out.window_end = utc(book.window_end(window));
  return out;
}

Result<std::optional<Amount>> Ledger::left_for(const std::string& analyst) {
  const std::lock_guard lock(parts_->mutex);
  std::int64_t now = 0;
  TRY(parts_->look(&now));
  const Book& book = parts_->book;
  std::optional<Amount> out;
  for (const std::string& name : book.accounts_of(analyst)) {
    const auto account = book.accounts().find(name);
    if (name.empty() || account == book.accounts().end()) continue;
    const Balance balance = parts_->balance(name, account->second, book.window_at(now));
    if (!balance.remaining) continue;
    if (!out) {
      out = balance.remaining;
      continue;
    }
    // Of several caps no one ρ is left.
    *out = {std::min(out->epsilon, balance.remaining->epsilon),
            std::min(out->delta, balance.remaining->delta),
            {}};
  }
  return out;
}

}  // namespace discreet::ledger
