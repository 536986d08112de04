// How much a quantile can change near a data set, by windows of ranks: U_w = max x_j − x_i over
// i ≤ r ≤ j with j − i ≤ w, r the quantile's rank. After Nissim, Raskhodnikova and Smith, "Smooth
// sensitivity and sampling in private data analysis" (STOC 2007), section 3.1.
//
//   const Ordered rows = Ordered::of({3, 99, 7, 7, 20}, *Range::create(0, 100));
//   const Quantile median = *Quantile::create(Rational(1, 2));
//   std::int64_t one_row = window_gap(rows, median, 1);  // 13: between the ranks 3 and 4
//   Damped bound = window_bound(rows, median, 1, Damping(Rational(1, 10)));
//
// What is proved, for neighbours x' = x with a ≤ R rows taken out and c ≤ R rows put in (so for
// add-remove and for substitute). The rank moves by t, between 0 and c − a. (1) x'_r' lies between
// x_r+t−c and x_r+t+a, and |t − c|, |t + a| ≤ max(a, c) ≤ R: the quantile changes by U_R at most.
// (2) U_w(x) ≤ U_w+R(x'): of the rows up to rank i, α went and γ came below x_i; from rank j on, α'
// and γ'. Then x'_i' ≤ x_i for i' = i − α + γ, x'_j' ≥ x_j for j' = j + (c − a) + α' − γ', and
// j' − i' ≤ j − i + c. If r' isn't between them, j' − r' ≤ j − r + (c − a − t) + α' ≤ j − r + R (or
// r' − i' ≤ r − i + t + α ≤ r − i + R), so a window that also holds r' is wide enough.
// Hence T_k = U_(k+1)R bounds the change, T_k(x) ≤ T_k+1(x'), and S = max over w ≥ R of
// e^(−β(w/R − 1))·U_w is a β-smooth bound on it.
#pragma once

#include "discreet/mechanism/gap/damped.h"
#include "discreet/mechanism/gap/ordered.h"

namespace discreet::mechanism::gap {

// U_w, in O(distinct points).
std::int64_t window_gap(const Ordered& rows, const Quantile& quantile, std::int64_t width);

// The pair that S is reached at: its gap, and its width beyond R as steps. The damping's rate is
// β/R. O(d log d) for d distinct points.
Damped window_bound(const Ordered& rows, const Quantile& quantile, std::int64_t rows_per_unit,
                    const Damping& damping);

}  // namespace discreet::mechanism::gap
