// How many groups (bins, keys) change with one unit that is in at most so many.
#pragma once

#include <cstdint>
#include <string>

#include "discreet/base/number.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism::gap {

// k where a unit comes or goes, 2k where it is replaced: it leaves k and enters k others. An error
// that names the parameter where it isn't from 1 to 2^40.
Result<Rational> changed_groups(const std::string& parameter, std::int64_t per_unit,
                                privacy::Relation relation);

}  // namespace discreet::mechanism::gap
