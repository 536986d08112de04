// What protocols about numbers share: the grid, and a mean with its error from what was added up.
#pragma once

#include "discreet/local/protocol.h"

namespace discreet::local {

// Every value on the grid 0 … kScale; said without the value, which is private.
Status check_places(std::span<const Value> values);

// Over reports: the sum of what each estimates, as a distance from the middle place 1/2, and the
// sum of the squares.
struct Deviations {
  double sum = 0, squares = 0;
};

// The mean place, and its standard error: from the variance among the reports, which has people's
// own differences in it and so is rather too large. A few reports can be equal by chance, and say
// then that nothing varies: `least` is a variance that one report surely has.
Number mean_place(const Deviations& total, std::uint64_t users, double least);

}  // namespace discreet::local
