#include "discreet/engine/pushdown/bounding.h"

#include "discreet/engine/pushdown/bounding_sql.h"

namespace discreet::engine::pushdown {

Result<Statement> bounded(const plan::PlanPart& part, const Dialect& dialect) {
  if (part.weight_bits) return weighed(part, dialect);
  const bool is_survey = part.statistics.empty() && !part.left_out.empty();
  return is_survey ? surveyed(part, dialect) : drawn(part, dialect);
}

}  // namespace discreet::engine::pushdown
