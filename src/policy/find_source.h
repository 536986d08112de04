// From what a policy writes as a table's source to the files that there are.
#pragma once

#include "discreet/policy/place.h"
#include "discreet/policy/source.h"

namespace discreet::policy {

// "visits/*.parquet" or "clinic.duckdb#visits", from that directory on.
Result<Source> source_at(const Place& at, const std::string& written, const std::string& directory);
// format = "lines" or "array" overrules what the file looks like.
Status read_format(const Place& at, const toml::node& node, Source& source);

}  // namespace discreet::policy
