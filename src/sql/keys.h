// Which values a grouping expression can have, where that is public knowledge.
#pragma once

#include <optional>
#include <vector>

#include "discreet/sql/algebra.h"
#include "discreet/sql/calculator.h"

namespace discreet::sql {

inline constexpr std::size_t kMostPublicGroups = 1'000'000;

// Declared values, literals of a CASE, truth values, and expressions over columns whose values are
// all declared. Nothing where it isn't public. Sorted as declared; computed values ascending.
Result<std::optional<std::vector<Value>>> domain_of(const Expr& expr, const Calculator& calculator);

}  // namespace discreet::sql
