#include "discreet/mechanism/gap/ordered.h"

#include <fmt/format.h>

#include <algorithm>

namespace discreet::mechanism::gap {

Result<Range> Range::create(std::int64_t low, std::int64_t high) {
  if (low >= high || low < -kMostPoint || high > kMostPoint) {
    return bad_parameter(
        "range", fmt::format("found the points {} to {} of the grid; accepted is a lower end below "
                             "the upper one, both within ±(2^62 − 1)",
                             low, high));
  }
  return Range{low, high};
}

Result<Quantile> Quantile::create(const Rational& p) {
  if (p < 0 || p > 1 || p.get_den() > Integer(static_cast<long>(kMostPoint))) {
    return bad_parameter("quantile", "found " + to_decimal(p) +
                                         "; accepted is a number from 0 to 1 of at most 18 digits");
  }
  return Quantile(p.get_num().get_si(), p.get_den().get_si());
}

std::int64_t Quantile::rank(std::int64_t n) const {
  if (n <= 0) return 0;
  // Below 2^125: both factors are below 2^63.
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(numerator_) * static_cast<Wide>(n);
  const auto denominator = static_cast<Wide>(denominator_);
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>((product + denominator - 1) / denominator));
}

Ordered Ordered::of(std::vector<std::int64_t> rows, const Range& range) {
  Ordered out(range);
  for (std::int64_t& row : rows) row = std::clamp(row, range.low, range.high);
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (i + 1 < rows.size() && rows[i + 1] == rows[i]) continue;
    out.points_.push_back(rows[i]);
    out.last_.push_back(static_cast<std::int64_t>(i) + 1);
  }
  return out;
}

Ordered Ordered::counted(std::vector<std::pair<std::int64_t, std::int64_t>> points,
                         const Range& range) {
  Ordered out(range);
  std::sort(points.begin(), points.end());
  std::int64_t rows = 0;
  for (const auto& [given, count] : points) {
    if (count <= 0) continue;
    const std::int64_t point = std::clamp(given, range.low, range.high);
    rows += count;
    if (!out.points_.empty() && out.points_.back() == point) {
      out.last_.back() = rows;
    } else {
      out.points_.push_back(point), out.last_.push_back(rows);
    }
  }
  return out;
}

std::size_t Ordered::index_of(std::int64_t rank) const {
  return static_cast<std::size_t>(std::lower_bound(last_.begin(), last_.end(), rank) -
                                  last_.begin());
}

std::int64_t Ordered::at(std::int64_t rank) const {
  if (rank <= 0) return range_.low;
  return rank > size() ? range_.high : points_[index_of(rank)];
}

Integer Ordered::sum(std::int64_t first, std::int64_t last) const {
  Integer out = 0;
  if (first > last) return out;
  for (std::size_t i = index_of(first); i < distinct() && first_rank(i) <= last; ++i) {
    const std::int64_t rows = std::min(last, last_rank(i)) - std::max(first, first_rank(i)) + 1;
    out += Integer(static_cast<long>(rows)) * static_cast<long>(point(i));
  }
  return out;
}

}  // namespace discreet::mechanism::gap
