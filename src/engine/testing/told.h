// All that an engine's contributions hold, as lines of text: two engines that were given the same
// rows and the same secret say the same. (Only tests may look.)
#pragma once

#include <string>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/plan/plan.h"

namespace discreet::engine::testing {

std::vector<std::string> told(const bound::Contributions& contributions,
                              const plan::PlanPart& part);

}  // namespace discreet::engine::testing
