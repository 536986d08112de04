// A private sample in order: distinct points of a public grid with how many rows have each, within
// a public range. What quantiles, and what they could become, are read from.
//
//   const Range range = *Range::create(0, 100);
//   const Ordered rows = Ordered::of({3, 99, 7, 7, 250}, range);  // 250 counts as 100
//   const Quantile median = *Quantile::create(Rational(1, 2));
//   std::int64_t middle = rows.at(median.rank(rows.size()));  // 7
//
// Ranks start at 1. Outside the sample x_0 = x_-1 = … is the range's low end and x_n+1 = … its high
// end: what a row could be that isn't there. The quantile p of n rows has rank ⌈p·n⌉, at least 1;
// of no rows it is the low end. A row more moves the rank by 0 or 1, which is all that proofs about
// it use (window.h, reach.h).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::mechanism::gap {

// Ends of a range of points, at most this far from 0: differences fit 64 bits, and that of the two
// farthest ends too.
inline constexpr std::int64_t kMostPoint = (std::int64_t{1} << 62) - 1;

struct Range {
  std::int64_t low, high;

  // low < high.
  static Result<Range> create(std::int64_t low, std::int64_t high);
  std::int64_t width() const { return high - low; }
};

class Quantile {
 public:
  // From 0 (the least value) to 1 (the greatest); a fraction of up to 18 digits.
  static Result<Quantile> create(const Rational& p);

  // max(1, ⌈p·n⌉), and 0 for n = 0.
  std::int64_t rank(std::int64_t n) const;

 private:
  Quantile(std::int64_t numerator, std::int64_t denominator)
      : numerator_(numerator), denominator_(denominator) {}
  std::int64_t numerator_, denominator_;
};

class Ordered {
 public:
  // Rows in any order; what lies outside the range counts as its nearer end.
  static Ordered of(std::vector<std::int64_t> rows, const Range& range);
  // Points with how many rows have each, in any order; a point may come twice.
  static Ordered counted(std::vector<std::pair<std::int64_t, std::int64_t>> points,
                         const Range& range);

  std::int64_t size() const { return last_.empty() ? 0 : last_.back(); }
  const Range& range() const { return range_; }
  // The row of this rank.
  std::int64_t at(std::int64_t rank) const;
  // The sum of the rows of ranks first … last, all of which are there.
  Integer sum(std::int64_t first, std::int64_t last) const;

  // The distinct points, ascending, and the ranks of the first and the last row of each.
  std::size_t distinct() const { return points_.size(); }
  std::int64_t point(std::size_t i) const { return points_[i]; }
  std::int64_t first_rank(std::size_t i) const { return i == 0 ? 1 : last_[i - 1] + 1; }
  std::int64_t last_rank(std::size_t i) const { return last_[i]; }
  // Which of them has the row of a rank from 1 to size().
  std::size_t index_of(std::int64_t rank) const;

 private:
  explicit Ordered(const Range& range) : range_(range) {}
  Range range_;
  std::vector<std::int64_t> points_, last_;
};

}  // namespace discreet::mechanism::gap
