// What came out of the bounding: for every group, exact integers. They leave only as Exact values,
// towards a mechanism.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "discreet/bound/wide.h"
#include "discreet/mechanism/exact.h"

namespace discreet::bound {

using Exact64 = mechanism::Exact<std::vector<std::int64_t>>;

// How a value on the public grid of leaves is scored (sql/plan.h says it in words).
struct Scoring {
  enum class Kind { kQuantile, kMin, kMax, kMode } kind = Kind::kQuantile;
  std::int64_t leaves = 0;
  std::int64_t below_weight = 0, above_weight = 0, target = 0;
};

class Contributions {
 public:
  // Keys in the order of their bytes; totals[t][g]; for histograms and distinct values the sorted
  // pairs (group, value).
  struct Parts {
    std::vector<std::string> keys;
    std::vector<std::int64_t> units;
    std::vector<std::vector<std::int64_t>> totals;
    std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs;
  };
  explicit Contributions(Parts parts) : parts_(std::move(parts)) {}

  mechanism::Exact<std::vector<std::string>> keys() const {
    return mechanism::Exact<std::vector<std::string>>::from_private(parts_.keys);
  }
  Exact64 units() const { return Exact64::from_private(parts_.units); }
  // One total of the given groups.
  Exact64 total(std::size_t total, const std::vector<std::size_t>& groups) const;
  // The scores of one group's leaves.
  Exact64 scores(std::size_t total, std::size_t group, const Scoring& scoring) const;

 private:
  Parts parts_;
};

class Groups;
// What was added up under the groups' numbers, put into the order of their keys (public groups as
// they were listed). Sums leave as 64-bit integers; beyond ±2^62 they saturate, which brings
// neighbours no further apart. Lists may end before the last group.
struct Added {
  std::vector<std::int64_t> units;
  std::vector<std::vector<Wide>> totals;
  std::vector<std::vector<std::pair<std::uint32_t, std::int64_t>>> pairs = {};  // empty: none
};
Contributions sorted_contributions(Groups& groups, Added added);

}  // namespace discreet::bound
