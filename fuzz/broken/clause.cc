// The planted defect: the clause is cut out, and every position behind it moves.
#include "discreet/sql/clause.h"

namespace discreet::sql {

Status lift_clause(std::string& text, Options& /*options*/) {
  const std::size_t found = text.find("WITH DIFFERENTIAL_PRIVACY");
  if (found != std::string::npos) text.erase(found, 25);
  return {};
}

}  // namespace discreet::sql
