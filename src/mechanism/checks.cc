#include "discreet/mechanism/checks.h"

#include <fmt/format.h>

#include "discreet/random/scale.h"

namespace discreet::mechanism {
namespace {

Status refuse(std::string_view what, const std::string& found, std::string_view accepted) {
  return bad_parameter(std::string(what), fmt::format("found {}; accepted is {}", found, accepted));
}

}  // namespace

Status check_epsilon(const Rational& epsilon) {
  if (sgn(epsilon) > 0) return {};
  return refuse("epsilon", to_decimal(epsilon), "a number above 0");
}

Status check_delta(const Rational& delta) {
  if (sgn(delta) > 0 && delta < 1) return {};
  return refuse("delta", to_decimal(delta), "a number above 0 and below 1, such as 1e-6");
}

Status check_sensitivity(const Rational& sensitivity) {
  if (sgn(sensitivity) > 0) return {};
  return refuse("sensitivity", to_decimal(sensitivity), "a number above 0");
}

Status check_cells(std::uint64_t cells) {
  if (cells > 0) return {};
  return refuse("cells", "0", "1 or more");
}

Result<Rational> drawable_scale(const Rational& scale) {
  if (scale > random::kLargestScale) {
    return fail(
        Code::kUsage,
        fmt::format(
            "noise: found a scale of {} steps of the grid; accepted is up to 2^40 (about 1e12)",
            to_text(to_double(scale, Rounding::kUp))),
        "take a coarser grid");
  }
  return scale < random::kSmallestScale ? random::kSmallestScale : scale;
}

}  // namespace discreet::mechanism
