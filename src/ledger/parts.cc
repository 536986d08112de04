#include "discreet/ledger/parts.h"

#include <fmt/format.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>

#include "discreet/base/try.h"

namespace discreet::ledger {
namespace {

// How far the clock may stand before the last record: machines that share a ledger differ a little.
constexpr std::int64_t kClockSlack = 60;

constexpr std::string_view kSalted = "sha256:";

}  // namespace

tl::unexpected<Error> noted(Error error, const std::string& note) {
  if (error.code == Code::kFailure || error.code == Code::kInterrupted) {
    error.hint = error.hint.empty() ? Phrase(note) : note + "; " + error.hint;
  }
  return tl::unexpected<Error>(std::move(error));
}

std::string salted(const std::string& nonce, const std::string& stamp) {
  return std::string(kSalted) + sha256_hex(nonce + "\n" + stamp);
}

Result<std::string> new_id() {
  std::array<unsigned char, 16> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    return fail(Code::kFailure, "ledger: the operating system gave no randomness");
  }
  std::string id;
  for (unsigned char byte : bytes) id += fmt::format("{:02x}", byte);
  return id;
}

Status check_name(std::string_view what, const std::string& name) {
  const bool printable = std::none_of(name.begin(), name.end(), [](char c) {
    return static_cast<unsigned char>(c) < 32 || c == 127;
  });
  if (!name.empty() && name.size() <= 200 && printable && name.front() != '@' &&
      name.front() != ' ' && name.back() != ' ')
    return {};
  return fail(
      Code::kUsage,
      fmt::format("{}: found '{}'; accepted is a name of 1 to 200 bytes that doesn't begin with @",
                  what, name));
}

std::string account_title(const std::string& name) {
  if (name.empty()) return "the data set's budget";
  return name.front() == '@' ? fmt::format("the budget of group {}", name.substr(1))
                             : fmt::format("{}'s budget", name);
}

Status Ledger::Parts::catch_up(const std::function<Result<Snapshot>()>& read, std::int64_t* now) {
  auto known = TRY(known_ledgers());
  auto snapshot = TRY(read());
  *now = snapshot.now;
  TRY(apply(snapshot));
  if (!replacing) TRY(check_place(book, known, location));
  for (const Known& one : known) {
    if (book.empty() || one.ledger != book.id()) continue;
    TRY(check_head(book, one, location));
  }
  if (replacing || sharing || placed) return {};
  auto guarded = check_sources(book, known, location, {terms.sources, marks});
  placed = guarded.has_value() && !book.empty();
  return guarded;
}

// Place and sources are compared with all that is known until they have been found right; then the
// head is what may change.
Result<std::vector<Known>> Ledger::Parts::known_ledgers() const {
  if (!placed || book.empty()) return registry.all();
  auto known = TRY(registry.look_up(book.id()));
  return known ? std::vector<Known>{std::move(*known)} : std::vector<Known>{};
}

Status Ledger::Parts::apply(const Snapshot& snapshot) {
  for (const Row& row : snapshot.rows)
    if (auto applied = book.apply(row); !applied) return located(std::move(applied.error()));
  return {};
}

tl::unexpected<Error> Ledger::Parts::located(Error error) const {
  if (error.message.text().starts_with("ledger: "))
    error.message = location + ": " + error.message.text().substr(8);
  return tl::unexpected<Error>(std::move(error));
}

Status Ledger::Parts::look(std::int64_t* now) {
  Status done = catch_up([&] { return store->read(book.records()); }, now);
  if (!done) book = Book{};
  return done;
}

Known Ledger::Parts::known_now() const {
  std::vector<std::string> sources(book.sources().begin(), book.sources().end());
  std::vector<std::string> shared(book.shared().begin(), book.shared().end());
  std::set<std::string> names;
  for (const Mark& mark : marks) names.insert(mark.name);
  return {book.id(),
          location,
          book.terms().policy,
          std::move(sources),
          std::move(shared),
          book.records(),
          book.head(),
          "",
          {names.begin(), names.end()}};
}

Status Ledger::Parts::transact(const std::function<Status(Draft&)>& decide) {
  std::int64_t now = 0;
  bool begun = false;
  Status done = catch_up(
      [&]() -> Result<Snapshot> {
        auto ahead = TRY(store->line_up(book.records()));
        begun = true;
        TRY(apply(ahead));
        auto snapshot = store->begin(book.records());
        begun = snapshot.has_value();
        return snapshot;
      },
      &now);
  const bool caught_up = done.has_value();
  Draft draft(book, now);
  if (done) done = decide(draft);
  if (begun) {
    Status finished = store->finish(done ? draft.rows() : std::vector<Row>{});
    if (done) done = std::move(finished);
  }
  if (!done) {
    if (!caught_up || !draft.rows().empty())
      book = Book{};  // what it holds is in doubt; the next call reads afresh
    return located(std::move(done.error()));
  }
  if (draft.rows().empty()) return {};
  if (!keyed && !terms.files.empty()) {
    marks = marks_of(terms, TRY(registry.make_key()));
    keyed = true;
  }
  return registry.remember(known_now(), [this] { return newest(); });
}

Known Ledger::Parts::newest() {
  auto snapshot = store->settled(book.records());
  if (snapshot && !apply(*snapshot)) {
    book = Book{};
    return {};
  }
  return known_now();
}

Status Ledger::Parts::ensure_started(Draft& draft, const Json& extra) {
  if (!book.empty()) return {};
  auto id = TRY(new_id());
  auto limit = TRY(make_limit(terms.accountant, terms.epsilon, terms.delta));
  Json body{{"kind", "init"},
            {"ledger", id},
            {"policy", terms.policy},
            {"policy_hash", terms.policy_hash},
            {"epsilon", number(terms.epsilon)},
            {"delta", number(terms.delta)},
            {"accountant", name_of(terms.accountant)},
            {"sources", terms.sources}};
  if (terms.renewal) body["renewal"] = terms.renewal->count();
  body.update(extra);
  return draft.add(std::move(body));
}

Status Ledger::Parts::ensure_sources(Draft& draft) {
  std::vector<std::string> fresh;
  for (const std::string& source : terms.sources)
    if (!book.sources().contains(source)) fresh.push_back(source);
  if (fresh.empty()) return {};
  return draft.add({{"kind", "sources"}, {"sources", fresh}});
}

Status Ledger::Parts::check_terms() const {
  const Terms& kept = book.terms();
  if (terms.epsilon != kept.epsilon || terms.delta != kept.delta) {
    return fail(
        Code::kBudget,
        fmt::format("the policy's budget (ε {}, δ {}) is not the one the ledger holds (ε {}, δ "
                    "{})",
                    short_text(terms.epsilon, Rounding::kUp),
                    short_text(terms.delta, Rounding::kUp), short_text(kept.epsilon, Rounding::kUp),
                    short_text(kept.delta, Rounding::kUp)),
        "its owner can record the change: " +
            command(fmt::format("budget set --epsilon {} --delta {} --reason TEXT",
                                to_decimal(terms.epsilon), to_decimal(terms.delta))));
  }
  if (terms.accountant != kept.accountant || terms.renewal != kept.renewal) {
    return fail(Code::kBudget,
                fmt::format("the policy's accountant or renewal is not the one the ledger was "
                            "started with ({}, {})",
                            name_of(kept.accountant),
                            kept.renewal ? fmt::format("renewed every {} s", kept.renewal->count())
                                         : "no renewal"),
                "they are chosen once; write the ledger's in the policy");
  }
  return {};
}

Status Ledger::Parts::check_clock(std::int64_t now) const {
  if (now + kClockSlack >= book.last_time()) return {};
  return fail(Code::kFailure,
              fmt::format("{}: the clock says {}, but the ledger's last record is of {}", location,
                          utc(now), utc(book.last_time())),
              "set the clock right; if the record's time was wrong, " +
                  command("budget set --epsilon EPSILON --delta DELTA --reason TEXT") +
                  " with the same budget starts from the present time");
}

Status Ledger::Parts::check_query(const Request& request, const Sums& cost,
                                  std::int64_t now) const {
  const auto check_most = [](const std::optional<Rational>& most, const Rational& asked,
                             const std::string& letter, const std::string& name) -> Status {
    if (!most || asked <= *most) return {};
    const std::string accepted = short_text(*most, Rounding::kDown);
    return fail(Code::kBudget,
                fmt::format("the query asks for {} = {}, the policy allows {} a query", letter,
                            short_text(asked, Rounding::kUp), accepted),
                given(name, accepted) + " would be accepted");
  };
  TRY(check_most(terms.max_epsilon_per_query, request.epsilon, "ε", "epsilon"));
  TRY(check_most(terms.max_delta_per_query, request.delta, "δ", "delta"));
  TRY(check_terms());
  return check_accounts(book.accounts_of(request.analyst), cost, now);
}

Status Ledger::Parts::check_accounts(const std::vector<std::string>& names, const Sums& cost,
                                     std::int64_t now) const {
  for (const std::string& name : names) {
    const auto account = book.accounts().find(name);
    if (account == book.accounts().end() || !account->second.limit) continue;
    TRY(check_fits(account_title(name), *account->second.limit,
                   book.spent(name, book.window_at(now)), cost));
  }
  return {};
}

Status Ledger::Parts::abandon_unread(const Reservation& reservation, const std::string& reason) {
  return transact([&](Draft& draft) -> Status {
    TRY(check_reserved(reservation));
    TRY(check_last(reservation, 0));  // what has begun has read
    return draft.add({{"kind", "abandon"}, {"release", reservation.record}, {"reason", reason}});
  });
}

Status Ledger::Parts::check_reserved(const Reservation& reservation) const {
  const auto release = book.releases().find(reservation.record);
  if (release != book.releases().end() && book.hash_of(reservation.record) == reservation.hash &&
      release->second.state == Release::State::kReserved) {
    return {};
  }
  return fail(Code::kFailure, fmt::format("{}: record {} is not an open reservation of this query",
                                          location, reservation.record));
}

Status Ledger::Parts::check_last(const Reservation& reservation, std::uint64_t last) const {
  const std::uint64_t known = book.releases().at(reservation.record).progress.record;
  if (known == last) return {};
  return fail(Code::kRefused,
              fmt::format("another process has gone on with what record {} reserved (record {})",
                          reservation.record, known),
              "this one ends here; what it spent stays spent");
}

Result<bool> Ledger::Parts::same_data(std::uint64_t record, const std::string& stamp) {
  const Release& release = book.releases().at(record);
  if (!release.source_stamp.starts_with(kSalted)) return release.source_stamp == stamp;
  return release.source_stamp == salted(TRY(store->result(record)), stamp);
}

Balance Ledger::Parts::balance(const std::string& name, const Account& account,
                               std::uint64_t window) const {
  const Sums spent = book.spent(name, window);
  Balance out{name, false, {}, {}, spent_of(account.limit, spent), {}, account.releases};
  if (name.starts_with('@')) out.group = true, out.name = name.substr(1);
  if (account.limit) {
    out.accountant = account.limit->accountant;
    out.budget = limit_of(*account.limit);
    out.remaining = remaining_of(*account.limit, spent);
  }
  return out;
}

}  // namespace discreet::ledger
