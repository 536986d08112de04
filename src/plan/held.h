// A part's rows as they're held between its survey and its answer (bound/held.h): the numbers
// themselves, since their grids are chosen by what the survey shows.
#pragma once

#include <optional>
#include <vector>

#include "discreet/plan/plan.h"

namespace discreet::plan {

// The part's rows with every slot that its survey and the part itself have.
PlanPart held_part(const PlanPart& part);
// Which of the held slots each slot of another part of the same rows is made of; nothing where one
// of them isn't held.
std::optional<std::vector<std::size_t>> held_places(const PlanPart& held, const PlanPart& part);

}  // namespace discreet::plan
