// Plans that no planner makes: broken ones, to see that they are caught, and ones without noise, to
// compare what is left with the truth.
#pragma once

#include <functional>
#include <utility>

#include "discreet/plan/plan.h"

namespace discreet::plan {

struct PlanForger {
  // The same plan, at the same price, with its parts altered.
  static Plan altered(const Plan& plan, const std::function<void(PlanPart&)>& alter) {
    std::vector<PlanPart> parts = plan.parts;
    for (PlanPart& part : parts) alter(part);
    return Plan(plan.question, plan.options, plan.aggregates_, std::move(parts), plan.cost,
                plan.notes);
  }
  static Plan of(std::vector<PlanPart> parts) {
    return Plan(Question(), {}, nullptr, std::move(parts), {}, {});
  }
};

}  // namespace discreet::plan
