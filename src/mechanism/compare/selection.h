// How likely a group is to be shown, by the number of its units: the three strategies of
// gap/group_selection.h, and what is left of the best one where half of the budget is kept for the
// counts, which a truncated histogram shows for nothing.
//
//   auto picture = *compare_selection({.epsilon = 1, .delta = Rational(1, 1000000)});
//   double optimal = picture.lines[0].y[9];  // a group of 10 units
#pragma once

#include "discreet/base/number.h"
#include "discreet/mechanism/compare/comparison.h"

namespace discreet::mechanism::compare {

struct SelectionCase {
  Rational epsilon, delta;
  std::int64_t groups_per_unit = 1;
};
Result<Comparison> compare_selection(const SelectionCase& given);

}  // namespace discreet::mechanism::compare
