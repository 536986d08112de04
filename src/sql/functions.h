// The scalar functions that queries may call (enum Function, algebra.h): how they are written, what
// they take, what they give.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"
#include "discreet/sql/calculator.h"

namespace discreet::sql {

// Makes the call, with its type and bounds; refuses unknown functions and wrong arguments with a
// reason. `name` in lower case. The calculator tries literal patterns and formats.
Result<Expr> make_call(const std::string& name, std::vector<Expr> args,
                       const Calculator& calculator);
// For suggestions, and the canonical spelling of each.
const std::vector<std::string>& function_names();
std::string_view name_of(Function function);

// Bounds and public values of a call, from its arguments' (function_ranges.cc).
void know_values(Expr& call);

}  // namespace discreet::sql
