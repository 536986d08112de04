// Which groups a part shows: all of them where they are public, else those that are chosen
// privately.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "discreet/plan/group_keys.h"
#include "discreet/plan/part_planner.h"
#include "discreet/plan/selection.h"
#include "discreet/sql/keys.h"

namespace discreet::plan {

Status PartPlanner::groups() {
  for (std::size_t i = 0; i < part_.select.domains.size(); ++i)
    if (auto& domain = part_.select.domains[i])
      domain = distinct_keys(*domain, part_.select.keys[i].type);
  if (auto& listed = part_.select.groups) listed = distinct_groups(*listed, part_.select.keys);
  part_.all_public = std::all_of(part_.select.domains.begin(), part_.select.domains.end(),
                                 [](const auto& domain) { return domain.has_value(); });
  if (part_.all_public) {
    const std::size_t product = number_of_groups(part_.select);
    if (product > sql::kMostPublicGroups)
      return fail(
          Code::kRefused,
          fmt::format(
              "the public keys have more than {} combinations, and all of them would be shown",
              sql::kMostPublicGroups),
          "group by fewer columns");
    public_groups_ = std::max<std::size_t>(1, product);
  } else if (options_.selection == "PUBLIC_GROUPS") {
    return fail(Code::kRefused,
                "group_selection_strategy=PUBLIC_GROUPS: not all keys have public values",
                "declare columns.NAME = { values = […] } in the policy");
  }
  return {};
}

// How groups are shown: in the way that shows half of them from fewer units on. Where the number
// of units decides, every other number has a larger share.
Status PartPlanner::choose_selection() {
  if (!part_.selection) return {};
  constexpr double kFarthest = 1e15;  // no group has so many units
  Selection& selection = *part_.selection;
  const Integer groups = part_.bounds.most_groups();
  using Strategy = mechanism::gap::SelectionStrategy;
  double least = std::numeric_limits<double>::infinity();
  Strategy best = selection.strategy;
  for (const Strategy one : {Strategy::kOptimal, Strategy::kLaplace, Strategy::kGaussian}) {
    selection.strategy = one;
    const double half = half_shown(selection, groups);
    if (!(half < kFarthest)) continue;
    selection.ways.emplace_back(name_of(selection), static_cast<std::int64_t>(half));
    if (half < least) best = one, least = half;
  }
  selection.strategy = best;
  if (const auto counted = number_of_units(); counted && numbers_ > 1) {
    Selection shared = selection;
    shared.epsilon = shares_.share * numbers_ / (numbers_ - 1);
    shared.strategy = Strategy::kLaplace;
    const double half = half_shown(shared, groups);
    if (half < kFarthest)
      selection.ways.emplace_back("truncated histogram", static_cast<std::int64_t>(half));
    if (half <= least) {
      deciding_ = counted;
      shares_.share = shared.epsilon;
      shares_.laplace = 1 / shares_.share;
      selection.epsilon = 0;
    }
  }
  std::stable_sort(selection.ways.begin(), selection.ways.end(),
                   [](const auto& a, const auto& b) { return a.second < b.second; });
  return {};
}

// The aggregate that is the number of units in a group, with Laplace noise and a share like all
// others', if there is one.
std::optional<std::size_t> PartPlanner::number_of_units() const {
  if (shares_.gaussian || options_.min_units || !grouped()) return std::nullopt;
  for (std::size_t i = 0; i < part_.rows.size(); ++i) {
    const Aggregate& one = part_.select.aggregates[i];
    if (one.epsilon || one.per_group) continue;
    const auto& made_of = part_.rows[i]->made_of;
    if (made_of == std::vector{Made::kUnits} && one.arg && one.arg->op == Op::kLiteral) return i;
    if (made_of == std::vector{Made::kRows} && part_.bounds.most_in_one() == 1) return i;
  }
  return std::nullopt;
}

}  // namespace discreet::plan
