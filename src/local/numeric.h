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

// The mean place, and its standard error where a report's noise has this variance: √(variance/n).
// The variance is that of a report given its number, on average over those who reported; that of
// the reports among each other has people's differences in it, which the mean of these very people
// doesn't owe to chance.
Number mean_place(const Deviations& total, std::uint64_t users, double variance);

}  // namespace discreet::local
