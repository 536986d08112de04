// A link that the query itself follows is followed once.
//
// A linked table's rows come joined with their owners (rows_of). In
//     FROM orders JOIN lineitem ON l_orderkey = o_orderkey
// that would read orders twice: the joined row's owner is the order's, whatever else owns the line
// item. So where an inner join equates a link's column with its target, the table's bare rows do.
//
// Why it is the same: the owners of a row l are the distinct units of the target's rows with l's
// link value. Of those, joining on the unit keeps the one that owns the row t it is joined with;
// and t is one of those rows. So each pair (l, t) stays once, and its unit is t's.
#pragma once

#include "discreet/sql/algebra.h"

namespace discreet::sql {

RelationPtr follow_links_once(const RelationPtr& relation);

}  // namespace discreet::sql
