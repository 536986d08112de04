// Scores that were written as numbers, as the integers that a choice is made by.
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/mechanism/grid.h"

namespace discreet::mechanism {

struct Scores {
  std::vector<std::int64_t> points;
  Rational sensitivity;  // in steps
  Rational step;
};

// Rounded to the grid, which may push neighbours apart.
Scores scores_on_grid(const Grid& grid, const std::vector<Rational>& numbers,
                      const Rational& sensitivity);
// In steps so fine that nothing is rounded. An error where that takes more than 62 bits.
Result<Scores> scores_as_written(const std::vector<Rational>& numbers, const Rational& sensitivity);

}  // namespace discreet::mechanism
