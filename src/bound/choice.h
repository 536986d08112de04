// Which of a unit's groups and rows count.
//
// A unit keeps at most max_groups groups, those with the smallest keyed hash of (unit, group); in
// each at most max_rows rows count; and of these at most max_total in all. Where sums are asked
// for, all rows of its groups count with a weight (weights.h). What isn't a sum needs whole rows,
// which are drawn: by a keyed hash of their content and of their number among equal ones, so that
// every subset of the same size is as likely as any other, and it is the same one in every pass, on
// every thread, in every engine. Nothing depends on the order of rows, or on other units.
//
// (A hash of the content alone would keep or drop equal rows together: of 90 zeros and 10 ones, ten
// kept, mostly all ten would be one or the other.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/bound/by_unit.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/priority.h"
#include "discreet/bound/weights.h"

namespace discreet::bound {

// A row, how many equal ones there are, and how many of those stay.
struct Kept {
  const std::uint64_t* row = nullptr;
  std::uint32_t copies = 0, kept = 0;
};

// One unit after the choice.
struct Chosen {
  struct Run {
    std::uint32_t begin, end;
    std::uint64_t weight = 1;  // of each row that stays
  };
  std::span<const Kept> rows;  // of the groups that it keeps
  std::span<const Run> runs;   // … one for each of them
  std::uint64_t had = 0;       // rows in all its groups
  std::uint64_t kept = 0;      // … that stay, or whose worth counts
  std::uint64_t most = 0;      // rows in the largest of the groups that it keeps
};

// One thread's tool for it, with its scratch memory.
class Choice {
 public:
  Choice(const Shape& shape, const Layout& layout, const Secret& secret, Groups& groups)
      : shape_(shape),
        layout_(layout),
        priority_(secret, layout.unit_words == 2),
        weights_(shape),
        groups_(groups) {}

  using Record = ByUnit::Record;
  // Of a unit's rows, which may be put into another order. What is given lasts until the next call.
  Chosen choose(std::span<Record> rows);
  // Calls emit(record, copies) for each different row of a unit.
  template <class Emit>
  void each_different(std::span<Record> rows, Emit&& emit) {
    order_by_content(rows);
    for (std::size_t i = 0; i < order_.size();) {
      const Record row = rows[order_[i].second];
      std::uint64_t copies = 0;
      const std::size_t first = i;
      // Hashes that meet by chance are told apart by the rows themselves.
      for (; i < order_.size() && order_[i].first == order_[first].first &&
             layout_.same(rows[order_[i].second], row);
           ++i)
        copies += layout_.copies(rows[order_[i].second]);
      // More than a record can say are said by several: not one may be lost.
      for (; copies > Layout::kMostCopies; copies -= Layout::kMostCopies)
        emit(row, Layout::kMostCopies);
      emit(row, static_cast<std::uint32_t>(copies));
    }
  }

 private:
  void choose_groups(std::span<Record> rows);
  void weigh(std::span<const Record> rows, Chosen& out);
  void draw(std::span<const Record> rows, Chosen& out);
  static constexpr std::size_t kFew = 32;
  template <class AddRun>
  void every_group(std::span<Record> rows, AddRun&& add_run);
  template <class Priority, class AddRun>
  void choose_few(std::span<Record> rows, Priority&& priority_of, AddRun&& add_run);
  void keep(std::span<Kept> rows, std::uint64_t most, std::uint64_t purpose);
  // Fills order_: rows by the hash of their content, so that equal ones stand together.
  void order_by_content(std::span<const Record> rows);
  std::uint64_t content_hash(Record row);
  std::uint64_t group_hash(std::uint32_t group) {
    if (group >= hashes_.size()) hashes_ = groups_.hashes();
    return hashes_[group];
  }

  const Shape& shape_;
  const Layout& layout_;
  const Priority priority_;
  const Weights weights_;
  Groups& groups_;

  std::vector<Chosen::Run> runs_;
  std::vector<Kept> kept_;
  std::vector<std::pair<std::uint64_t, Record>> ranked_;
  std::vector<Record> among_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_, priorities_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace discreet::bound
