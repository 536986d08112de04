// Bounds what each unit contributes, and adds it up: rows in from all of an engine's threads, exact
// integers a group out.
//
//   #include "discreet/random/generator.h"
//   Shape shape;
//   shape.totals = {Total{}};  // how many rows are kept; a unit has one group and one row
//   Bounder bounder(shape, *Secret::draw(random::thread_generator()), 1 << 30);
//   const std::vector<std::int64_t> people{7, 7, 8};
//   Batch batch;
//   batch.rows = people.size();
//   batch.unit.whole = people.data();
//   bounder.start_pass(0, 1);
//   bounder.add(batch);  // from any thread
//   bounder.finish_pass(1);
//   Contributions contributions = bounder.finish();
//
// Rows are collected in partitions by unit, equal rows of a unit held once where a partition has
// grown; choice.h says which of them stay. Where memory doesn't do, units are taken in several
// passes. Nothing depends on the order of rows, on threads, or on other units.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "discreet/bound/adder.h"
#include "discreet/bound/batch.h"
#include "discreet/bound/chunks.h"
#include "discreet/bound/contributions.h"
#include "discreet/bound/groups.h"
#include "discreet/bound/layout.h"
#include "discreet/bound/secret.h"
#include "discreet/bound/shape.h"
#include "discreet/bound/words.h"

namespace discreet::bound {

class Bounder {
 public:
  // `memory` in bytes: what collected rows may take; every thread that feeds needs
  // 4 MB.
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

  // How much of the memory for rows is full, as far as that tells how much there will be; whoever
  // sees that it won't do may give up early.
  std::optional<double> share_full() const;
  void give_up() { full_ = true; }

  // Instead of finish_pass and finish, where it isn't known yet how the rows count: what a pass has
  // collected is held, and added up as often as wanted as rows of another shape, which has the same
  // units and keys, and whose slot s is made of the held slot places[s] (held.h). A sum may be of
  // several passes.
  class Sum {
   public:
    Sum(Bounder& held, Shape shape, std::vector<std::size_t> places);
    void add(unsigned threads);  // what is held now
    Contributions finish();

   private:
    Bounder& held_;
    const Shape shape_;
    const std::vector<std::size_t> places_;
    const HeldAs as_;
    std::unique_ptr<Adder> all_;
  };
  // Forgets the rows of a pass, but not what was learnt of groups and words.
  void forget_rows();

 private:
  struct Partition;
  class Feeder;

  void hand_over(std::size_t partition, Chunk chunk, Feeder& feeder);
  void hand_over_rest();
  void compact(Partition& partition, Feeder& feeder);
  bool may_have_equal_rows(const Partition& partition) const;
  bool finds_few_equal_rows() const;
  template <class Visit>
  void add_partitions(Adder& all, const Shape& shape, const std::optional<HeldAs>& held,
                      unsigned threads, const Visit& visit);

  const Shape shape_;
  const Secret secret_;
  const Layout layout_;
  const SipHash text_hash_;
  Groups groups_;
  std::vector<Words> words_;  // by slot: of those that remember
  Chunks chunks_;
  std::size_t earliest_;
  std::atomic<bool> full_{false};
  std::atomic<std::size_t> feeders_{0};
  std::atomic<std::size_t> searched_{0}, dropped_{0};  // rows, for equal ones
  std::atomic<std::size_t> handed_over_{0};            // rows of this pass
  const bool marks_;                                   // rows with a clamped value
  std::uint32_t pass_ = 0, passes_ = 1;
  std::vector<Partition> partitions_;
  std::mutex mutex_;  // of the two lists below
  std::vector<std::unique_ptr<Feeder>> idle_;
  std::unique_ptr<Adder> sums_;
};

}  // namespace discreet::bound
