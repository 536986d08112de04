// The noise of a number that has some, on the grid on which it is added up: that of its values, or
// where rows have weights one that is finer by as many bits.
#pragma once

#include "discreet/mechanism/noise.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

// A step of that grid.
double step_of(const Statistic& one);
// So many of them are a step of the values' grid.
Rational finer(const Statistic& one);

Result<mechanism::NoisePointer> noise_of(const Statistic& one);
// For an accountant: of what a unit changes by so much, in steps of the values' grid.
privacy::Event noise_event(const Statistic& one, const Rational& change);

}  // namespace discreet::plan
