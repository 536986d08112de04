// Which values a column can have, where the policy or the query says so: declared values, the days
// of a declared range of dates, what a condition compares it with.
#pragma once

#include <optional>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// How finely an expression looks at a column, in microseconds: date_trunc('month', stamp) is the
// same all day long, so midnights stand for all moments. 0: every value may count for itself.
std::int64_t step_of(const Expr& expr, std::size_t column);

struct Candidates {
  std::vector<Value> values;    // NULL only where it was declared (a CASE can give it)
  bool declared = false;        // one by one: by the owner, a VALUES list
  bool stand_for_more = false;  // each for all moments up to the next
};

// Of a column that passes all the conditions. Where a step is given, moments that are its multiples
// stand for those that follow them. Nothing where nobody says, or where there are more than `most`.
std::optional<Candidates> candidates_of(const Expr& column, const std::vector<Expr>& conditions,
                                        std::int64_t step, std::size_t most);

}  // namespace discreet::sql
