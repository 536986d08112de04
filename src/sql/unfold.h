// How large a query becomes where nothing is shared any more: a CTE that is used twice is printed
// twice, and an engine merges SELECTs into one, so that a column used twice is calculated twice. A
// short text can double that twenty times; it is refused before anything unfolds it.
#pragma once

#include "discreet/sql/algebra.h"

namespace discreet::sql {

inline constexpr double kMostUnfolded = 100'000;

// Operations in all expressions as they are printed, a relation being as much as some; or, where
// that is more, in the largest of them where SELECTs are merged; or what an optimiser looks at that
// (as DuckDB's, pushing filters down) looks below each aggregate twice.
double unfolded_size(const Relation& relation);

// An engine's parser has a stack too; each SELECT in a SELECT takes its part.
inline constexpr int kDeepestRelation = 150;
int depth_of(const Relation& relation);

}  // namespace discreet::sql
