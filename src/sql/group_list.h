// Which groups a SELECT shows, where that is public: as many as its keys' values make, found
// without reading a private row.
#pragma once

#include "discreet/sql/check.h"

namespace discreet::sql {

// Fills the domains of the select's keys, and its groups.
Status list_groups(Select& select, const Tools& tools);

}  // namespace discreet::sql
