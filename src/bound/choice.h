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
  std::span<Kept> rows;       // of the groups that it keeps
  std::span<const Run> runs;  // … one for each of them
  std::uint64_t had = 0;      // rows in all its groups
  std::uint64_t kept = 0;     // … that stay, or whose worth counts
  std::uint64_t most = 0;     // rows in the largest of the groups that it keeps
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
  // Of a unit's rows, one after the other. What is given lasts until the next call.
  Chosen choose(Record first, std::size_t count);
  // Calls emit(record, copies) for each different row of a unit.
  template <class Emit>
  void each_different(Record first, std::size_t count, Emit&& emit) {
    among_.clear();
    for (std::size_t i = 0; i < count; ++i) among_.push_back(first + i * layout_.stride);
    order_by_content(among_);
    for (std::size_t i = 0; i < order_.size();) {
      const Record row = among_[order_[i].second];
      std::uint64_t copies = 0;
      const std::size_t begin = i;
      // Hashes that meet by chance are told apart by the rows themselves.
      for (; i < order_.size() && order_[i].first == order_[begin].first &&
             layout_.same(among_[order_[i].second], row);
           ++i)
        copies += layout_.copies(among_[order_[i].second]);
      // More than a record can say are said by several: not one may be lost.
      for (; copies > Layout::kMostCopies; copies -= Layout::kMostCopies)
        emit(row, Layout::kMostCopies);
      emit(row, static_cast<std::uint32_t>(copies));
    }
  }

 private:
  std::size_t find_groups(Record first, std::size_t count);
  std::size_t find_by_sorting(Record first, std::size_t count);
  std::size_t choose_groups(std::uint64_t unit, std::size_t found);
  void add_rows(Record first, std::size_t count, std::size_t found, std::size_t chosen);
  void weigh(Chosen& out);
  void draw(Chosen& out);
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

  // Of one unit: its groups from 0 on as they come, and which of them each record is in.
  std::vector<std::uint32_t> group_;    // its number among all groups
  std::vector<std::uint32_t> records_;  // how many it has
  std::vector<std::uint64_t> rows_;     // … with their copies
  std::vector<std::uint32_t> place_;    // by record
  std::vector<std::uint32_t> number_;   // by group, where there are few: its place here, + 1
  // Of those that stay: where the next record goes, and 1; of others the end, and 0.
  std::vector<std::uint32_t> next_, step_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> sorted_;
  std::vector<std::uint64_t> hashes_of_;  // by place, and then by rank as far as is asked for
  std::vector<std::uint32_t> ranked_;     // places: those that stay come first
  std::vector<Chosen::Run> runs_;
  std::vector<Kept> room_;  // what kept_ is of
  std::span<Kept> kept_;
  std::vector<Record> among_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order_, priorities_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace discreet::bound
