// A released answer as a Parquet file; intervals as columns NAME_lower and NAME_upper.
#pragma once

#include <string>

#include "discreet/plan/release.h"

namespace discreet::engine::duckdb {

Status write_parquet(const plan::Answer& answer, const std::string& file);

}  // namespace discreet::engine::duckdb
