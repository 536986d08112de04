// Who is protected, as gap-based mechanisms need it: what one unit may change in the rows.
#pragma once

#include <cstdint>

#include "discreet/base/error.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism::gap {

struct Unit {
  std::int64_t rows = 1;  // a unit has so many at most: R
  // Add-remove: up to R rows come, or up to R rows go. Substitute: both at once.
  privacy::Relation relation = privacy::Relation::kAddRemove;
};

inline constexpr std::int64_t kMostRowsOfUnit = std::int64_t{1} << 31;
Status check_unit(const Unit& unit);  // at least one row

}  // namespace discreet::mechanism::gap
