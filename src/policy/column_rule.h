// What a policy says about a column: columns.cost = { range = [0, 5000] }.
#pragma once

#include "discreet/policy/place.h"
#include "discreet/policy/policy.h"

namespace discreet::policy {

Result<ColumnRule> column_at(const Place& at, const toml::node& node);

}  // namespace discreet::policy
