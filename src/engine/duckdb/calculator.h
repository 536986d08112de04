// Calculates with public values in an empty, locked database: it holds nothing but what it is
// given.
//
//   #include "discreet/sql/functions.h"
//   using namespace sql;
//   Expr upper = *make_call("upper", {column(0, Type::kText)}, calculator());
//   auto values = *calculator().values(upper, {{Value::text("a")}, {Value::text("b")}});  // A, B
#pragma once

#include "discreet/sql/calculator.h"

namespace discreet::engine::duckdb {

// One for the whole program; it may be asked from any thread.
const sql::Calculator& calculator();

}  // namespace discreet::engine::duckdb
