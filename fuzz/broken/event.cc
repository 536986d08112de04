// The planted defect: an event's numbers are told with six digits.
#include <fmt/format.h>

#include "discreet/base/number.h"

namespace discreet {

std::string to_decimal(const Rational& value) { return fmt::format("{:.6g}", value.get_d()); }

}  // namespace discreet
