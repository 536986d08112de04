// Rows in the unit ball, exactly: what the sensitivities of regression, PCA and ERM rest on.
//
//   const Examples examples{.shape = {.width = 2}, .count = 1, .x = {1, 2}};
//   BallRows rows = in_ball(examples, {.radius = 3, .intercept = true});
//   std::span<const std::int16_t> first = rows.row(0);  // whole numbers q; the row is q / 2^14
//
// A row x is cut to norm `radius` (which is public), gets a 1 behind it where there is an
// intercept, and is divided by √(radius² + 1) (by the radius without one). What that gives in
// floating point is rounded to multiples of 2^-14, and then Σ q² ≤ 2^28 is seen to in whole
// numbers: where it doesn't hold, every q is made smaller, towards 0. So ‖row‖ ≤ 1 holds without
// any argument about floating point, and sums of products of rows are exact. A row with a number
// that isn't finite is 0 everywhere. Nothing of it depends on other rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/learn/examples.h"

namespace discreet::learn {

struct BallOptions {
  double radius = 1;       // above 0
  bool intercept = false;  // a last number that is the same in every row
};

struct BallRows {
  static constexpr int kBits = 14;
  static constexpr std::int64_t kOne = std::int64_t{1} << kBits;

  std::size_t count = 0, width = 0;
  std::vector<std::int16_t> values;  // count × width

  std::span<const std::int16_t> row(std::size_t i) const {
    return std::span(values).subspan(i * width, width);
  }
};

BallRows in_ball(const Examples& examples, const BallOptions& options);

// What a linear function of rows in the ball is of the examples themselves, for rows that weren't
// cut: `weights` of a ball row become those of x, with the intercept last.
std::vector<double> of_examples(std::span<const double> weights, const BallOptions& options);

}  // namespace discreet::learn
