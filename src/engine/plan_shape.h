// A plan as the bounding knows it: how its rows look, how much a unit may keep, what is added up.
#pragma once

#include "discreet/bound/batch.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/shape.h"
#include "discreet/sql/plan.h"

namespace discreet::engine {

bound::Shape shape_of(const sql::PlanPart& part);

// In which form a key, and a slot, come from the engine.
bound::Column::Kind key_column(sql::Type type);
bound::Column::Kind slot_column(const sql::Slot& slot);

// Tells a run its groups where all are public; false if they aren't numbered as they are listed.
bool close_groups(const sql::PlanPart& part, bound::Groups& groups);

}  // namespace discreet::engine
