// How a part's groups are chosen: each of the groups that a unit can be in has its share.
#pragma once

#include "discreet/mechanism/partition_selection.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

inline mechanism::PartitionSelectionParameters selection_parameters(const PlanPart& part) {
  const Rational groups(part.bounds.most_groups());
  return {part.selection->epsilon / groups, part.selection->delta / groups,
          part.selection->min_units};
}

}  // namespace discreet::plan
