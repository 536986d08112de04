// The least integer at which an increasing real function is not below 0.
#pragma once

#include <functional>

#include "discreet/base/ball.h"

namespace discreet::mechanism {

// The least m ≥ 0 with f(m) ≥ 0, for f that increases in m and ends up above 0. f(m, bits) encloses
// f's value. A value that can't be told from 0 at kMostBits counts as below: the answer then is on
// the safe side (too large by one).
Integer least(const std::function<Ball(const Integer& m, long bits)>& f);

// Whether f ≥ 0, asked at growing precision.
bool surely_not_negative(const Real& f);

}  // namespace discreet::mechanism
