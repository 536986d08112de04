// Checks that every mechanism makes of its public parameters.
#pragma once

#include <string_view>

#include "discreet/base/number.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism {

Status check_epsilon(const Rational& epsilon);          // above 0
Status check_delta(const Rational& delta);              // above 0, below 1
Status check_sensitivity(const Rational& sensitivity);  // above 0
Status check_cells(std::uint64_t cells);                // at least 1

// The scale for noise: where the smallest that can be drawn is larger, that one (more noise than
// asked for); where even the largest isn't enough, an error that says to take a coarser grid.
Result<Rational> drawable_scale(const Rational& scale);

}  // namespace discreet::mechanism
