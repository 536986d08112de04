// What the ledger has to know of a policy, and of a plan.
#pragma once

#include "discreet/ledger/ledger.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/release.h"
#include "discreet/policy/policy.h"

namespace discreet::service {

Result<ledger::Terms> terms_of(const policy::Policy& policy);

// What is charged, and by which text the answer is found again. How it is presented belongs to the
// answer that is stored.
ledger::Request request_of(const policy::Policy& policy, const plan::Plan& plan,
                           const std::string& analyst, const plan::Presenting& presenting);

}  // namespace discreet::service
