// What a plan releases, as an accountant sees it: an event for each mechanism, with its part of the
// cost. The ledger records them, so that what composition can gain isn't lost.
#pragma once

#include <optional>
#include <vector>

#include "discreet/plan/plan.h"
#include "discreet/privacy/event.h"

namespace discreet::plan {

struct Charge {
  privacy::Event event;
  Rational epsilon, delta;
  std::optional<Rational> rho;  // Gaussian noise: as zCDP
};

// A unit changes at most max_groups of the groups, each number there by at most its sensitivity, so
// a number is charged as that many releases of it: the others are the same for neighbours.
std::vector<Charge> charges_of(const Plan& plan);

}  // namespace discreet::plan
