#include "discreet/mechanism/scores.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/selection.h"

namespace discreet::mechanism {
namespace {

const Integer kMostSteps = Integer(1) << 40;  // of a sensitivity
constexpr int kMostDecimals = 6;

}  // namespace

Scores scores_on_grid(const Grid& grid, const std::vector<Rational>& numbers,
                      const Rational& sensitivity) {
  Scores out{{}, Rational(grid.sensitivity(sensitivity)), grid.step()};
  for (const Rational& number : numbers) out.points.push_back(grid.round(number));
  return out;
}

Result<Grid> finest_grid(const Rational& sensitivity) {
  // Δ = a/b is a·10^j steps of 1/(b·10^j).
  Integer steps = sensitivity.get_num(), parts = sensitivity.get_den();
  if (steps > kMostSteps || parts > kMostSteps)
    return bad_parameter("sensitivity", "too large or too fine to choose a grid for it",
                         "give " + named("grid") + ", a step that scores are rounded to");
  for (int j = 0; j < kMostDecimals && steps * 10 <= kMostSteps; ++j) steps *= 10, parts *= 10;
  return Grid::create(Rational(1, parts));
}

Result<Scores> scores_as_written(const std::vector<Rational>& numbers,
                                 const Rational& sensitivity) {
  const Grid finest = TRY(finest_grid(sensitivity));
  std::vector<Rational> rounded;
  rounded.reserve(numbers.size());
  Integer denominator = 1;
  for (const Rational& number : numbers) {
    rounded.push_back(finest.at(clamped_score(finest.round(number))));
    denominator = lcm(denominator, rounded.back().get_den());
  }
  Scores out{{}, sensitivity * denominator, Rational(1, denominator)};
  out.points.reserve(rounded.size());
  for (const Rational& number : rounded)
    out.points.push_back(Integer(number.get_num() * (denominator / number.get_den())).get_si());
  return out;
}

}  // namespace discreet::mechanism
