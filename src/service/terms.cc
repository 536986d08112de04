#include "discreet/service/terms.h"

#include <fmt/format.h>

#include <filesystem>

#include "discreet/base/try.h"
#include "discreet/ledger/record.h"
#include "discreet/plan/canonical.h"
#include "discreet/plan/charges.h"

namespace discreet::service {

using std::string;

Result<ledger::Terms> terms_of(const policy::Policy& policy) {
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
  for (const policy::TableRule& table : policy.tables) {
    if (table.is_public) continue;
    // The files behind a pattern, each by its one real name: another policy may name one of them
    // alone.
    for (const string& file : table.files) terms.sources.push_back(real(file));
    if (!table.files.empty()) continue;
    string source = table.source;
    if (const auto hash = source.find('#'); hash != string::npos) source.resize(hash);
    terms.sources.push_back(real(fs::path(policy.directory) / source));
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
  std::error_code ignored;
  for (const policy::TableRule& table : policy.tables)
    for (const string& file : table.files)
      out.source_stamp +=
          fmt::format("{} {} {};", file, std::filesystem::file_size(file, ignored),
                      std::filesystem::last_write_time(file, ignored).time_since_epoch().count());
  return out;
}

}  // namespace discreet::service
