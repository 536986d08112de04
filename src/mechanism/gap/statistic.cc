#include "discreet/mechanism/gap/statistic.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/mechanism/gap/reach.h"
#include "discreet/mechanism/gap/window.h"
#include "discreet/mechanism/grid.h"

namespace discreet::mechanism::gap {
namespace {

const Rational kFirstQuartile(1, 4), kThirdQuartile(3, 4);

Integer integer(std::int64_t value) { return Integer(static_cast<long>(value)); }

// Checked where a Statistic was made.
Quantile quantile_of(const Rational& p) { return *Quantile::create(p); }

std::int64_t quantile(const Ordered& rows, const Rational& p) {
  return rows.at(quantile_of(p).rank(rows.size()));
}

std::int64_t quantile_change(const Ordered& rows, const Rational& p, const Unit& unit,
                             std::int64_t k) {
  // No more rows than there are ranks: nothing changes beyond, and nothing overflows.
  const std::int64_t moved = std::min(k, rows.size()) * unit.rows + unit.rows;
  const std::int64_t window = window_gap(rows, quantile_of(p), moved);
  if (unit.relation == privacy::Relation::kSubstitute) return window;
  return std::min(window, Reach(rows, quantile_of(p)).gap(moved));
}

}  // namespace

Result<Statistic> Statistic::create(StatisticKind kind, const Rational& part) {
  switch (kind) {
    case StatisticKind::kQuantile:
      TRY(Quantile::create(part));
      break;
    case StatisticKind::kInterquartileRange:
      break;
    case StatisticKind::kTrimmedMean:
      if (part < 0 || part >= Rational(1, 2)) {
        return bad_parameter(
            "trim", "found " + to_decimal(part) + "; accepted is a number from 0 to below 1/2");
      }
  }
  return Statistic(kind, part);
}

std::int64_t Statistic::left_out(std::int64_t n) const {
  return floor_of(part_ * integer(n)).get_si();
}

Rational Statistic::value(const Ordered& rows) const {
  switch (kind_) {
    case StatisticKind::kQuantile:
      return integer(quantile(rows, part_));
    case StatisticKind::kInterquartileRange:
      return integer(quantile(rows, kThirdQuartile) - quantile(rows, kFirstQuartile));
    case StatisticKind::kTrimmedMean:
      break;
  }
  const std::int64_t n = rows.size(), m = left_out(n);
  if (n == 0) return integer(rows.range().low);
  Rational out(rows.sum(m + 1, n - m), integer(n - 2 * m));
  out.canonicalize();
  return out;
}

Range Statistic::values_of(const Range& rows) const {
  return kind_ == StatisticKind::kInterquartileRange ? Range{0, rows.width()} : rows;
}

// (x_U − x_L)/⌈(1 − 2t)(n − J + 1)⌉, for each step of a unit.
Rational Statistic::trimmed_change(const Ordered& rows, const Unit& unit, std::int64_t k) const {
  const bool substitute = unit.relation == privacy::Relation::kSubstitute;
  const std::int64_t n = rows.size(), rows_moved = substitute ? 2 * unit.rows : unit.rows;
  const std::int64_t moved = std::min(k, n) * rows_moved + rows_moved - (substitute ? 1 : 0);
  const std::int64_t out = left_out(n + moved);
  const std::int64_t gap = rows.at(n + 1 + moved - out) - rows.at(out - moved);
  const Integer least =
      ceiling((1 - 2 * part_) * integer(std::max<std::int64_t>(n - moved, 0) + 1));
  Rational change(integer(gap) * integer(unit.rows), least);
  change.canonicalize();
  return change;
}

// Nothing changes by more than the width of its own range.
Rational Statistic::change(const Ordered& rows, const Unit& unit, std::int64_t k) const {
  const Rational most = integer(rows.range().width());
  switch (kind_) {
    case StatisticKind::kQuantile:
      return integer(quantile_change(rows, part_, unit, k));
    case StatisticKind::kInterquartileRange:
      return std::min(most, Rational(integer(quantile_change(rows, kFirstQuartile, unit, k)) +
                                     integer(quantile_change(rows, kThirdQuartile, unit, k))));
    case StatisticKind::kTrimmedMean:
      break;
  }
  return std::min(most, trimmed_change(rows, unit, k));
}

std::int64_t Statistic::units_until(const Ordered& rows, const Unit& unit,
                                    const Rational& bound) const {
  // At k = n all rows can have been replaced: T_k is as large as it gets.
  std::int64_t low = -1, high = rows.size();
  if (change(rows, unit, high) <= bound) return kNever;
  while (low + 1 < high) {
    const std::int64_t middle = low + (high - low) / 2;
    (change(rows, unit, middle) > bound ? high : low) = middle;
  }
  return high;
}

}  // namespace discreet::mechanism::gap
