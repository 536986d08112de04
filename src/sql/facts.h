// What holds of an expression in every row of a relation: it is followed down to the rows that it
// is made from, and the conditions that those rows have passed are gathered on the way.
// Of upper(t.w) in `SELECT … FROM (SELECT ward AS w FROM visits WHERE ward <> 'C') t WHERE …` that
// is upper(ward) over visits, where ward <> 'C' and what the outer WHERE says of wards.
//
// All of it follows from the query and the policy alone.
#pragma once

#include <map>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

struct Facts {
  Expr expr;                     // over `relation`
  std::vector<Expr> conditions;  // TRUE in every row there is, each over `relation`; some of them
  RelationPtr relation;   // the lowest that holds all of its columns, or the first public one
  bool may_lack = false;  // an outer join puts NULLs in the place of `relation`'s columns
  // Which side was taken at each join: a relation that a query uses twice is there twice.
  std::vector<std::size_t> path;
};

Facts facts_of(Expr expr, RelationPtr relation);

// The columns an expression is made of, by number.
using Columns = std::map<std::size_t, const Expr*>;
void collect_columns(const Expr& expr, Columns& out);
// The same over rows that hold only these columns, in their order.
Expr renumbered(Expr expr, const Columns& columns);

}  // namespace discreet::sql
