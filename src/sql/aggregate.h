// One aggregate of a question, from how it was written.
#pragma once

#include "discreet/sql/bind.h"
#include "discreet/sql/check.h"

namespace discreet::sql {

// Reads a call of an aggregate over a scope's rows; refuses what is not understood, what has no
// bounds, and what would tell a key or a hidden column.
Result<Aggregate> read_aggregate(const Context& at, const Catalog& catalog, const Term& term,
                                 const Scope& scope);

// The type of what it gives.
Type value_type(const Aggregate& aggregate);

// A literal number, perhaps negative.
Result<Rational> literal_number(const Context& at, const Term& term);

}  // namespace discreet::sql
