// The rows of a VALUES list. In the algebra each is a SELECT of literals, and the list their UNION
// ALL; engines take hours to plan thousands of SELECTs and no time for a list.
#pragma once

#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// Each row's literals, where the relation is nothing but a list of them; else none.
std::vector<const std::vector<Expr>*> literal_rows(const Relation& relation);

}  // namespace discreet::sql
