// What kept rows add up to, for every group: one thread's part.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/wide.h"

namespace discreet::bound {

class Sums {
 public:
  using Record = const std::uint64_t*;
  Sums(const Shape& shape, const Layout& layout);

  // A unit's rows in one group, of which the first `kept` are kept.
  void add(std::span<const Record> rows, std::size_t kept);
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
  Wide special(const Total& total, std::span<const Record> rows, std::size_t kept) const;

  const Shape& shape_;
  const Layout& layout_;
  std::vector<std::size_t> special_, paired_;  // totals that are not made of cells
  std::vector<std::int64_t> units_, rows_;
  std::vector<Cell> cells_;  // of group g: those from g · slots on
  std::vector<std::vector<Wide>> totals_;
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs_;
};

}  // namespace discreet::bound
