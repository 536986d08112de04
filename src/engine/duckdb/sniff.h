// For the owner's `policy init` only: the columns of a file and the types that fit them. Queries
// never sniff.
#pragma once

#include <string>
#include <vector>

#include "discreet/policy/value.h"

namespace discreet::engine::duckdb {

struct SniffedColumn {
  std::string name;
  policy::Type type = policy::Type::kText;
  std::string unreadable;  // why it can't be asked about, and what to do; empty: it can
};

Result<std::vector<SniffedColumn>> sniff(const std::string& file);

}  // namespace discreet::engine::duckdb
