// The planted defect: numbers of six digits.
#include <fmt/format.h>

#include <cmath>

#include "discreet/policy/value.h"

namespace discreet::policy {

std::string json_number(double value) {
  return std::isfinite(value) ? fmt::format("{:.6g}", value) : value > 0 ? "\"inf\"" : "\"-inf\"";
}

}  // namespace discreet::policy
