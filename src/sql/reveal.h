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
//
// Where rows have alternatives, which one they took tells what chose it: the parts of a UNION ALL,
// and the side of an outer join that may be missing. `SELECT 'Ann' AS n FROM visits WHERE name =
// 'Ann' UNION ALL SELECT 'Bob' FROM visits WHERE name = 'Bob'` lists names, so what a part
// calculates is as hidden as what its rows were chosen by. Columns as a table stores them name
// nobody.
//
// What a released aggregate counts is such a condition too, whether it says it with FILTER, CASE or
// NULLIF: `SELECT v.k, COUNT(*) FILTER (WHERE patient_id = v.k) … GROUP BY v.k` lists the same.
#pragma once

#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// Marks the columns of a relation that has a condition: a join, a filter.
void mark_revealed(Relation& relation);

// An expression that was bound before the relation's columns were marked, with their marks.
void see_marks(Expr& expr, const Relation& relation);

// Marks a column whose values tell so much.
void tell(Column& column, const Tells& tells);

// Of each aggregate's argument: what the groups that `keys` name would tell of it, which they don't
// tell by themselves.
std::vector<Tells> told_by_groups(const RelationPtr& rows, const std::vector<Expr>& keys,
                                  const std::vector<const Expr*>& args);

}  // namespace discreet::sql
