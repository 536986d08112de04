// The planted defect: literals without their quotes, which no longer run.
#include "discreet/engine/duckdb/print.h"

namespace discreet::engine::duckdb {

std::string print(const policy::Value& value) { return value.show(); }

}  // namespace discreet::engine::duckdb
