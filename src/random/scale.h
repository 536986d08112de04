// The scales that noise is drawn at: any rational from 2^-20 to 2^40.
#pragma once

#include <string_view>

#include "discreet/base/number.h"

namespace discreet::random {

extern const Rational kSmallestScale;  // 2^-20
extern const Rational kLargestScale;   // 2^40

// The scale in lowest terms, or an error that names `what` where it is out of range.
Result<Rational> checked_scale(std::string_view what, Rational scale);

}  // namespace discreet::random
