// For the owner's `policy init` only: the columns of a file and the types that fit them. Queries
// never sniff.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "discreet/sql/value.h"

namespace discreet::engine {

Result<std::vector<std::pair<std::string, sql::Type>>> sniff(const std::string& file);

}  // namespace discreet::engine
