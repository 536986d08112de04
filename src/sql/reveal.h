// What a condition lets a public row tell. A public table (or a VALUES list) joined on the unit key
// or on a hidden column, by = or by any other comparison, has the private value in all of its
// columns: showing one of them would show it, as in
// `SELECT v.k, COUNT(*) FROM visits JOIN (VALUES (1), (2)) v(k) ON patient_id = v.k GROUP BY v.k`.
//
// So each part of a condition (what stands between ANDs) that speaks of the key or of a hidden
// column makes every column of the public relations that it also speaks of a key or hidden too.
// Conditions on such columns pass it on in their turn, as do conditions between public relations.
// And where such a condition chose the public rows beside a private one, how many there are tells
// the value too: what an inner aggregate makes of them is hidden.
#pragma once

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// Marks the columns of a relation that has a condition: a join, a filter.
void mark_revealed(Relation& relation);

}  // namespace discreet::sql
