// Whether a part's rows count with weights (bound/weights.h), and how fine those are.
#pragma once

#include <optional>

#include "discreet/plan/plan.h"

namespace discreet::plan {

// Does anything that is released count a unit once in a group? Its number of groups then has to be
// limited, however little it weighs in each.
bool releases_units(const PlanPart& part);

// All that is asked adds up rows, or units: nothing needs whole rows. The bits are fewer where the
// noise, on a grid that is finer by as many, would have a scale beyond what can be drawn.
std::optional<unsigned> weight_bits(const PlanPart& part);

}  // namespace discreet::plan
