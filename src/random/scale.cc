#include "discreet/random/scale.h"

#include <fmt/format.h>

namespace discreet::random {

const Rational kSmallestScale(1, 1 << 20);
const Rational kLargestScale(std::int64_t{1} << 40);

Result<Rational> checked_scale(std::string_view what, Rational scale) {
  if (sgn(scale.get_den()) != 0) scale.canonicalize();
  if (scale >= kSmallestScale && scale <= kLargestScale) return scale;
  return fail(
      Code::kUsage,
      fmt::format("{}: found {}; accepted is a number from 2^-20 (about 1e-6) to 2^40 (about 1e12)",
                  what, to_decimal(scale)));
}

}  // namespace discreet::random
