// Which values a grouping expression can have, where that is public knowledge.
#pragma once

#include <optional>
#include <vector>

#include "discreet/sql/calculator.h"
#include "discreet/sql/facts.h"

namespace discreet::sql {

inline constexpr std::size_t kMostPublicGroups = 1'000'000;

struct KeyValues {
  std::vector<Value> values;
  // By the days of a range, or what a condition compares it with: nobody has declared the values
  // one by one.
  bool derived = false;
};

// Declared values, literals of a CASE, truth values, days of a range, and expressions over columns
// whose values are all known; without those that a condition of the query excludes. Nothing where
// it isn't public. Sorted as declared; computed values ascending.
Result<std::optional<KeyValues>> values_of(const Facts& key, const Calculator& calculator);

}  // namespace discreet::sql
