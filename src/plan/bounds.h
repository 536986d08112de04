// How much of a unit counts: at most so many groups, so many rows in each, and so many rows in all.
// From these three follows how far one unit can move a vector of numbers, one a group.
//
//   const Bounds bounds{.groups = 12, .rows = 8, .total = 50};
//   Integer most = bounds.most_rows();        // 50: not 12 · 8
//   Integer squares = bounds.rows_squared();  // 6 · 8² + 2²: six are full
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "discreet/base/number.h"

namespace discreet::plan {

struct Bounds {
  std::int64_t groups = 1, rows = 1;
  std::optional<std::int64_t> total = {};

  // ℓ1 of what a unit adds to counts of rows: min(total, groups · rows).
  Integer most_rows() const {
    const Integer product = whole(groups) * whole(rows);
    return total ? std::min<Integer>(whole(*total), product) : product;
  }
  // ℓ1 (and ℓ2²) of what it adds to counts of units: each group that it is in holds a row of it.
  Integer most_groups() const { return std::min<Integer>(whole(groups), most_rows()); }
  // The largest number of its rows in one group.
  Integer most_in_one() const { return std::min<Integer>(whole(rows), most_rows()); }
  // ℓ2² of what it adds to counts of rows. Σ c² under c ≤ rows and Σ c ≤ most is largest where the
  // groups are full one after the other (it is convex): k full ones and a rest.
  Integer rows_squared() const {
    const Integer full = most_in_one(), most = most_rows();
    const Integer k = most / full, rest = most - k * full;
    return k * full * full + rest * rest;
  }

  friend bool operator==(const Bounds&, const Bounds&) = default;

 private:
  static Integer whole(std::int64_t value) { return Integer(static_cast<long>(value)); }
};

}  // namespace discreet::plan
