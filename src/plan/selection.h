// Which groups are shown where not all are public. By a choice of its own (mechanism/gap/
// group_selection.h: each of the groups that a unit can be in has its share of ε and δ), or by the
// number of units itself, where that is asked and has Laplace noise: the truncated histogram
// (mechanism/gap/truncated_histogram.h), whose noise serves for both. Whichever shows half of the
// groups from fewer units on.
#pragma once

#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "discreet/mechanism/gap/group_selection.h"
#include "discreet/mechanism/gap/truncated_histogram.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

// About from how many units on a group is shown every other time, by the ways of its own: what the
// choice among them goes by. (The exact numbers take tables that are long where ε is small.)
double half_shown(const Selection& selection, const Integer& groups);

class GroupChooser {
 public:
  // Of a part that has a selection.
  static Result<GroupChooser> of(const PlanPart& part);
  // A truncated histogram whose noise has this scale, of units in so many groups.
  static Result<GroupChooser> by_count(const Rational& scale, const Rational& delta,
                                       const Integer& groups);
  static Result<GroupChooser> own(const Selection& selection, const Integer& groups);

  double keep_probability(std::int64_t units) const;
  // The least number of units at which a group is shown with at least this probability, below 1.
  Result<std::int64_t> units_for(const Rational& probability) const;
  // The least number that is ever shown, where the number of units decides.
  std::optional<std::int64_t> threshold() const;

  struct Shown {
    std::size_t place;  // among the contributions
    std::string key;
    std::optional<std::int64_t> units;  // with noise, where that decided
  };
  Result<std::vector<Shown>> release(const mechanism::Exact<std::vector<std::string>>& keys,
                                     const mechanism::Exact<std::vector<std::int64_t>>& units,
                                     random::Source& source) const;

 private:
  using How = std::variant<mechanism::gap::GroupSelection, mechanism::gap::TruncatedHistogram>;
  explicit GroupChooser(How how) : how_(std::move(how)) {}
  How how_;
};

// As good as surely: but for one group in a thousand.
inline const Rational kSurely(999, 1000);

// "optimal", "laplace", "gaussian" or "truncated histogram".
std::string_view name_of(const Selection& selection);

// All numbers of units that a released one can be of, but for probability beta, given that it was
// shown: what is below the threshold never is, and what is shown by luck is too large.
// `scale` is the noise's.
std::pair<double, double> shown_interval(std::int64_t released, std::int64_t threshold,
                                         double scale, double beta);

}  // namespace discreet::plan
