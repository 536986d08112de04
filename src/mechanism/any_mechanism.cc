#include "discreet/mechanism/any_mechanism.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace discreet::mechanism {

std::string json_number(const Rational& value) {
  std::string text = to_decimal(value);
  if (text.find('/') == std::string::npos) return text;
  const double low = to_double(value, Rounding::kDown), high = to_double(value, Rounding::kUp);
  return json_number(value - Rational(low) <= Rational(high) - value ? low : high);
}

std::string json_number(double value) {
  return std::isfinite(value) ? to_text(value) : json_string(to_text(value));
}

std::string json_string(std::string_view text) {
  return nlohmann::json(std::string(text))
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace discreet::mechanism
