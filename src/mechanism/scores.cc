#include "discreet/mechanism/scores.h"

#include "discreet/mechanism/selection.h"

namespace discreet::mechanism {

Scores scores_on_grid(const Grid& grid, const std::vector<Rational>& numbers,
                      const Rational& sensitivity) {
  Scores out{{}, Rational(grid.sensitivity(sensitivity)), grid.step()};
  for (const Rational& number : numbers) out.points.push_back(grid.round(number));
  return out;
}

Result<Scores> scores_as_written(const std::vector<Rational>& numbers,
                                 const Rational& sensitivity) {
  Integer denominator = 1;
  for (const Rational& number : numbers) denominator = lcm(denominator, number.get_den());
  Scores out{{}, sensitivity * denominator, Rational(1, denominator)};
  for (const Rational& number : numbers) {
    const Integer point = number.get_num() * (denominator / number.get_den());
    if (abs(point) > Integer(static_cast<long>(kLargestScore))) {
      return bad_parameter("scores", "written too finely, or too large, to be taken exactly",
                           "round them with --grid, such as --grid 0.001");
    }
    out.points.push_back(point.get_si());
  }
  return out;
}

}  // namespace discreet::mechanism
