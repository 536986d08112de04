// Values as TOML writes them.
//
//   std::string line = toml_key("ward") + " = " + toml_text("5\" pipe");  // ward = "5\" pipe"
#pragma once

#include <string>
#include <string_view>

#include "discreet/policy/interval.h"
#include "discreet/policy/value.h"

namespace discreet::policy {

std::string toml_text(std::string_view text);
// Bare where it may be, else in quotes.
std::string toml_key(std::string_view name);
// 0.5 and 1e-6 as they are; what TOML has no number for, ln(3) or 1/3, as a text, which policies
// read too.
std::string toml_number(const std::string& written);
// [0, 5000] or ["2022-01-01", "2024-12-31"].
std::string range_text(const Interval& range, Type type);
// One end of it, as a person writes it: 5000, 2022-01-01.
std::string end_text(const Rational& end, Type type);

}  // namespace discreet::policy
