// In which of several ways a choice is released: a quantile by the exponential mechanism, by smooth
// sensitivity or by propose-test-release, a mode by the exponential mechanism or where it is
// stable.
//
// Chosen before anything is paid, so by public numbers alone: what each would be off by in groups
// of as many units as a profile says, else of kAssumedUnits on the average, with a
// row each, whose values fill the middle half of the bounds evenly. Real data don't; who knows
// theirs says method => ….
#pragma once

#include <string>
#include <vector>

#include "discreet/mechanism/gap/bounded_change.h"
#include "discreet/plan/aggregates.h"

namespace discreet::plan {

inline constexpr std::int64_t kAssumedUnits[] = {3, 30, 300, 3000};
inline constexpr std::int64_t kMostAssumed = 3000;
inline constexpr std::int64_t kLargestGroup = 100'000;  // more units count as so many

// What a choice may cost, in all groups together, and what a unit may bring to it.
struct Means {
  Rational epsilon, delta;
  std::int64_t rows = 1, groups = 1;
  std::optional<std::int64_t> units = {};  // in a group, where a profile says it
};

// The way that was asked for, or else the one with the least expected error; and what was expected
// of the others. An error where none is possible.
Result<Method> choose_method(const Aggregate& aggregate, const AggregateRow& row,
                             const Means& means);

// Does it need a δ of its own?
bool needs_delta(Noise way);
// … whatever else is said: a mode of values that nobody declared.
bool must_have_delta(const Aggregate& aggregate);

// Among how many values a quantile is chosen by the exponential mechanism.
std::int64_t leaves_of(const Aggregate& aggregate);

// The bound that propose-test-release proposes where nobody says one: twice what so many such units
// need, as a share of the bounds' width.
double proposed_share(const Rational& epsilon, const Rational& delta, std::int64_t rows,
                      std::int64_t units = kMostAssumed);

// What releases a statistic by propose-test-release, in one group: whoever draws by it and whoever
// says how far off it is ask here.
Result<mechanism::gap::BoundedChange> proposed_mechanism(const PlanPart& part,
                                                         const Statistic& statistic);

std::string words(const Method& method, const std::string& text, const std::string& unit);

}  // namespace discreet::plan
