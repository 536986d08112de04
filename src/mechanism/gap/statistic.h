// Statistics of rows in order, and how much one unit can change them k units away: what
// propose-test-release (ptr.h) tests before it adds noise.
//
//   const Statistic iqr = *Statistic::create(StatisticKind::kInterquartileRange);
//   const Ordered rows = Ordered::of({3, 99, 7, 7, 20}, *Range::create(0, 100));
//   Rational between_quartiles = iqr.value(rows);         // 20 − 7
//   Rational change = iqr.change(rows, Unit{}, 0);        // T_0: by one unit, here
//   std::int64_t d = iqr.units_until(rows, Unit{}, 40);   // T_d > 40, and no smaller d
//
// What is proved. T_0 bounds the change and T_k(x) ≤ T_k+1(x') for neighbours; so "the least k with
// T_k > b" is above 0 only where the change is at most b, and is one apart for neighbours.
// Quantiles: window.h, reach.h. Quartiles: the sum of both. The trimmed mean of n rows leaves out m
// = ⌊t·n⌋ at either side; K = n − 2m ≥ (1 − 2t)·n are left. A row more puts some z between x_m and
// x_n+1−m into them, and if m grows takes the least and the greatest out: the mean changes by at
// most (x_n+1−m − x_m)/K', K' of the larger set, and so it does if z becomes another. The smaller
// set has a rows of x less and c more, a + c ≤ J: its x_m is at least x_L, L = m(n+J) − J, and its
// x_n+1−m at most x_U, U = n + 1 + J − m(n+J), for ⌊tn − (1−t)c − ta⌋ is least at c = J; K' is at
// least (1 − 2t)(n − J + 1). A unit makes R such steps, with J = (k+1)·R; to substitute it also
// makes R (a row goes as one comes), with J = (k+1)·2R − 1.
#pragma once

#include "discreet/mechanism/gap/ordered.h"
#include "discreet/mechanism/gap/unit.h"

namespace discreet::mechanism::gap {

enum class StatisticKind { kQuantile, kInterquartileRange, kTrimmedMean };

class Statistic {
 public:
  // `part` is the quantile (from 0 to 1), or what is left out at either side (from 0 to below 1/2);
  // the interquartile range has none.
  static Result<Statistic> create(StatisticKind kind, const Rational& part = 0);

  StatisticKind kind() const { return kind_; }
  Rational value(const Ordered& rows) const;
  // Where its values are, for rows in this range.
  Range values_of(const Range& rows) const;

  // T_k: non-decreasing in k.
  Rational change(const Ordered& rows, const Unit& unit, std::int64_t k) const;
  // The least k with T_k > bound; kNever where there is none. Whether there is one is public: it
  // depends on the range, the unit and the bound.
  std::int64_t units_until(const Ordered& rows, const Unit& unit, const Rational& bound) const;

 private:
  Statistic(StatisticKind kind, Rational part) : kind_(kind), part_(std::move(part)) {}
  std::int64_t left_out(std::int64_t n) const;  // m
  Rational trimmed_change(const Ordered& rows, const Unit& unit, std::int64_t k) const;

  StatisticKind kind_;
  Rational part_;
};

inline constexpr std::int64_t kNever = std::int64_t{1} << 62;

}  // namespace discreet::mechanism::gap
