// Other databases' spellings of what the binder knows under one name.
//
// COUNTIF(x) is COUNT(*) FILTER (WHERE x), DATE_TRUNC(d, MONTH) is date_trunc('month', d),
// SAFE_DIVIDE(a, b) is a / b, DATE_ADD(d, INTERVAL …) is d + INTERVAL …
//
// It works on the tree as it was written, before names are bound: nothing it makes could not have
// been written.
#pragma once

#include "discreet/sql/syntax.h"

namespace discreet::sql {

// Of a call whose arguments are already respelt.
void respell(Term& call);

}  // namespace discreet::sql
