// The planted defect: numbers of six digits.
#include <fmt/format.h>

#include <cmath>

#include "discreet/sql/value.h"

namespace discreet::sql {

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : value > 0 ? "\"inf\"" : "\"-inf\"";
}

}  // namespace discreet::sql
