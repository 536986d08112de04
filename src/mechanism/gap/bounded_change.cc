#include "discreet/mechanism/gap/bounded_change.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"

namespace discreet::mechanism::gap {

Result<BoundedChange> BoundedChange::create(const BoundedChangeParameters& parameters) {
  auto test = TRY(GapTest::create(parameters.test));
  TRY(check_epsilon(parameters.epsilon));
  TRY(Range::create(parameters.range.low, parameters.range.high));
  TRY(check_unit(parameters.unit));
  if (parameters.bound <= 0) {
    return bad_parameter(
        "bound", "found " + to_decimal(parameters.bound) + "; accepted is a number above 0");
  }
  return BoundedChange(parameters, std::move(test));
}

// P[|f + b·Z − f| > x] = e^(−x/b); rounding moves a whole f's sample only across halves, any other
// by one half at most.
Rational BoundedChange::error(const Rational& beta) const {
  constexpr long kBits = 192;
  const Ball size = mul(Ball(scale(), kBits), -log(Ball(beta, kBits), kBits), kBits);
  const Rational half(1, 2);
  if (p_.statistic.kind() == StatisticKind::kTrimmedMean)
    return Rational(size.ceil_shifted(32), Integer(1) << 32) + half;
  return std::max(Integer(0), sub(size, Ball(half, kBits), kBits).ceil_shifted(0));
}

random::ScaledNoise BoundedChange::distribution(const Ordered& rows) const {
  return {random::NoiseShape::kLaplace, p_.statistic.value(rows),
          [scale = scale()](long bits) { return Ball(scale, bits); }};
}

Result<Released<std::optional<std::int64_t>>> BoundedChange::release(
    const Exact<Ordered>& exact_rows, random::Source& source) const {
  const Ordered& rows = open(exact_rows);
  if (rows.range().low != p_.range.low || rows.range().high != p_.range.high) {
    return bad_parameter("range",
                         "found rows in order by another range; accepted is the range that the "
                         "mechanism was made for");
  }
  const bool passes = TRY(test_.passes(distance(rows), source));
  // Drawn also where it isn't told: the same work.
  const std::int64_t drawn = TRY(distribution(rows).sample(source));
  const Range range = values();
  std::optional<std::int64_t> told;
  if (passes) told = std::clamp(drawn, range.low, range.high);
  return Released<std::optional<std::int64_t>>(told, guarantee());
}

}  // namespace discreet::mechanism::gap
