// A released answer as a Parquet file; intervals as columns NAME_lower and NAME_upper.
#pragma once

#include <string>

#include "discreet/sql/release.h"

namespace discreet::engine {

Status write_parquet(const sql::Answer& answer, const std::string& file);

}  // namespace discreet::engine
