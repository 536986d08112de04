// The planted defect: literals without their quotes, which no longer run.
#include "discreet/sql/algebra.h"

namespace discreet::sql {

std::string print(const Value& value) { return value.show(); }

}  // namespace discreet::sql
