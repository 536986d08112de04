// Budgets and their history, as JSON and as tables with bars.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/ledger/ledger.h"

namespace discreet::render {

// Who looks, and what their caps leave them.
struct Looking {
  std::string analyst = {};
  std::optional<ledger::Amount> left = {};  // none: no cap binds them
};
std::string json(const ledger::Balances& balances, const Looking& looking = {});
std::string table(const ledger::Balances& balances, const Looking& looking = {});

// "left: ε 0.7, δ 1e-06 of ε 1, δ 1e-06   left for ana: ε 0.2, δ 0"
std::string balance_line(const ledger::Balances& balances, const Looking& looking);

std::string json(const std::vector<ledger::Entry>& history);
std::string table(const std::vector<ledger::Entry>& history);

// What each account has been charged since the ledger began (ε by basic composition), and the
// budget, as an SVG.
std::string plot(const std::vector<ledger::Entry>& history, const ledger::Balances& balances);

}  // namespace discreet::render
