// One thing that the footers of Parquet files tell: whether a column is never NULL.
//
//   bool complete = never_null({"visits.parquet"}, "patient_id");
//
// DuckDB's parquet_metadata tells it too, but reads every column's smallest and largest value on
// the way, and fails (or worse) on some; what another column holds must not matter here. A footer
// is Thrift's compact protocol, read here with every length and depth checked: whatever can't be
// followed, or isn't said, is "no".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace discreet::engine::duckdb {

bool never_null(const std::vector<std::string>& files, std::string_view column);

// The same of a footer's bytes.
bool footer_never_null(std::string_view footer, std::string_view column);

}  // namespace discreet::engine::duckdb
