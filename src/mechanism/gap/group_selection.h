// Which groups of an unbounded set may be shown at all, by one of three strategies.
//
//   auto selection = *GroupSelection::create({.epsilon = 1,
//                                             .delta = Rational(1, 1000000),
//                                             .strategy = SelectionStrategy::kLaplace});
//   double shown = selection.keep_probability(20, 64).middle();  // of a group with 20 units
//   std::int64_t half = *selection.units_for(Rational(1, 2));    // shown every other time
//
// What is proved. ε and δ are for the whole selection; c groups change with a unit (k, or 2k where
// it is replaced).
// - optimal: π of partition_selection.h at (ε/c, δ/c) a group, basic composition.
// - laplace: shown iff units + discrete Laplace of scale c/ε reaches the threshold at δ/c a group:
// what truncated_histogram.h shows, without the counts.
// - gaussian: σ = σ₁·√c, with which all counts that change are (ε, δ/2)-DP together (Balle and
// Wang; rounding is post-processing), and the threshold at δ/(2c) a group: what appears costs at
// most δ/2 more. Total (ε, δ), less noise than laplace where c is large.
//
// With min_units = m, groups of fewer than m units are never shown, and n units count as n − m + 1:
// a unit still changes that number by at most 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "discreet/mechanism/door.h"
#include "discreet/mechanism/gap/cutoff.h"
#include "discreet/mechanism/partition_selection.h"
#include "discreet/mechanism/released.h"
#include "discreet/random/generator.h"

namespace discreet::mechanism::gap {

enum class SelectionStrategy { kOptimal, kLaplace, kGaussian };
inline constexpr std::string_view kSelectionStrategies[] = {"optimal", "laplace", "gaussian"};
std::string_view name_of(SelectionStrategy strategy);
// The strategy of this name, or an error that says which there are.
Result<SelectionStrategy> strategy_named(std::string_view name);

struct GroupSelectionParameters {
  Rational epsilon, delta;  // for all groups together
  SelectionStrategy strategy = SelectionStrategy::kOptimal;
  std::int64_t groups_per_unit = 1;  // the caller sees to it that no unit is in more
  std::int64_t min_units = 1;
  privacy::Relation relation = privacy::Relation::kAddRemove;
};

class GroupSelection : private Door {
 public:
  static Result<GroupSelection> create(const GroupSelectionParameters& parameters);

  privacy::Guarantee guarantee() const { return {p_.epsilon, p_.delta, p_.relation}; }
  privacy::Event event() const { return {privacy::Approximate{p_.epsilon, p_.delta}}; }
  // How likely a group of so many units is to be shown.
  Ball keep_probability(std::int64_t units, long bits) const;
  // What units and noise have to reach together; none where no noise is added (optimal).
  std::optional<std::int64_t> threshold() const;
  // The noise's scale (laplace) or standard deviation (gaussian), in units; none for optimal.
  std::optional<Rational> noise_scale() const;
  // The least number of units at which it is shown with at least this probability, above 0 and
  // below 1.
  Result<std::int64_t> units_for(const Rational& probability) const;

  // Keys and the numbers of their units, side by side. Every group costs the same work.
  template <class Key>
  Result<Released<std::vector<std::pair<std::size_t, Key>>>> release(
      const Exact<std::vector<Key>>& keys, const Exact<std::vector<std::int64_t>>& units,
      random::Source& source = random::thread_generator()) const {
    const std::vector<Key>& all = open(keys);
    const std::vector<std::int64_t>& counts = open(units);
    const auto chosen = kept(std::span(counts).first(std::min(all.size(), counts.size())), source);
    if (!chosen) return tl::unexpected<Error>(chosen.error());
    std::vector<std::pair<std::size_t, Key>> shown;
    for (std::size_t i = 0; i < chosen->size(); ++i)
      if ((*chosen)[i]) shown.emplace_back(i, all[i]);
    return Released<std::vector<std::pair<std::size_t, Key>>>(std::move(shown), guarantee());
  }

 private:
  GroupSelection(GroupSelectionParameters parameters, std::optional<PartitionSelection> optimal,
                 std::optional<Cutoff> cutoff)
      : p_(std::move(parameters)), optimal_(std::move(optimal)), cutoff_(std::move(cutoff)) {}
  Result<std::vector<bool>> kept(std::span<const std::int64_t> units, random::Source& source) const;
  // What n units count as beside min_units.
  std::int64_t counted(std::int64_t units) const;

  GroupSelectionParameters p_;
  // One of the two is there.
  std::optional<PartitionSelection> optimal_;
  std::optional<Cutoff> cutoff_;
};

}  // namespace discreet::mechanism::gap
