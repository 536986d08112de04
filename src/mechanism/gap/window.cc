#include "discreet/mechanism/gap/window.h"

#include <algorithm>

namespace discreet::mechanism::gap {
namespace {

// One end of windows: a point and the rank at which it is nearest to the quantile's.
struct End {
  std::int64_t point, rank;
};
struct Ends {
  std::vector<End> left, right;  // both ascending; those that are left of the rank, and right of it
};

// No more than `reach` ranks from the quantile's. The ends of the range stand at 0 and n + 1, or
// where rows have them.
Ends ends_of(const Ordered& rows, const Quantile& quantile, std::int64_t reach) {
  const std::int64_t n = rows.size(), rank = quantile.rank(n);
  const Range& range = rows.range();
  Ends out;
  if (n == 0) return {{{range.low, 0}}, {{range.low, 0}, {range.high, 1}}};
  const std::size_t middle = rows.index_of(rank);
  std::size_t first = middle;
  while (first > 0 && rank - rows.last_rank(first - 1) <= reach) --first;
  if (first == 0 && rows.point(0) > range.low && rank <= reach) out.left.push_back({range.low, 0});
  for (std::size_t i = first; i <= middle; ++i)
    out.left.push_back({rows.point(i), std::min(rank, rows.last_rank(i))});
  for (std::size_t i = middle; i < rows.distinct(); ++i) {
    const std::int64_t at = std::max(rank, rows.first_rank(i));
    if (at - rank > reach) return out;
    out.right.push_back({rows.point(i), at});
  }
  if (rows.point(rows.distinct() - 1) < range.high && n + 1 - rank <= reach)
    out.right.push_back({range.high, n + 1});
  return out;
}

// For each left end the best right end, at least R ranks away. A left end of a larger point has a
// best one no further left: with h_i(j) = e^(−λj)·(x_j − x_i), h_i'(j) = h_i(j) − (x_i' −
// x_i)·e^(−λj), and what is taken away decreases in j. Ends that are too near drop out from the
// left, which keeps that. So halves of the left ends share no more than one right end.
class Search {
 public:
  Search(const Ends& ends, std::int64_t nearest, const Damping& damping, Damped best)
      : ends_(ends), nearest_(nearest), damping_(damping), best_(best) {}

  // Left ends [i, i_end), right ends [j, j_last].
  void run(std::size_t i, std::size_t i_end, std::size_t j, std::size_t j_last) {
    if (i >= i_end) return;
    const std::size_t middle = i + (i_end - i) / 2;
    const End& left = ends_.left[middle];
    const auto wide_enough = [&](const End& end, std::int64_t width) {
      return end.rank - left.rank < width;
    };
    const auto first = std::lower_bound(
        ends_.right.begin() + static_cast<std::ptrdiff_t>(j),
        ends_.right.begin() + static_cast<std::ptrdiff_t>(j_last) + 1, nearest_, wide_enough);
    const auto start = static_cast<std::size_t>(first - ends_.right.begin());
    if (start > j_last) return run(i, middle, j, j_last);  // nor for any left end after it
    std::size_t at = start;
    Damped here = pair(left, ends_.right[start]);
    for (std::size_t other = start + 1; other <= j_last; ++other) {
      const Damped there = pair(left, ends_.right[other]);
      if (damping_.less(here, there)) here = there, at = other;
    }
    best_ = damping_.larger(best_, here);
    run(i, middle, j, at);
    run(middle + 1, i_end, at, j_last);
  }
  const Damped& best() const { return best_; }

 private:
  Damped pair(const End& left, const End& right) const {
    return {right.point - left.point, right.rank - left.rank - nearest_};
  }

  const Ends& ends_;
  std::int64_t nearest_;
  const Damping& damping_;
  Damped best_;
};

}  // namespace

std::int64_t window_gap(const Ordered& rows, const Quantile& quantile, std::int64_t width) {
  const Ends ends = ends_of(rows, quantile, width);
  std::int64_t gap = 0;
  std::size_t j = 0;
  for (const End& left : ends.left) {
    while (j + 1 < ends.right.size() && ends.right[j + 1].rank - left.rank <= width) ++j;
    if (ends.right[j].rank - left.rank <= width)
      gap = std::max(gap, ends.right[j].point - left.point);
  }
  return gap;
}

Damped window_bound(const Ordered& rows, const Quantile& quantile, std::int64_t rows_per_unit,
                    const Damping& damping) {
  const std::int64_t n = rows.size(), rank = quantile.rank(n);
  Damped best{window_gap(rows, quantile, rows_per_unit), 0};
  // Some windows first, so that most pairs are surely smaller: those whose width alone makes even
  // the whole range count for less.
  for (std::int64_t side = 1; side <= n; side *= 2) {
    for (const auto& [left, right] : {std::pair(side, side), {side, std::int64_t{0}}, {0, side}}) {
      const std::int64_t low = std::max<std::int64_t>(0, rank - left),
                         high = std::min(n + 1, rank + right);
      if (high - low < rows_per_unit) continue;
      best = damping.larger(best, {rows.at(high) - rows.at(low), high - low - rows_per_unit});
    }
  }
  const std::int64_t reach =
      best.gap == 0 ? n + 1 : rows_per_unit + damping.steps_below(rows.range().width(), best);
  const Ends ends = ends_of(rows, quantile, reach);
  Search search(ends, rows_per_unit, damping, best);
  search.run(0, ends.left.size(), 0, ends.right.size() - 1);
  return search.best();
}

}  // namespace discreet::mechanism::gap
