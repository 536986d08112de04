// What the ledger has to know of a policy, and of a plan.
#pragma once

#include "discreet/engine/engine.h"
#include "discreet/ledger/ledger.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/release.h"
#include "discreet/policy/policy.h"

namespace discreet::service {

// A server's tables have two names there: by the address that is written, and by what the server
// says of itself; a ledger that guards either guards the table. To look at a budget, or to set one,
// the server needn't answer: its own name is then asked for when something is to be spent.
enum class Server { kMustAnswer, kMayBeAway };
Result<ledger::Terms> terms_of(const policy::Policy& policy, Server server = Server::kMustAnswer,
                               const engine::Watch& watch = {});

// What is charged, and by which text the answer is found again. How it is presented belongs to the
// answer that is stored.
ledger::Request request_of(const policy::Policy& policy, const plan::Plan& plan,
                           const std::string& analyst, const plan::Presenting& presenting);

}  // namespace discreet::service
