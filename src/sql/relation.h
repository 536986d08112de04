// Builders of relations: each returns the relation with its columns and what is known of its
// owners.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// The places c0, c1, … that a relation's columns are printed at.
std::vector<std::string> places_of(const Relation& relation);
// What is known of an expression's values, as a column.
Column column_of(const Expr& expr, const Relation& input, std::string name);
// … and of a column's, as an expression.
Expr expr_of(const Relation& relation, std::size_t index);

RelationPtr filtered(RelationPtr input, Expr condition);
RelationPtr projected(RelationPtr input, std::vector<Expr> exprs,
                      const std::vector<std::string>& names);
// Each row once (within its unit).
RelationPtr distinct(RelationPtr input);

}  // namespace discreet::sql
