#include "discreet/random/scale.h"

#include <fmt/format.h>

namespace discreet::random {

const Rational kSmallestScale(1, 1 << 20);
const Rational kLargestScale(std::int64_t{1} << 40);

Status check_scale(std::string_view what, const Rational& scale) {
  if (scale >= kSmallestScale && scale <= kLargestScale) return {};
  return fail(
      Code::kUsage,
      fmt::format("{}: found {}; accepted is a number from 2^-20 (about 1e-6) to 2^40 (about 1e12)",
                  what, to_decimal(scale)));
}

}  // namespace discreet::random
