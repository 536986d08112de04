// Which groups of an unbounded set may be shown at all: the optimal (truncated-geometric) partition
// selection of Desfontaines, Voss, Gipson and Mandayam, "Differentially private partition
// selection" (PETS 2022).
//
//   auto mechanism = *PartitionSelection::create({.epsilon = 1, .delta = Rational(1, 1000000)});
//   Rational shown = mechanism.probability(20);  // of a group with 20 units
//
// What is proved. A group with n units is shown with probability π(n), independently: π(0) = 0 and
//   π(n) = min(e^ε·π(n−1) + δ,  1 − e^−ε·(1 − π(n−1) − δ),  1),
// the largest that makes "shown or not" (ε, δ)-DP for one unit more or less (their Theorem 1). The
// table here is computed in rationals: e^ε rounded down and e^−ε up, each π down to 128 binary
// places, so that both inequalities hold exactly. A unit in up to k groups pays kε and kδ (basic
// composition): the caller gives each group its share.
//
// With min_units = T, groups of fewer than T units are never shown: π(n − T + 1).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/released.h"
#include "discreet/privacy/event.h"
#include "discreet/random/bernoulli.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism {

struct PartitionSelectionParameters {
  Rational epsilon, delta;  // for each group
  std::int64_t min_units = 1;
};

class PartitionSelection : private Door {
 public:
  static Result<PartitionSelection> create(const PartitionSelectionParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, p_.delta}; }
  privacy::Event event() const { return {privacy::Approximate{p_.epsilon, p_.delta}}; }
  // How likely a group of so many units is to be shown.
  const Rational& probability(std::int64_t units) const;
  // The least number of units at which it is shown with at least this probability.
  std::int64_t units_for(const Rational& probability) const;

  // Keys and the numbers of their units, side by side. Every group costs one coin of the same
  // price.
  template <class Key>
  Result<Released<std::vector<std::pair<std::size_t, Key>>>> release(
      const Exact<std::vector<Key>>& keys, const Exact<std::vector<std::int64_t>>& units,
      random::Source& source = random::thread_generator()) const {
    const std::vector<Key>& all = open(keys);
    const std::vector<std::int64_t>& counts = open(units);
    std::vector<std::pair<std::size_t, Key>> shown;
    for (std::size_t i = 0; i < std::min(all.size(), counts.size()); ++i) {
      const auto coin = random::bernoulli(source, probability(counts[i]));
      if (!coin) return tl::unexpected<Error>(coin.error());
      if (*coin) shown.emplace_back(i, all[i]);
    }
    return Released<std::vector<std::pair<std::size_t, Key>>>(std::move(shown), guarantee());
  }

 private:
  PartitionSelection(PartitionSelectionParameters parameters, std::vector<Rational> table)
      : p_(std::move(parameters)), table_(std::move(table)) {}
  PartitionSelectionParameters p_;
  std::vector<Rational> table_;  // π(0), π(1), … up to the first 1
};

}  // namespace discreet::mechanism
