// An amount of privacy as JSON, for the files of this room.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "discreet/ledger/ledger.h"

namespace discreet::render {

// {"epsilon":…,"delta":…} and, where there is one, "rho".
nlohmann::ordered_json amount_json(const ledger::Amount& amount, Rounding rounding);

}  // namespace discreet::render
