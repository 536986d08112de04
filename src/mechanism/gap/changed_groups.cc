#include "discreet/mechanism/gap/changed_groups.h"

#include <fmt/format.h>

namespace discreet::mechanism::gap {

Result<Rational> changed_groups(const std::string& parameter, std::int64_t per_unit,
                                privacy::Relation relation) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;  // noise of more can't be drawn
  if (per_unit < 1 || per_unit > kMost)
    return bad_parameter(
        parameter, fmt::format("found {}; accepted is a whole number from 1 to 2^40", per_unit));
  const long sides = relation == privacy::Relation::kSubstitute ? 2 : 1;
  return Rational(Integer(static_cast<long>(per_unit)) * sides);
}

}  // namespace discreet::mechanism::gap
