// Private numbers in a public range, on a public grid: what the entries of smooth quantiles and of
// propose-test-release share.
//
//   const Values values = *Values::create({0, 100}, Rational(1));
//   const Ordered rows = values.ordered({41, Rational(77, 2), 250});  // 41, 39, 100
//   Rational told = values.number(rows.at(2));                       // 41
#pragma once

#include <optional>

#include "discreet/mechanism/gap/ordered.h"
#include "discreet/mechanism/gap/unit.h"
#include "discreet/mechanism/grid.h"
#include "discreet/mechanism/mechanism.h"
#include "discreet/mechanism/parameter.h"

namespace discreet::mechanism::gap {

inline constexpr Parameter kValuesRange{
    .name = "range",
    .kind = ParameterKind::kRange,
    .help = "the public range of values; those outside count as its ends",
    .required = true,
    .example = "0,100"};
inline constexpr Parameter kValuesGrid{
    .name = "grid",
    .kind = ParameterKind::kPositive,
    .help = "the public grid's step",
    .fallback =
        "1 for whole numbers that are 2^16 apart or more, else a power of two that divides "
        "the range into at most 2^16"};
inline constexpr Parameter kRowsPerUnit{.name = "rows-per-unit",
                                        .kind = ParameterKind::kWhole,
                                        .help = "a person has at most so many of the values",
                                        .fallback = "1",
                                        .most = kMostRowsOfUnit};

// What those parameters and the relation say of units.
Unit unit_of(const Parameters& parameters);

class Values {
 public:
  // Without a step: 1 for a range of whole numbers that is 2^16 wide or more, else the least power
  // of two that the range has at most 2^16 of. Bounds on errors are those of the noise: rounding,
  // by half a step, isn't in them, and is to be small beside any answer that is of use.
  static Result<Values> create(const Limits& limits, const std::optional<Rational>& step);

  const Grid& grid() const { return grid_; }
  const Range& range() const { return range_; }
  Ordered ordered(const Numbers& numbers) const;
  Rational number(std::int64_t point) const { return grid_.at(point); }

  // The points of a range to list, around one of them where they are too many.
  Result<Range> listed(const Range& outputs, std::int64_t around, const Window& window) const;

  // A unit's rows come at either end or at a value that is there, go from below, above or the
  // middle, or change from one end to the other.
  std::vector<Value> neighbours(const Numbers& numbers, const Unit& unit) const;

 private:
  Values(Grid grid, const Range& range) : grid_(std::move(grid)), range_(range) {}
  Grid grid_;
  Range range_;
};

}  // namespace discreet::mechanism::gap
