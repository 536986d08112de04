#include "discreet/ledger/book.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "discreet/base/try.h"

namespace discreet::ledger {
namespace {

tl::unexpected<Error> damaged(std::uint64_t record, const std::string& what) {
  return fail(Code::kFailure, fmt::format("ledger: record {} {}", record, what),
              "the ledger was edited or damaged; restore it from a backup that is not older than "
              "its last record");
}

constexpr long kLargestCost = 1'000'000'000'000'000;  // far more than any budget has

std::uint64_t whole(const Json& body, const char* key) {
  const auto found = body.find(key);
  return found != body.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

void insert_texts(const Json& body, const char* key, std::set<std::string>& into) {
  const auto found = body.find(key);
  if (found == body.end() || !found->is_array()) return;
  for (const Json& one : *found)
    if (one.is_string()) into.insert(one.get<std::string>());
}

}  // namespace

Json event_json(const Event& event) {
  Json json{{"event", event.expression},
            {"epsilon", number(event.epsilon)},
            {"delta", number(event.delta)}};
  if (event.rho) json["rho"] = number(*event.rho);
  return json;
}

Result<Event> event_of(const Json& json) {
  if (!json.is_object()) return fail(Code::kFailure, "ledger: an event is not an object");
  auto epsilon = number(json, "epsilon"), delta = number(json, "delta");
  if (!epsilon) return forward_error(epsilon);
  if (!delta) return forward_error(delta);
  Event event{text(json, "event"), *epsilon, *delta, {}};
  if (json.contains("rho")) {
    auto rho = TRY(number(json, "rho"));
    event.rho = rho;
  }
  return event;
}

Status Book::apply(const Row& row) {
  if (row.record != records() + 1)
    return damaged(records() + 1, fmt::format("is missing (the next one is {})", row.record));
  if (row.hash != chain_hash(head(), row.body))
    return damaged(row.record, "does not match its hash");
  auto body = TRY(parse_body(row.body));
  if (whole(body, "record") != row.record) return damaged(row.record, "carries another number");
  if (auto taken = take_in(body, row.record); !taken) {
    // What would be a wrong request elsewhere is damage here: nobody records a budget that is none.
    if (taken.error().code == Code::kUsage)
      return damaged(row.record, taken.error().message.text());
    return taken;
  }
  hashes_.push_back(row.hash);
  return {};
}

Status Book::take_in(const Json& body, std::uint64_t record) {
  const std::string kind = text(body, "kind");
  const std::int64_t time = from_utc(text(body, "time"));
  if (time < 0) return damaged(record, "has no time");
  if ((record == 1) != (kind == "init"))
    return damaged(record, fmt::format("is of kind '{}'", kind));
  if (record == 1) first_time_ = time;
  // What the owner records is of the present time, whatever was recorded before; else a clock can't
  // be set back little by little.
  last_time_ = kind == "set" ? time : std::max(last_time_, time);

  if (kind == "init" || kind == "set") {
    auto epsilon = number(body, "epsilon"), delta = number(body, "delta");
    if (!epsilon) return forward_error(epsilon);
    if (!delta) return forward_error(delta);
    terms_.epsilon = *epsilon;
    terms_.delta = *delta;
    if (kind == "init") {
      id_ = text(body, "ledger");
      terms_.policy = text(body, "policy");
      auto accountant = TRY(parse_accountant(text(body, "accountant")));
      terms_.accountant = accountant;
      constexpr std::uint64_t kLongest =
          1'000'000'000'000;  // 30 000 years: a time plus that is one
      const std::uint64_t seconds = whole(body, "renewal");
      if (seconds > kLongest) return damaged(record, "has a renewal that never comes");
      if (seconds > 0) terms_.renewal = std::chrono::seconds(seconds);
    }
    auto limit = TRY(make_limit(terms_.accountant, terms_.epsilon, terms_.delta));
    accounts_[""].limit = limit;
  }
  if (kind == "init" || kind == "sources" || kind == "share") {
    insert_texts(body, "sources", sources_);
    insert_texts(body, "shared", shared_);
    return {};
  }
  if (kind == "set") return {};
  if (kind == "grant") {
    const std::string analyst = text(body, "analyst");
    const std::string group = text(body, "group").empty() ? "" : "@" + text(body, "group");
    if (!analyst.empty() && !group.empty()) groups_of_[analyst].insert(group);
    if (!body.contains("epsilon")) return {};
    auto epsilon = number(body, "epsilon"), delta = number(body, "delta");
    auto accountant = parse_accountant(text(body, "accountant"));
    if (!epsilon) return forward_error(epsilon);
    if (!delta) return forward_error(delta);
    if (!accountant) return forward_error(accountant);
    auto limit = TRY(make_limit(*accountant, *epsilon, *delta));
    accounts_[analyst.empty() ? group : analyst].limit = limit;
    return {};
  }
  window_ = window_at(time);
  if (kind == "reserve") {
    Release release;
    release.plan = text(body, "plan");
    release.policy_hash = text(body, "policy_hash");
    release.source_stamp = text(body, "source_stamp");
    release.window = window_;
    auto epsilon = number(body, "epsilon"), delta = number(body, "delta");
    auto rho = number(body, "rho"), part_delta = number(body, "part_delta");
    for (auto* part : {&epsilon, &delta, &rho, &part_delta})
      if (!*part) return forward_error(*part);
    for (const auto* part : {&epsilon, &delta, &rho, &part_delta})
      if (**part < 0 || **part > kLargestCost)
        return damaged(record, "has a cost that no budget covers");
    release.cost = {*epsilon, *delta, *rho, *part_delta};
    insert_texts(body, "tells", release.tells);
    TRY(charge(body, record, release));
    if (!release.paid.contains("")) return damaged(record, "does not charge the data set");
    releases_.emplace(record, std::move(release));
    return {};
  }
  const std::uint64_t number_of = whole(body, "release");
  const auto found = releases_.find(number_of);
  if (found == releases_.end())
    return damaged(record, fmt::format("of kind '{}' names no release", kind));
  Release& release = found->second;
  if (kind == "commit") {
    if (release.state != Release::State::kReserved)
      return damaged(record, "commits what is not reserved");
    release.state = Release::State::kCommitted;
    release.commit_record = record;
    release.result_hash = text(body, "result");
    release.when = text(body, "time");
    latest_[release.plan] = number_of;
    for (const std::string& what : release.tells) telling_[what] = number_of;
    return {};
  }
  if (kind == "progress") {
    if (release.state != Release::State::kReserved)
      return damaged(record, "goes on with what is not reserved");
    if (whole(body, "after") != release.progress.record)
      return damaged(record, "goes on from another record than the last");
    release.progress = {record, whole(body, "begun"), text(body, "checkpoint"),
                        text(body, "before")};
    return {};
  }
  if (kind == "abandon") {
    if (release.state != Release::State::kReserved)
      return damaged(record, "abandons what is not reserved");
    release.state = Release::State::kAbandoned;
    for (const std::string& name : release.paid) {
      Account& account = accounts_[name];
      if (account.window == release.window) account.spent -= release.cost;
      --account.releases;
    }
    return {};
  }
  if (kind == "reuse") {
    if (release.state != Release::State::kCommitted)
      return damaged(record, "gives an answer again that was never given");
    return charge(body, record, release);
  }
  return fail(Code::kFailure,
              fmt::format("ledger: record {} is of an unknown kind '{}'", record, kind),
              "use the newer Discreet that wrote it");
}

Status Book::charge(const Json& body, std::uint64_t record, Release& release) {
  const auto names = body.find("accounts");
  if (names == body.end() || !names->is_array()) return damaged(record, "charges no account");
  for (const Json& name : *names) {
    if (!name.is_string()) return damaged(record, "charges an account without a name");
    if (!release.paid.insert(name.get<std::string>()).second) continue;
    Account& account = accounts_[name.get<std::string>()];
    if (account.window < window_) account.spent = {}, account.window = window_;
    account.spent += release.cost;
    ++account.releases;
  }
  return {};
}

const Release* Book::latest(const std::string& plan, std::uint64_t* record) const {
  const auto found = latest_.find(plan);
  if (found == latest_.end()) return nullptr;
  *record = found->second;
  return &releases_.at(found->second);
}

const Release* Book::latest_telling(const std::string& what, std::uint64_t* record) const {
  const auto found = telling_.find(what);
  if (found == telling_.end()) return nullptr;
  *record = found->second;
  return &releases_.at(found->second);
}

std::vector<std::string> Book::accounts_of(const std::string& analyst) const {
  std::vector<std::string> names{"", analyst};
  if (const auto groups = groups_of_.find(analyst); groups != groups_of_.end()) {
    names.insert(names.end(), groups->second.begin(), groups->second.end());
  }
  return names;
}

std::uint64_t Book::window_at(std::int64_t now) const {
  if (!terms_.renewal || now <= first_time_) return window_;
  return std::max(window_,
                  static_cast<std::uint64_t>((now - first_time_) / terms_.renewal->count()));
}

std::int64_t Book::window_end(std::uint64_t window) const {
  return first_time_ + static_cast<std::int64_t>(window + 1) * terms_.renewal->count();
}

Sums Book::spent(const std::string& account, std::uint64_t window) const {
  const auto found = accounts_.find(account);
  if (found == accounts_.end() || found->second.window < window) return {};
  return found->second.spent;
}

}  // namespace discreet::ledger
