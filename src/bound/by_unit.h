// A partition's rows, unit by unit: their records stay where they are.
//
//   Shape shape;
//   Layout layout(shape);
//   std::vector<std::uint64_t> rows = {7, Layout::kOne, 8, Layout::kOne, 7, Layout::kOne};
//   const Chunk chunk{rows.data(), 3};
//   ByUnit by_unit(layout);
//   std::size_t units = 0;
//   by_unit.each({&chunk, 1}, [&](std::span<ByUnit::Record>) { ++units; });  // 2
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/bound/chunks.h"
#include "discreet/bound/layout.h"

namespace discreet::bound {

class ByUnit {
 public:
  using Record = const std::uint64_t*;
  explicit ByUnit(const Layout& layout) : layout_(layout) {}

  // Calls visit(rows) for each unit; it may put them into another order.
  template <class Visit>
  void each(std::span<const Chunk> chunks, Visit&& visit) {
    gather(chunks);
    std::size_t begin = 0;
    for (const std::uint32_t end : ends_) {
      visit(std::span<Record>(sorted_.data() + begin, sorted_.data() + end));
      begin = end;
    }
  }

 private:
  void gather(std::span<const Chunk> chunks);
  void grow_table();

  const Layout& layout_;
  // Rows by unit: unit u has sorted_[ends_[u − 1] … ends_[u]).
  std::vector<Record> sorted_;
  std::vector<std::uint32_t> ends_;
  // A table of units by their first word, a quarter full at most.
  struct Entry {
    std::uint64_t word = 0;
    std::uint32_t unit = kFree;
  };
  static constexpr std::uint32_t kFree = UINT32_MAX;
  std::vector<Entry> table_;
  std::vector<Record> first_;           // by unit: a row of it
  std::vector<std::uint32_t> unit_of_;  // by row
};

}  // namespace discreet::bound
