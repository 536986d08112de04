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
// A public grid that has the sensitivity as a whole number of steps, so that rounding to it pushes
// no neighbours apart: x and x + Δ are rounded alike. It has whole numbers, and decimals of six
// digits (fewer beside a large sensitivity). An error that depends on the sensitivity alone.
Result<Grid> finest_grid(const Rational& sensitivity);
// Rounded to that grid, and in its range, ±2^62 steps; then in steps no finer than these scores
// need: a choice depends on scores over sensitivity, whatever the steps are. Every list of scores
// is taken.
Result<Scores> scores_as_written(const std::vector<Rational>& numbers, const Rational& sensitivity);

}  // namespace discreet::mechanism
