// What came out of the bounding: for every group, exact integers. They leave only as Exact values,
// towards a mechanism.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "discreet/base/error.h"
#include "discreet/bound/shape.h"
#include "discreet/bound/wide.h"
#include "discreet/mechanism/exact.h"
#include "discreet/mechanism/gap/ordered.h"

namespace discreet::bound {

// What a slot's hashes stand for, where it remembers.
using WordList = std::unordered_map<std::int64_t, std::string>;

using Exact64 = mechanism::Exact<std::vector<std::int64_t>>;
using ExactWide = mechanism::Exact<std::vector<Wide>>;

// So many rows of a group have this value.
struct Counted {
  std::uint32_t group;
  std::int64_t value, count;
};

class Contributions {
 public:
  // Keys in the order of their bytes; totals[t][g]; for histograms and distinct values the sorted
  // pairs (group, value).
  struct Parts {
    std::vector<std::string> keys;
    std::vector<std::int64_t> units;
    std::vector<std::vector<Wide>> totals;
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs;
    // … or, from an engine that has counted them, each value once or a few times; by group.
    std::vector<std::vector<Counted>> counted = {};
    std::vector<Scoring> scorings;                   // how each total's pairs are scored
    std::vector<std::optional<std::size_t>> slots;   // which slot each total is of
    std::vector<WordList> words;                     // by slot
    std::vector<std::vector<std::int64_t>> tallies;  // [tally][bin]
  };
  explicit Contributions(Parts parts) : parts_(std::move(parts)) {}

  mechanism::Exact<std::vector<std::string>> keys() const {
    return mechanism::Exact<std::vector<std::string>>::from_private(parts_.keys);
  }
  Exact64 units() const { return Exact64::from_private(parts_.units); }
  // How many groups there are: public where the groups are.
  std::size_t groups() const { return parts_.keys.size(); }
  // One total of the given groups. A total or a group that doesn't exist is an error: who asks for
  // one has counted differently than the bounding, and what lies beyond the end is somebody's.
  Result<ExactWide> wide_total(std::size_t total, const std::vector<std::size_t>& groups) const;
  // … for a mechanism of 64 bits: beyond ±2^62 it saturates.
  Result<Exact64> total(std::size_t total, const std::vector<std::size_t>& groups) const;
  // A histogram of units (shape.h); one that doesn't exist is an error too.
  Result<Exact64> tally(std::size_t which) const;
  // The values of one group's kept rows (kEach), in order.
  Result<mechanism::Exact<mechanism::gap::Ordered>> ordered(
      std::size_t total, std::size_t group, const mechanism::gap::Range& range) const;
  // … by the words they stand for (kWord): how many rows have each.
  using Exactly = mechanism::Exact<std::map<std::string, std::int64_t>>;
  Result<Exactly> words(std::size_t total, std::size_t group) const;
  // The scores of one group's leaves.
  Result<Exact64> scores(std::size_t total, std::size_t group) const;

 private:
  using Pair = std::pair<std::uint32_t, std::int64_t>;
  // The values of one group's pairs of a total, with how many rows have each: equal ones may come
  // several times. An error where either doesn't exist.
  using Values = std::vector<std::pair<std::int64_t, std::int64_t>>;
  Result<Values> values(std::size_t total, std::size_t group) const;

  Parts parts_;
};

class Groups;
// What was added up under the groups' numbers, put into the order of their keys (public groups as
// they were listed). Beyond ±2^120 sums saturate, which brings neighbours no further apart. Lists
// may end before the last group.
struct Added {
  std::vector<std::int64_t> units;
  std::vector<std::vector<Wide>> totals;
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs = {};  // empty: none
  std::vector<std::vector<Counted>> counted = {};                               // likewise
  std::vector<std::vector<std::int64_t>> tallies = {};
  std::vector<WordList> words = {};  // by slot
};
Contributions sorted_contributions(Groups& groups, const Shape& shape, Added added);

}  // namespace discreet::bound
