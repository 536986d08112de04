// A table's rows with their owners, as a relation.
#pragma once

#include "discreet/policy/catalog.h"
#include "discreet/sql/algebra.h"

namespace discreet::sql {

// For a linked table, joined along its links; rows without an owner are dropped.
RelationPtr rows_of(const Catalog& catalog, const Table& table);

}  // namespace discreet::sql
