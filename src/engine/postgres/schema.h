// The columns of a server's tables, from its catalogue: no row is read.
//
// A table must be one: a view can hold any expression, and some row could make it fail. The same
// goes for policies of rows, and for columns that are calculated when they are read. What types a
// foreign table has is only said: the other server's texts are parsed row by row. It takes the
// owner's word (TableRule::foreign_trusted), and postgres_fdw.
#pragma once

#include <vector>

#include "discreet/engine/postgres/connection.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine::postgres {

Result<std::vector<policy::StoredColumn>> columns_of(Connection& connection,
                                                     const policy::TableRule& rule);

// What columns of enums can have, for warnings.
void add_labels(Connection& connection, const policy::TableRule& rule,
                std::vector<policy::StoredColumn>& columns);

// A column, from what the catalogue says: its name, its type's number and kind, modifier and name,
// whether it is generated and whether a function casts it to text, its collation if that takes
// different texts for equal, and the statement that gives it another.
policy::StoredColumn column_of(const std::vector<std::string>& said);

// Within a transaction: the tables that a relation reads are still what the catalogue says, and
// stay so until its end. (A column that has become a text since would be cast, and which of its
// texts are no numbers would show.)
bool unchanged(Connection& connection, const sql::Relation& relation,
               const policy::Catalog& catalog);

}  // namespace discreet::engine::postgres
