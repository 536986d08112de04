// A plan's question as a text: what was asked, and at which price and bounds. Two plans of the same
// text answer the same question, so a paid answer is found by it (--reuse). Nothing of how an
// engine calculates or how the noise is split is in it, and no words for people.
#pragma once

#include <string>
#include <vector>

#include "discreet/plan/plan.h"

namespace discreet::plan {

// Begins with its version, sql::kCanonicalVersion.
std::string canonical(const Plan& plan);

// The rows and aggregates alone, for people who look through a ledger.
std::string canonical_query(const Plan& plan);
// ORDER BY, over what is released.
std::vector<std::string> canonical_order(const Plan& plan);
// Released columns by name: k0, k1, … and a0, a1, …
std::vector<std::string> released_places(const PlanPart& part);

}  // namespace discreet::plan
