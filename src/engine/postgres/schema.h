// The columns of a server's tables, from its catalogue: no row is read.
//
// A table must be one: a view, or a foreign table of another kind than postgres_fdw, can hold any
// expression, and some row could make it fail. The same goes for policies of rows.
#pragma once

#include <vector>

#include "discreet/engine/postgres/connection.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::postgres {

Result<std::vector<policy::StoredColumn>> columns_of(Connection& connection,
                                                     const policy::TableRule& rule);

// Within a transaction: the tables that a relation reads are still what the catalogue says, and
// stay so until its end. (A column that has become a text since would be cast, and which of its
// texts are no numbers would show.)
bool unchanged(Connection& connection, const sql::Relation& relation,
               const policy::Catalog& catalog);

}  // namespace discreet::engine::postgres
