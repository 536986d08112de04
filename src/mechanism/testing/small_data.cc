#include "discreet/mechanism/testing/small_data.h"

#include <algorithm>
#include <set>

namespace discreet::mechanism::testing {
namespace {

void extend(SmallData& rows, std::int64_t from, std::int64_t highest, std::size_t most,
            std::vector<SmallData>& out) {
  out.push_back(rows);
  if (rows.size() == most) return;
  for (std::int64_t point = from; point <= highest; ++point) {
    rows.push_back(point);
    extend(rows, point, highest, most, out);
    rows.pop_back();
  }
}

// With up to `count` rows more, and up to so many fewer.
std::set<SmallData> with_more(const std::set<SmallData>& from, std::int64_t highest,
                              std::int64_t count) {
  std::set<SmallData> out = from, last = from;
  for (std::int64_t step = 0; step < count; ++step) {
    std::set<SmallData> next;
    for (const SmallData& rows : last) {
      for (std::int64_t point = 0; point <= highest; ++point) {
        SmallData more = rows;
        more.insert(std::upper_bound(more.begin(), more.end(), point), point);
        next.insert(std::move(more));
      }
    }
    out.insert(next.begin(), next.end());
    last = std::move(next);
  }
  return out;
}
std::set<SmallData> with_fewer(const SmallData& from, std::int64_t count) {
  std::set<SmallData> out = {from}, last = out;
  for (std::int64_t step = 0; step < count; ++step) {
    std::set<SmallData> next;
    for (const SmallData& rows : last) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        SmallData fewer = rows;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
        next.insert(std::move(fewer));
      }
    }
    out.insert(next.begin(), next.end());
    last = std::move(next);
  }
  return out;
}

}  // namespace

std::vector<SmallData> all_data(std::int64_t highest, std::size_t most) {
  std::vector<SmallData> out;
  SmallData rows;
  extend(rows, 0, highest, most, out);
  return out;
}

std::vector<SmallData> all_neighbours(const SmallData& rows, std::int64_t highest,
                                      const gap::Unit& unit) {
  std::set<SmallData> out = with_fewer(rows, unit.rows);
  if (unit.relation == privacy::Relation::kSubstitute) {
    out = with_more(out, highest, unit.rows);
  } else {
    const std::set<SmallData> more = with_more({rows}, highest, unit.rows);
    out.insert(more.begin(), more.end());
  }
  out.erase(rows);
  return {out.begin(), out.end()};
}

}  // namespace discreet::mechanism::testing
