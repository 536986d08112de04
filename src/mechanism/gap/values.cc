#include "discreet/mechanism/gap/values.h"

#include <algorithm>
#include <set>

#include "discreet/base/try.h"

namespace discreet::mechanism::gap {
namespace {

Rational suited_step(const Limits& limits) {
  constexpr long kSteps = 1 << 16;
  const Rational width = limits.high - limits.low;
  if (width >= kSteps && limits.low.get_den() == 1 && limits.high.get_den() == 1) return 1;
  Rational step = 1;
  while (step * kSteps < width) step *= 2;
  while (step * kSteps >= width * 2) step /= 2;
  return step;
}

// Those of a sorted list but for `count` from `first` on.
Numbers without(const Numbers& sorted, std::size_t first, std::size_t count) {
  Numbers out;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    if (i < first || i >= first + count) out.push_back(sorted[i]);
  return out;
}

}  // namespace

Unit unit_of(const Parameters& parameters) {
  return {parameters.whole(kRowsPerUnit.name).value_or(1), parameters.relation()};
}

Result<Values> Values::create(const Limits& limits, const std::optional<Rational>& step) {
  Grid grid = TRY(Grid::create(step.value_or(suited_step(limits))));
  const Integer low = ceiling(limits.low / grid.step()), high = floor_of(limits.high / grid.step());
  const Integer most(static_cast<long>(kMostPoint));
  const bool too_far = abs(low) > most || abs(high) > most;
  if (too_far && !step) {
    return bad_parameter("range",
                         "found an end too far from 0: accepted are ends less than 2^62 steps of " +
                             to_decimal(grid.step()) + " from it",
                         "or take a coarser " + named("grid"));
  }
  if (low >= high || too_far) {
    return bad_parameter("grid", "found " + to_decimal(grid.step()) +
                                     "; accepted is a step of which the range has "
                                     "at least one and at most 2^62 on either side of 0");
  }
  const Range range = TRY(Range::create(low.get_si(), high.get_si()));
  return Values(std::move(grid), range);
}

Ordered Values::ordered(const Numbers& numbers) const {
  std::vector<std::int64_t> points;
  points.reserve(numbers.size());
  for (const Rational& number : numbers) points.push_back(grid_.round(number));
  return Ordered::of(std::move(points), range_);
}

Result<Range> Values::listed(const Range& outputs, std::int64_t around,
                             const Window& window) const {
  constexpr auto kMost = static_cast<std::int64_t>(kMostRows);
  if (!window.from && !window.to) {
    if (outputs.width() < kMost) return outputs;
    return Range{std::max(outputs.low, around - kMost / 2 + 1),
                 std::min(outputs.high, around + kMost / 2)};
  }
  if (!window.from || !window.to || *window.from > *window.to) {
    return bad_parameter("from", "accepted is " + named("from") + " with " + named("to") +
                                     ", the first no larger than the second");
  }
  const Range out{std::max(outputs.low, grid_.round(*window.from)),
                  std::min(outputs.high, grid_.round(*window.to))};
  if (out.low > out.high || out.width() >= kMost) {
    return bad_parameter("from", "accepted is a window that holds outputs, at most 100000 of them");
  }
  return out;
}

std::vector<Value> Values::neighbours(const Numbers& numbers, const Unit& unit) const {
  Numbers sorted = numbers;
  std::sort(sorted.begin(), sorted.end());
  const auto rows = static_cast<std::size_t>(
      std::min<std::int64_t>(unit.rows, static_cast<std::int64_t>(sorted.size()) + 1));
  const std::size_t fewer = std::min(rows, sorted.size()), rest = sorted.size() - fewer;
  const Rational low = number(range_.low), high = number(range_.high);
  std::set<Rational> places{low, high};
  if (!sorted.empty()) places.insert({sorted.front(), sorted[sorted.size() / 2], sorted.back()});
  const auto with = [&](Numbers base, const Rational& place) {
    base.insert(base.end(), rows, place);
    return base;
  };
  std::vector<Value> out;
  for (const Rational& place : places) out.emplace_back(with(sorted, place));
  if (fewer == 0) return out;
  for (const std::size_t first : std::set<std::size_t>{0, rest / 2, (rest + 1) / 2, rest}) {
    const Numbers left = without(sorted, first, fewer);
    out.emplace_back(left);
    if (unit.relation == privacy::Relation::kSubstitute)
      for (const Rational& place : {low, high}) out.emplace_back(with(left, place));
  }
  return out;
}

}  // namespace discreet::mechanism::gap
