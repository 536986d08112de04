// Finds SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…) in a query, knowing strings, quoted names and
// comments.
#pragma once

#include <string>

#include "discreet/sql/parse.h"

namespace discreet::sql {

// Reads the clause into `options` and overwrites it with spaces. No clause: `text` stays as it is.
Status lift_clause(std::string& text, Options& options);

}  // namespace discreet::sql
