// Adds a plan's cost up again, by the theorems and not by the split that made it: it must not
// exceed what is charged. Done when a plan is made, and again before anything is reserved for it.
#pragma once

#include "discreet/plan/plan.h"

namespace discreet::plan {

Status verify(const PlanPart& part);
// Every part, and their sum.
Status verify(const Plan& plan);

// The least that a number's sensitivity in one group can be, from what is clamped and how many rows
// count: what one unit can add to it.
Integer least_sensitivity(const PlanPart& part, const Statistic& one);

}  // namespace discreet::plan
