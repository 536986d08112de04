// A plan as the bounding knows it: how its rows look, how much a unit may keep, what is added up.
#pragma once

#include "discreet/bound/batch.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/shape.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

bound::Shape shape_of(const plan::PlanPart& part);

// Is a unit in no more groups than the noise is for? Rows with weights, of which only their number
// in all is limited, may be spread thinly over any number of groups.
bool limits_groups(const plan::PlanPart& part);

// In which form a key, and a slot, come from the engine.
bound::Column::Kind key_column(policy::Type type);
bound::Column::Kind slot_column(const plan::Slot& slot);

// Tells a run its groups where all are public; false if they aren't numbered as they are listed.
bool close_groups(const plan::PlanPart& part, bound::Groups& groups);

}  // namespace discreet::plan
