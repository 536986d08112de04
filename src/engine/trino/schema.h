// The columns of a server's table, from its information_schema: no row is read.
#pragma once

#include <vector>

#include "discreet/engine/trino/http.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::trino {

Result<std::vector<policy::StoredColumn>> columns_of(Http& http, const std::string& catalog,
                                                     const policy::TableRule& rule);

}  // namespace discreet::engine::trino
