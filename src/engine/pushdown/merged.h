// How large expressions become where an engine merges SELECTs into one: PostgreSQL puts the
// expression of a column wherever the column stands in the SELECT around it. A square root is
// printed with its argument four times, so that `SELECT sqrt(a) AS a FROM (SELECT sqrt(a) AS a …`
// would be four times as large at every level.
//
//   double once = merged_size("(c0 + 1)", {100});             // 8 characters, and c0's 100
//   double twice = merged_size("(l.c0 * r.c0)", {100}, {7});  // the columns of a join's two sides
//
// What is counted is the text as it was printed, so that it is what the engine will see: the places
// of the columns c0, c1, … in it, but not those inside of quotes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "discreet/base/error.h"

namespace discreet::engine::pushdown {

// The characters of a printed expression, with those of its columns in their places; a SELECT in it
// is as much as a thousand.
double merged_size(std::string_view text, const std::vector<double>& columns,
                   const std::vector<double>& right = {});
// How often a column of this name stands in it.
double places_in(std::string_view text, std::string_view column);

// A SELECT that becomes larger than this is kept apart (Dialect::kept_apart); what is larger in
// spite of that, all in all, is refused: no server has to plan it.
inline constexpr double kLargestMerged = 2'000;
inline constexpr double kMostMerged = 500'000;
Status check_merged(double size);

}  // namespace discreet::engine::pushdown
