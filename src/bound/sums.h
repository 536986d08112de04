// What kept rows add up to, for every group: one thread's part.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "discreet/bound/choice.h"
#include "discreet/bound/contributions.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/weights.h"
#include "discreet/bound/wide.h"

namespace discreet::bound {

// The nearest whole number to sum·2^shift / count, halves up, count > 0. The whole part and the
// rest are shifted apart: the sum of any number of rows has one, though sum·2^shift may have more
// bits than there are.
Wide nearest_mean(Wide sum, std::int64_t count, int shift);

class Sums {
 public:
  using Record = const std::uint64_t*;
  Sums(const Shape& shape, const Layout& layout);

  void add(const Chosen& unit);
  // Another thread's part.
  void merge(const Sums& other);

  // Everything, by the groups' numbers. Nothing is left.
  Added finish();

 private:
  // Most totals are made of these at the end: Σ(x − c) = Σx − c·#x.
  struct Cell {
    std::int64_t count = 0;
    Wide sum = 0;
  };
  void widen(std::size_t group);
  Wide total(std::size_t total, std::size_t group) const;
  void add_group(std::span<const Kept> rows, std::uint64_t weight);
  Wide special(const Total& total, std::span<const Kept> rows, std::uint64_t weight) const;
  std::size_t bin_of(const Tally& tally, const Chosen& unit) const;

  const Shape& shape_;
  const Layout& layout_;
  const Weights weights_;
  std::vector<std::size_t> special_, paired_;  // totals that are not made of cells
  std::vector<std::int64_t> units_, rows_;
  std::vector<Cell> cells_;  // of group g: those from g · slots on
  std::vector<std::vector<Wide>> totals_;
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs_;
  std::vector<std::vector<std::int64_t>> tallies_;
};

}  // namespace discreet::bound
