// How much a quantile can change near a data set, by what it can become: the lowest and highest
// value of the quantile after M rows have come or gone. For add-remove, where it is up to twice
// better than windows of ranks (window.h) near the ends of a range.
//
//   const Ordered rows = Ordered::of({3, 99, 7, 7, 20}, *Range::create(0, 100));
//   const Quantile median = *Quantile::create(Rational(1, 2));
//   const Reach reach(rows, median);
//   std::int64_t one_row = reach.gap(1);  // 13: from 7 to 20
//   Damped bound = reach_bound(rows, median, 1, Damping(Rational(1, 10)));
//
// What is proved. T_k = (the highest) − (the lowest) value over all data sets within M = (k+1)·R
// rows: two neighbours, one of them k units from x, are both among them; and those within M rows of
// x are within M + R rows of a neighbour, so T_k(x) ≤ T_k+1(x'). Both values are exact. After c
// rows came at the low end and a rows went from the top, the quantile is x_s with s = ⌈p(n+c−a)⌉ −
// c = ⌈pn − (1−p)c − pa⌉: it is lowest where all M are of the kind that moves it more; the same for
// the highest, s = ⌈p(n+c−a)⌉ + a.
#pragma once

#include "discreet/mechanism/gap/damped.h"
#include "discreet/mechanism/gap/ordered.h"

namespace discreet::mechanism::gap {

class Reach {
 public:
  // Refers to the rows.
  Reach(const Ordered& rows, const Quantile& quantile) : rows_(rows), quantile_(quantile) {}

  // The ranks (from 0 to n + 1) of the lowest and the highest value after `moved` rows.
  std::int64_t lowest(std::int64_t moved) const;
  std::int64_t highest(std::int64_t moved) const;
  std::int64_t gap(std::int64_t moved) const {
    return rows_.at(highest(moved)) - rows_.at(lowest(moved));
  }

 private:
  const Ordered& rows_;
  Quantile quantile_;
};

// The k that max e^(−βk)·T_k is reached at: T_k, and k·R as steps. The damping's rate is β/R.
Damped reach_bound(const Ordered& rows, const Quantile& quantile, std::int64_t rows_per_unit,
                   const Damping& damping);

}  // namespace discreet::mechanism::gap
