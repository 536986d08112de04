// Spending over time, as a picture.
#pragma once

#include <string>
#include <vector>

#include "discreet/ledger/ledger.h"

namespace discreet::cli {

// Writes an SVG: what each account has been charged since the ledger began (ε by basic
// composition), and the budget.
Status plot_spending(const std::vector<ledger::Entry>& history, const ledger::Balances& balances,
                     const std::string& path);

}  // namespace discreet::cli
