#include "discreet/engine/pushdown/bounding.h"

#include "discreet/engine/pushdown/bounding_sql.h"

namespace discreet::engine::pushdown {

Result<Statement> bounded(const plan::PlanPart& part, const Dialect& dialect) {
  return part.weight_bits ? weighed(part, dialect) : drawn(part, dialect);
}

}  // namespace discreet::engine::pushdown
