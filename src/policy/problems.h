// A policy and everything that is wrong with it: Policy::read stops at the first.
#pragma once

#include <string>
#include <vector>

#include "discreet/policy/policy.h"

namespace discreet::policy {

// The tables that can be read; what can't be is told in `problems`, in the order of the file's
// tables.
Policy read_with_problems(const std::string& path, std::vector<Error>& problems);

}  // namespace discreet::policy
