#include "discreet/mechanism/gap/unit.h"

#include <fmt/format.h>

namespace discreet::mechanism::gap {

Status check_unit(const Unit& unit) {
  if (unit.rows < 1 || unit.rows > kMostRowsOfUnit) {
    return bad_parameter("rows-per-unit",
                         fmt::format("found {}; accepted is a whole number from 1 to {}", unit.rows,
                                     kMostRowsOfUnit));
  }
  return {};
}

}  // namespace discreet::mechanism::gap
