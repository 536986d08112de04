// The columns of a server's table, from its information_schema: no row is read.
#pragma once

#include <vector>

#include "discreet/engine/engine.h"
#include "discreet/engine/trino/http.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::trino {

Result<std::vector<policy::StoredColumn>> columns_of(Http& http, const std::string& catalog,
                                                     const policy::TableRule& rule,
                                                     const Watch& watch);

}  // namespace discreet::engine::trino
