// A table's rows with their owners, as a relation.
#pragma once

#include "discreet/policy/catalog.h"
#include "discreet/sql/algebra.h"

namespace discreet::sql {

// For a linked table, joined along its links; rows without an owner are dropped.
RelationPtr rows_of(const Catalog& catalog, const Table& table);

// Whether a unit is told by the same text in both: not where one has it as a number with digits of
// its own and the other as a real, or one as a date and the other as a moment.
bool same_units(const Catalog& catalog, const Relation& a, const Relation& b);

}  // namespace discreet::sql
