// The planted defect: a record ends at the next line break, in quotes or not.
#include "discreet/engine/duckdb/csv.h"

#include <algorithm>

namespace discreet::engine::duckdb {

std::optional<CsvStep> csv_step(const char* p, const char* end, bool last, char, const char*&) {
  const char* line = std::find(p, end, '\n');
  if (line == end && !last) return std::nullopt;
  return CsvStep{line == end ? end : line + 1, true};
}

}  // namespace discreet::engine::duckdb
