#include "discreet/service/terms.h"

#include <fmt/format.h>

#include <filesystem>

#include "discreet/base/try.h"
#include "discreet/engine/open.h"
#include "discreet/ledger/record.h"
#include "discreet/plan/canonical.h"
#include "discreet/plan/charges.h"

namespace discreet::service {

using std::string;

Result<ledger::Terms> terms_of(const policy::Policy& policy, Server server,
                               const engine::Watch& watch) {
  namespace fs = std::filesystem;
  std::error_code error;  // the first
  // A file's one real name, whether it is there or not.
  const auto real = [&](const fs::path& path) {
    std::error_code now;
    string name = fs::weakly_canonical(path, now).string();
    if (!error) error = now;
    return name;
  };
  ledger::Terms terms;
  terms.policy = policy.name;
  terms.epsilon = policy.epsilon;
  terms.delta = policy.delta;
  auto accountant = TRY(ledger::parse_accountant(policy.accountant));
  terms.accountant = accountant;
  if (policy.renewal_seconds) terms.renewal = std::chrono::seconds(*policy.renewal_seconds);
  terms.max_epsilon_per_query = policy.max_epsilon_per_query;
  terms.max_delta_per_query = policy.max_delta_per_query;
  terms.location = policy.ledger.find("://") != string::npos ? policy.ledger : real(policy.ledger);
  if (error)
    return fail(Code::kFailure, fmt::format("{}: policy.ledger: there can be no file '{}': {}",
                                            policy.path, policy.ledger, error.message()));
  auto told = engine::names(policy, watch);
  if (!told && server == Server::kMustAnswer) return forward_error(told);
  for (const policy::TableRule& table : policy.tables) {
    if (table.is_public) continue;
    for (const string& name : identities(table.from)) {
      if (is_local(table.from)) {
        terms.files.push_back(real(name));
        terms.sources.push_back(terms.files.back());
        continue;
      }
      terms.sources.push_back(name);
      if (!told) continue;
      for (const auto& [written, other] : told->tables)
        if (written == name) terms.sources.push_back(other);
      for (const auto& [written, number] : told->numbers)
        if (written == name) terms.numbers.emplace_back(written, number);
    }
  }
  if (error)
    return fail(Code::kFailure,
                fmt::format("{}: a source can't be found: {}", policy.path, error.message()));
  terms.policy_hash = ledger::sha256_hex(policy.text);
  return terms;
}

ledger::Request request_of(const policy::Policy& policy, const plan::Plan& plan,
                           const string& analyst, const plan::Presenting& presenting) {
  ledger::Request out;
  out.analyst = analyst;
  out.query = canonical_query(plan);
  // How it is presented belongs to the answer that is stored.
  out.plan =
      fmt::format("{} confidence {}{}", plan::canonical(plan), to_decimal(presenting.confidence),
                  presenting.nonnegative ? " nonnegative" : "");
  out.epsilon = plan.cost.epsilon;
  out.delta = plan.cost.delta;
  // What `discreet account` reads back.
  for (const plan::Charge& charge : plan::charges_of(plan))
    out.events.push_back(
        {privacy::describe(charge.event), charge.epsilon, charge.delta, charge.rho});
  for (const plan::PlanPart& part : plan.parts)
    if (part.survey)
      for (const plan::Count& count : part.survey->counts) out.tells.push_back(count.key);
  for (const policy::TableRule& table : policy.tables) out.source_stamp += stamp(table.from);
  return out;
}

}  // namespace discreet::service
