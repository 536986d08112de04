// What plan_part (planner.h) goes through, step by step. Its steps are defined by what they decide:
// planner_bounds.cc how much of a unit counts, planner_groups.cc which groups are shown,
// planner_shares.cc how the budget is shared out, planner.cc the order and the rest.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "discreet/plan/planner.h"
#include "discreet/plan/statistics.h"
#include "discreet/plan/survey.h"

namespace discreet::plan {

// Fills one part of the plan: slots and statistics first, then the split of its budget.
class PartPlanner {
 public:
  PartPlanner(PlanPart& part, const Planning& given)
      : part_(part),
        aggregates_(given.aggregates),
        statistics_(part, shares_),
        catalog_(given.catalog),
        options_(given.options),
        epsilon_(given.epsilon),
        delta_(given.delta),
        known_(given.known),
        paid_(given.paid),
        text_(given.text),
        notes_(given.notes) {}

  Status plan();

 private:
  // planner.cc
  tl::unexpected<Error> unplannable() const;
  Status rows();
  Status make_sense() const;
  void note(std::string text);
  void weigh();
  void finish();

  // planner_bounds.cc
  void declare();
  bool counts_units() const;
  Status find_unknown();
  Status bound();
  Bounds declared(std::int64_t all);
  bool sums_only() const;
  bool leaves_out() const;

  // planner_groups.cc
  Status groups();
  Status choose_selection();
  std::optional<std::size_t> number_of_units() const;

  // planner_shares.cc
  tl::unexpected<Error> without_delta() const;
  Status count_numbers();
  Status choose_methods(bool selecting);
  Result<Rational> joint_sigma() const;
  Status split();

  bool grouped() const { return !part_.select.keys.empty(); }
  bool selects() const { return !part_.all_public || (options_.min_units && grouped()); }
  // Is every aggregate made of such numbers only?
  template <class Test>
  bool all_made_of(Test test) const {
    return std::all_of(part_.rows.begin(), part_.rows.end(), [&](const AggregateRow* row) {
      return std::all_of(row->made_of.begin(), row->made_of.end(), test);
    });
  }

  PlanPart& part_;
  const Aggregates& aggregates_;
  Shares shares_;
  Statistics statistics_;
  const Catalog& catalog_;
  const Options& options_;
  Rational epsilon_, delta_;
  const Profile& known_;
  const Survey* paid_;       // what was measured and paid for, once it was
  const std::string& text_;  // as the user wrote it
  std::vector<std::string>& notes_;
  std::optional<std::int64_t> groups_, rows_, total_, promise_;  // as declared
  std::optional<std::size_t> public_groups_;
  Unknown unknown_;
  Rational survey_, left_out_;  // their ε
  Rational gap_delta_ = 0;      // of δ, what choices have; delta_ is the rest
  std::int64_t additive_ = 0, choices_ = 0;
  bool keeps_delta_ = false;             // although the noise is Laplace
  std::int64_t numbers_ = 0;             // that share ε
  std::optional<std::size_t> deciding_;  // the aggregate by which groups are shown
};

}  // namespace discreet::plan
