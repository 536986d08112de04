// Builders of relations: each returns the relation with its columns and what is known of its
// owners.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// The places c0, c1, … that a relation's columns are printed at.
std::vector<std::string> places_of(const Relation& relation, const char* prefix = "c");
// What is known of an expression's values, as a column.
Column column_of(const Expr& expr, const Relation& input, std::string name);
// … and of a column's, as an expression.
Expr expr_of(const Relation& relation, std::size_t index);

RelationPtr filtered(RelationPtr input, Expr condition);
RelationPtr projected(RelationPtr input, std::vector<Expr> exprs,
                      const std::vector<std::string>& names);
// A relation of one row beside every row of the left.
RelationPtr beside(RelationPtr left, RelationPtr one);
// The left's rows, each with its one match in a public relation, or with NULLs.
RelationPtr matched(RelationPtr left, RelationPtr right, Expr condition);
// A truth value as 0 or 1.
Expr as_number(Expr truth);
// The value where the condition holds, else NULL: FILTER.
Expr only_where(Expr condition, Expr value);
// Each row once (within its unit).
RelationPtr distinct(RelationPtr input);

}  // namespace discreet::sql
