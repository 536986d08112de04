// What only the owner does: start a ledger by hand, change its budget, grant shares of it.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/ledger/parts.h"

namespace discreet::ledger {

Status Ledger::start_parts(Parts& parts, const Start& start) {
  auto known = TRY(parts.registry.all());
  Json said{{"who", start.who}, {"reason", start.reason}};
  std::vector<std::string> replaced;

  if (start.fresh) {
    // Everything that is known for this place or these sources is replaced, and the new ledger's
    // first record names it.
    Json replaces = Json::array();
    for (const Known& one : known) {
      if (!one.retired.empty()) continue;
      const bool here = one.location == parts.location;
      const bool same_source = match(one, {parts.terms.sources, parts.marks}, {}).has_value();
      if (!here && (!same_source || start.share)) continue;
      replaces.push_back({{"ledger", one.ledger},
                          {"location", one.location},
                          {"record", one.record},
                          {"hash", one.hash}});
      replaced.push_back(one.ledger);
    }
    auto id = TRY(new_id());
    auto aside = TRY(parts.store->put_aside(".replaced-" + id.substr(0, 8)));
    if (!replaces.empty()) said["replaces"] = std::move(replaces);
    // The knowledge about the old ones goes only after the new one is there; until then this place
    // stays refused.
    parts.replacing = true;
  }
  parts.sharing = start.share;
  Status done = parts.transact([&](Draft& draft) -> Status {
    std::set<std::string> shared;
    if (start.share) {
      for (const Conflict& conflict :
           conflicts(parts.book, known, parts.location, {parts.terms.sources, parts.marks}))
        shared.insert(conflict.other.ledger);
    }
    if (parts.book.empty()) {
      if (!shared.empty()) said["shared"] = shared;
      return parts.ensure_started(draft, said);
    }
    if (!start.share) {
      return fail(Code::kFailure, fmt::format("{}: the ledger is already there", parts.location),
                  "it needs no init; to start over on purpose: " +
                      command("budget init --new --reason TEXT"));
    }
    Json body{{"kind", "share"}, {"sources", parts.terms.sources}, {"shared", shared}};
    body.update(said);
    return draft.add(std::move(body));
  });
  parts.replacing = parts.sharing = false;
  if (!done) return done;
  for (const std::string& old : replaced) {
    auto retired =
        parts.registry.retire(old, fmt::format("by ledger {}: {}", parts.book.id(), start.reason));
    if (!retired) return retired;
  }
  return {};
}

Status Ledger::set_budget(const Rational& epsilon, const Rational& delta, const std::string& who,
                          const std::string& reason) {
  const std::lock_guard lock(parts_->mutex);
  return parts_->transact([&](Draft& draft) -> Status {
    TRY(parts_->ensure_started(draft));
    auto limit = TRY(make_limit(parts_->book.terms().accountant, epsilon, delta));
    return draft.add({{"kind", "set"},
                      {"epsilon", number(epsilon)},
                      {"delta", number(delta)},
                      {"who", who},
                      {"reason", reason}});
  });
}

Status Ledger::grant(const Grant& grant) {
  const std::lock_guard lock(parts_->mutex);
  if (grant.analyst.empty() && grant.group.empty())
    return fail(Code::kUsage, "grant: found neither an analyst nor a group");
  if (!grant.analyst.empty()) TRY(check_name("analyst", grant.analyst));
  if (!grant.group.empty()) TRY(check_name("group", grant.group));
  if (grant.epsilon.has_value() != grant.delta.has_value())
    return fail(Code::kUsage, "grant: ε and δ belong together");
  if (!grant.epsilon && (grant.analyst.empty() || grant.group.empty()))
    return fail(Code::kUsage, "grant: found no ε and δ");
  return parts_->transact([&](Draft& draft) -> Status {
    TRY(parts_->ensure_started(draft));
    Json body{{"kind", "grant"},
              {"analyst", grant.analyst},
              {"group", grant.group},
              {"who", grant.who},
              {"reason", grant.reason}};
    if (grant.epsilon) {
      auto limit = TRY(make_limit(grant.accountant, *grant.epsilon, *grant.delta));
      const std::string account = grant.analyst.empty() ? "@" + grant.group : grant.analyst;
      const auto before = parts_->book.accounts().find(account);
      if (before != parts_->book.accounts().end() && before->second.limit &&
          before->second.limit->accountant != grant.accountant) {
        return fail(
            Code::kBudget,
            fmt::format("{} is kept by the {} accountant, which is chosen once",
                        account_title(account), name_of(before->second.limit->accountant)),
            "use " + given("accountant", std::string(name_of(before->second.limit->accountant))));
      }
      body["epsilon"] = number(*grant.epsilon);
      body["delta"] = number(*grant.delta);
      body["accountant"] = name_of(grant.accountant);
    }
    return draft.add(std::move(body));
  });
}

}  // namespace discreet::ledger
