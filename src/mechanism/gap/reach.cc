#include "discreet/mechanism/gap/reach.h"

#include <algorithm>

namespace discreet::mechanism::gap {

std::int64_t Reach::lowest(std::int64_t moved) const {
  const std::int64_t n = rows_.size();
  if (moved >= n) return 0;  // no row is left: the low end
  return std::max<std::int64_t>(
      0, std::min(quantile_.rank(n + moved) - moved, quantile_.rank(n - moved)));
}

std::int64_t Reach::highest(std::int64_t moved) const {
  const std::int64_t n = rows_.size();
  if (moved > n) return n + 1;  // all went, and one came at the high end
  return std::min(n + 1, std::max(quantile_.rank(n + moved), quantile_.rank(n - moved) + moved));
}

Damped reach_bound(const Ordered& rows, const Quantile& quantile, std::int64_t rows_per_unit,
                   const Damping& damping) {
  const Reach reach(rows, quantile);
  const std::int64_t whole = rows.range().width();
  const auto gap_at = [&](std::int64_t k) { return reach.gap((k + 1) * rows_per_unit); };
  std::int64_t k = 0, gap = gap_at(0);
  Damped best{gap, 0};
  while (gap < whole && !damping.less({whole, (k + 1) * rows_per_unit}, best)) {
    // The least k at which the gap is larger: T_k grows with k, up to the whole range at k = n.
    std::int64_t same = k, step = 1;
    while (gap_at(same + step) == gap) same += step, step *= 2;
    std::int64_t larger = same + step;
    while (same + 1 < larger) {
      const std::int64_t middle = same + (larger - same) / 2;
      (gap_at(middle) == gap ? same : larger) = middle;
    }
    k = larger, gap = gap_at(k);
    best = damping.larger(best, {gap, k * rows_per_unit});
  }
  return best;
}

}  // namespace discreet::mechanism::gap
