// Releases one choice in each of several groups, in the way that was planned (methods.h).
#pragma once

#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/plan/plan.h"
#include "discreet/random/source.h"

namespace discreet::plan {

// For each group: the number of a leaf or of a declared value (exponential, and a stable mode of
// such), a value on its grid (smooth, propose-test-release), a value itself (a stable mode of
// values that nobody listed); NULL where it is withheld. With an interval where how far off it may
// be is public. A unit is in most_groups groups at most,
// and each has its share of ε and δ.
Result<std::vector<Cell>> release_choice(const PlanPart& part, std::size_t statistic,
                                         const std::vector<std::size_t>& groups,
                                         const bound::Contributions& contributions,
                                         const Rational& confidence, random::Source& source);

}  // namespace discreet::plan
