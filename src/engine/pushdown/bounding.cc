#include "discreet/engine/pushdown/bounding.h"

#include "discreet/engine/pushdown/bounding_sql.h"
#include "discreet/plan/shape.h"

namespace discreet::engine::pushdown {

Result<Statement> bounded(const plan::PlanPart& part, const Dialect& dialect) {
  if (part.weight_bits) return weighed(part, dialect);
  return plan::shape_of(part).is_survey() ? surveyed(part, dialect) : drawn(part, dialect);
}

}  // namespace discreet::engine::pushdown
