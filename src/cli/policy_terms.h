// What the budget commands need of a policy file.
#pragma once

#include <string>

#include "discreet/ledger/ledger.h"

namespace discreet::cli {

Result<ledger::Terms> read_terms(const std::string& policy_path);

}  // namespace discreet::cli
