// The scales that noise is drawn at: any rational from 2^-20 to 2^40.
#pragma once

#include <string_view>

#include "discreet/base/number.h"

namespace discreet::random {

extern const Rational kSmallestScale;  // 2^-20
extern const Rational kLargestScale;   // 2^40

// An error that names `what` where the scale is out of range.
Status check_scale(std::string_view what, const Rational& scale);

}  // namespace discreet::random
