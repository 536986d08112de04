// The planted defect: DuckDB's own square root, which fails on a row that is below 0.
#include "discreet/engine/duckdb/print.h"

namespace discreet::engine::duckdb {

std::string print_call(const sql::Expr& call, const std::vector<std::string>& args) {
  return call.function == sql::Function::kSqrt ? "sqrt(" + args[0] + ")" : "NULL";
}

}  // namespace discreet::engine::duckdb
