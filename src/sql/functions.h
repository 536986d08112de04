// The scalar functions that queries may call: a closed list, each of them total, deterministic and
// blind to files.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// Makes the call, with its type and bounds; refuses unknown functions and wrong arguments with a
// reason. `name` in lower case.
Result<Expr> make_call(const std::string& name, std::vector<Expr> args);
// Its SQL, guards included.
std::string print_call(const std::string& name, const std::vector<std::string>& args,
                       const Expr& expr);
// For suggestions.
const std::vector<std::string>& function_names();

}  // namespace discreet::sql
