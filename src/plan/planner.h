// Fills one part of a plan: what is declared and what isn't, the split of its budget, slots and
// statistics. Only plan.cc calls it.
#pragma once

#include <string>
#include <vector>

#include "discreet/plan/aggregates.h"

namespace discreet::plan {

struct Planning {
  const Catalog& catalog;
  const Options& options;
  Rational epsilon, delta;  // of this part
  const Aggregates& aggregates;
  const Profile& known;
  const Survey* paid;       // what was measured and paid for, once it was
  const std::string& text;  // as the user wrote it
  std::vector<std::string>& notes;
};

// A part that holds its select and nothing else.
Status plan_part(PlanPart& part, const Planning& given);

}  // namespace discreet::plan
