// A partition's rows, unit by unit, in one piece.
//
//   Shape shape;
//   Layout layout(shape);
//   std::vector<std::uint64_t> rows = {7, Layout::kOne, 8, Layout::kOne, 7, Layout::kOne};
//   const Chunk chunk{rows.data(), 3};
//   ByUnit by_unit(layout);
//   std::size_t units = 0;
//   by_unit.sort({&chunk, 1});
//   by_unit.each([&](const std::uint64_t*, std::size_t) { ++units; });  // 2
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "discreet/bound/chunks.h"
#include "discreet/bound/layout.h"

namespace discreet::bound {

class ByUnit {
 public:
  using Record = const std::uint64_t*;
  explicit ByUnit(const Layout& layout) : layout_(layout) {}

  // Takes the rows and brings those of a unit together, in time that grows with their number alone.
  void sort(std::span<const Chunk> chunks);
  // Takes rows that stand together already.
  void take(std::span<const Chunk> chunks);
  // Writes the rows that were taken last back to where they came from, in their new order.
  void put_back(std::span<const Chunk> chunks) const;

  // Calls visit(first, count) for each unit: its records, one after the other.
  template <class Visit>
  void each(Visit&& visit) const {
    const std::size_t stride = layout_.stride;
    const Record end = records_.get() + count_ * stride;
    for (Record first = records_.get(); first != end;) {
      Record next = first + stride;
      while (next != end && same_unit(first, next)) next += stride;
      visit(first, static_cast<std::size_t>(next - first) / stride);
      first = next;
    }
  }

 private:
  bool same_unit(Record a, Record b) const {
    return a[0] == b[0] && (layout_.unit_words == 1 || a[1] == b[1]);
  }
  void make_room(std::span<const Chunk> chunks);
  std::size_t bucket(Record record) const {
    // Units of a partition share some of their bits: which ones doesn't matter after this.
    return (record[0] * 0x9E3779B97F4A7C15u) >> (64 - bits_);
  }
  template <std::size_t kStride>
  void place(std::span<const Chunk> chunks);
  void order(std::size_t begin, std::size_t end);

  const Layout& layout_;
  std::unique_ptr<std::uint64_t[]> records_;
  std::size_t room_ = 0, count_ = 0;  // words; records
  unsigned bits_ = 1;                 // of buckets
  std::vector<std::uint32_t> ends_;   // by bucket
  std::vector<std::uint64_t> moved_;
  std::vector<Record> order_;
};

}  // namespace discreet::bound
