// The planted defect: a day more at midnight.
#include "discreet/policy/value.h"

namespace discreet::policy {

std::optional<Value> Value::timestamp_of(std::string_view text) {
  const auto day = date_of(text.substr(0, 10));
  return day ? std::optional(timestamp((day->whole + 1) * 86'400'000'000)) : std::nullopt;
}

}  // namespace discreet::policy
