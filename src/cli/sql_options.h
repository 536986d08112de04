// What `discreet sql` was told beside the query, and what its prompt can change on the way.
#pragma once

#include <string>

#include "discreet/cli/query.h"

namespace discreet::cli {

struct SqlOptions {
  QueryOptions query;
  std::string format = "table", output, plot, timeout;
  bool json = false, nonnegative = false, reuse = false, or_ask = false, stale = false;

  // Is it a format, and has it the file that it needs?
  Status check_format() const;
};

}  // namespace discreet::cli
