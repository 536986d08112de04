// DuckDB's parse tree (json_serialize_sql's) as a Query: the one place that knows how DuckDB says
// things, and the one place that refuses what isn't understood.
//
// It fails closed. Every kind of node is on a list (known_syntax.h) with every field that such a
// node may have. Any other kind, any other field and any other value is refused, with the place in
// the user's text: what isn't understood isn't ignored.
#pragma once

#include <string>

#include "discreet/sql/syntax.h"

namespace discreet::sql {

// `serialized` is DuckDB's JSON for `text` (for positions, the same length as what was parsed).
Result<Query> read_syntax(const std::string& serialized, const std::string& text);

}  // namespace discreet::sql
