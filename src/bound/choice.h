// Which of a unit's groups and rows are kept.
//
// A unit keeps at most max_groups groups, those with the smallest keyed hash of (unit, group), and
// in each at most max_rows rows, those with the smallest keyed hash of their content. Both rules
// take the smallest of a set, so they can be applied to any part of the rows first and to the
// survivors again. Nothing depends on the order of rows, or on other units.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/bound/chunks.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/secret.h"

namespace discreet::bound {

// One thread's tool for it, with its scratch memory.
class Choice {
 public:
  Choice(const Shape& shape, const Layout& layout, const Secret& secret, Groups& groups)
      : shape_(shape), layout_(layout), secret_(secret), groups_(groups) {}

  using Record = const std::uint64_t*;
  // Calls emit(rows, kept) for each unit and each group that it keeps: rows[0 … kept) are those it
  // keeps there; the rest, dropped rows of a kept group, counts only in folds.
  template <class Emit>
  void each_kept(std::span<const Chunk> chunks, Emit&& emit) {
    gather(chunks);
    for (std::size_t unit = 0; unit < units_; ++unit) {
      const std::span<Record> rows(sorted_.data() + (unit ? ends_[unit - 1] : 0),
                                   sorted_.data() + ends_[unit]);
      if (rows.size() == 1) {
        emit(std::span<const Record>(rows), std::size_t{1});
        continue;
      }
      choose_groups(rows);
      for (const Run& run : runs_) {
        const std::span<Record> mine = rows.subspan(run.begin, run.end - run.begin);
        if (mine.size() > shape_.max_rows) choose_rows(mine);
        emit(std::span<const Record>(mine), std::min<std::size_t>(mine.size(), shape_.max_rows));
      }
    }
  }

 private:
  struct Run {
    std::uint32_t begin, end;
  };
  void gather(std::span<const Chunk> chunks);
  void grow_table();
  void choose_groups(std::span<Record> rows);
  static constexpr std::size_t kFew = 32;
  template <class Priority, class AddRun>
  void choose_few(std::span<Record> rows, Priority&& priority_of, AddRun&& add_run);
  void choose_rows(std::span<Record> rows);
  std::uint64_t group_hash(std::uint32_t group) {
    if (group >= hashes_.size()) hashes_ = groups_.hashes();
    return hashes_[group];
  }

  const Shape& shape_;
  const Layout& layout_;
  const Secret& secret_;
  Groups& groups_;

  // Rows by unit: unit u has sorted_[ends_[u − 1] … ends_[u]).
  std::size_t units_ = 0;
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
  // For one unit.
  std::vector<Run> runs_;
  std::vector<std::pair<std::uint64_t, Record>> ranked_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace discreet::bound
