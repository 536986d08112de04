// The numbers that are released for aggregates: what the bounding adds up for each, on which grid,
// and how much one unit changes it.
#pragma once

#include <string>
#include <vector>

#include "discreet/plan/aggregates.h"

namespace discreet::plan {

// A rational of at least √value, within 2^-48 of it.
Rational sqrt_up(const Rational& value);

// Does each kept row of a unit count, or the unit once a group?
bool counts_by_row(bound::Total::Kind kind);

// How a part's budget is split: each number has an equal share, those with noise from one of these.
struct Shares {
  Rational share;                     // ε of each number that has none of its own
  Rational delta = 0;                 // δ of each choice that needs one
  std::optional<std::int64_t> units;  // in a group, where a profile says it
  Rational laplace;                   // b = laplace · ℓ1
  std::optional<Rational> gaussian;   // σ = gaussian · ℓ2, where that is narrower
};

class Statistics {
 public:
  Statistics(PlanPart& part, const Shares& shares);

  // The numbers an aggregate is made of by name (the same name is released once), and whether each
  // is a choice.
  std::vector<std::pair<std::string, bool>> names(const Aggregate& aggregate,
                                                  const AggregateRow& row) const;
  // Adds its statistics to the part, or finds those that are there; their places.
  std::vector<std::size_t> add(const Aggregate& aggregate, const AggregateRow& row,
                               const std::optional<Method>& method);

 private:
  std::size_t add(const Aggregate& aggregate, const AggregateRow& row, Made made, Noise way);
  std::string name(const Aggregate& aggregate, const AggregateRow& row, Made made) const;
  std::optional<Interval> counted_within(const Aggregate& aggregate) const;
  Statistic group_count(const Aggregate& aggregate, std::optional<std::size_t> slot) const;
  Statistic sum(const Aggregate& aggregate);
  Statistic centered(const Aggregate& aggregate);
  Statistic squares(const Aggregate& aggregate);
  Statistic choice(const Aggregate& aggregate, bound::Scoring::Kind scoring);
  Statistic each(const Aggregate& aggregate, Noise way);
  Statistic word(const Aggregate& aggregate);

  // The noise's scale on a number that a row (or a unit) changes by 1.
  Rational multiplier(const Aggregate& aggregate, bool by_row) const;
  int grid(const Aggregate& aggregate, const Interval& bounds, bool whole) const;
  std::size_t slot(Slot wanted);
  std::size_t number_slot(const Aggregate& aggregate, const Interval& bounds,
                          const Interval& clamp);
  std::size_t value_slot(const Aggregate& aggregate);
  std::size_t flag_slot(const Aggregate& aggregate);
  std::size_t statistic(const Aggregate& aggregate, Statistic wanted);
  Integer rows() const { return part_.bounds.most_in_one(); }

  PlanPart& part_;
  const Shares& shares_;
  std::vector<std::string> places_;
  std::size_t made_of_ = 1;  // how many numbers the aggregate at hand is made of
  bool pure_ = false;        // the choice at hand needs no δ
};

}  // namespace discreet::plan
