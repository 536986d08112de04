// Bounds what each unit contributes, and adds it up: rows in from all of an engine's threads, exact
// integers a group out.
//
//   Bounder bounder(shape, secret, memory);
//   … bounder.add(batch) from any thread …
//   auto contributions = bounder.finish(threads);
//
// A unit keeps at most max_groups groups, those with the smallest keyed hash of (unit, group), and
// in each at most max_rows rows, those with the smallest keyed hash of their content. Both rules
// pick the smallest of a set, so that they can be applied to any part of the rows first and to the
// survivors again: rows are collected in partitions by unit, and a partition that has grown is
// bounded early. Memory is that of the survivors. Nothing depends on the order of rows, on threads,
// or on other units.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/secret.h"
#include "discreet/bound/shape.h"
#include "discreet/bound/wide.h"

namespace discreet::bound {

// One column of a batch; bit i of validity says whether row i has a value (null: all have).
struct Column {
  enum class Kind { kWhole, kReal, kText } kind = Kind::kWhole;
  const std::int64_t* whole = nullptr;
  const double* real = nullptr;
  const std::string_view* text = nullptr;
  const std::uint64_t* validity = nullptr;
  bool valid(std::size_t row) const {
    return !validity || (validity[row / 64] >> (row % 64) & 1) != 0;
  }
};

struct Batch {
  std::size_t rows = 0;
  Column unit;
  std::vector<Column> keys;
  std::vector<Column> slots;
};

class Bounder {
 public:
  // `memory` in bytes: what collected rows may take.
  Bounder(Shape shape, const Secret& secret, std::size_t memory);
  ~Bounder();
  Bounder(const Bounder&) = delete;
  Bounder& operator=(const Bounder&) = delete;

  Groups& groups() { return groups_; }

  // Only units of the given pass are taken; with all rows once for each pass, all units are.
  void start_pass(std::uint32_t pass, std::uint32_t passes);
  void add(const Batch& batch);
  // False once memory ran out: start again with more passes.
  bool fits() const { return !full_.load(std::memory_order_relaxed); }
  // Bounds and adds up what the pass has collected.
  void finish_pass(unsigned threads);
  // Forgets everything but the groups, to start again.
  void clear();

  Contributions finish();

 private:
  struct Partition;
  struct Feeder;
  struct Sums;
  struct Work;

  void flush(Feeder& feeder, std::size_t partition);
  void compact(Partition& partition, Work& work);
  template <class Emit>
  void for_each_kept(std::span<std::uint64_t> records, Work& work, Emit&& emit);
  void accumulate(Sums& sums, std::span<const std::uint64_t* const> rows, std::size_t kept) const;
  std::int64_t* folds_of(std::uint64_t* record) const {
    return reinterpret_cast<std::int64_t*>(record + folds_at_);
  }

  Shape shape_;
  Secret secret_;
  SipHash text_hash_;
  Groups groups_;
  std::size_t unit_words_, slots_at_, folds_at_, stride_;
  std::vector<std::size_t> fold_slots_;  // slots that are also added up over whole groups
  std::size_t most_words_, earliest_ = 0;
  std::atomic<std::size_t> words_{0};
  std::atomic<bool> full_{false};
  std::uint32_t pass_ = 0, passes_ = 1;
  std::vector<std::unique_ptr<Partition>> partitions_;
  std::mutex feeders_mutex_;
  std::vector<std::unique_ptr<Feeder>> idle_;
  std::vector<std::unique_ptr<Sums>> sums_;
};

}  // namespace discreet::bound
