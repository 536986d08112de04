#include "discreet/plan/planner.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/part_planner.h"
#include "discreet/plan/verify.h"
#include "discreet/plan/weights.h"

namespace discreet::plan {

using std::string;

namespace {

bool makes_sense(const Aggregate& one, const AggregateRow& row) {
  const auto can_make = [&](Made made) {
    switch (made) {
      case Made::kRows:
        return true;
      case Made::kCount:
      case Made::kUnits:
      case Made::kDifferent:
        return one.arg.has_value();
      case Made::kSum:
      case Made::kValues:
      case Made::kCentered:
        return one.arg && is_number(one.arg->type) && (one.bounds || one.per_group);
      case Made::kSquares:
        return one.arg && is_number(one.arg->type) && one.bounds && !one.per_group;
      case Made::kChoice:
        return one.arg && (row.scoring == bound::Scoring::Kind::kMode || one.bounds.has_value());
    }
    return false;
  };
  return std::all_of(row.made_of.begin(), row.made_of.end(), can_make);
}

}  // namespace

Status PartPlanner::plan() {
  TRY(rows());
  TRY(groups());
  declare();
  TRY(find_unknown());
  TRY(count_numbers());
  TRY(bound());
  TRY(make_sense());
  TRY(split());
  TRY(choose_selection());
  for (std::size_t i = 0; i < part_.rows.size(); ++i)
    part_.parts.push_back(
        statistics_.add(part_.select.aggregates[i], *part_.rows[i], part_.methods[i]));
  if (deciding_) part_.selection->by = part_.parts[*deciding_].at(0);
  weigh();
  if (left_out_ > 0) part_.left_out = left_out_counts(part_, left_out_);
  finish();
  return verify(part_);
}

tl::unexpected<Error> PartPlanner::unplannable() const {
  return fail(Code::kFailure, "an aggregate can't be planned; nothing was asked",
              "please report this query");
}

Status PartPlanner::rows() {
  for (const Aggregate& one : part_.select.aggregates) {
    part_.rows.push_back(aggregates_.row_of(one));
    if (!part_.rows.back() || part_.rows.back()->made_of.empty()) return unplannable();
  }
  return {};
}

// That what each is made of can be made.
Status PartPlanner::make_sense() const {
  for (std::size_t i = 0; i < part_.rows.size(); ++i)
    if (!makes_sense(part_.select.aggregates[i], *part_.rows[i])) return unplannable();
  return {};
}

void PartPlanner::note(string text) {
  if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
    notes_.push_back(std::move(text));
}

// Rows count with weights where they can. Of one row in a group a unit has the whole, whatever the
// weights of its rows are rounded to: where the number of rows decides which groups are shown it is
// a number of units.
void PartPlanner::weigh() {
  const auto bits = weight_bits(part_);
  if (!bits) return;
  part_.weight_bits = bits;
  if (part_.selection && part_.selection->by)
    if (Statistic& by = part_.statistics[*part_.selection->by]; by.kind == Statistic::Kind::kRows)
      by.kind = Statistic::Kind::kUnits;
  for (Statistic& one : part_.statistics)
    if (one.is_linear()) one.weight_bits = static_cast<int>(*bits);
}

void PartPlanner::finish() {
  // Where whole groups are folded, or units counted, all rows matter and none has to be dropped.
  part_.rows_per_group = counts_rows(part_) ? part_.bounds.rows : std::int64_t{bound::kNoLimit};
  Rational delta = 0, rho = 0;
  if (part_.selection) delta += part_.selection->delta;
  if (part_.gaussian) {
    delta += part_.gaussian->delta;
    for (const Statistic& one : part_.statistics)
      if (one.noise == Noise::kGaussian) rho += Rational(one.squares) / (one.scale * one.scale) / 2;
    part_.rho = rho;
  }
  Rational choices = 0;
  for (const Statistic& one : part_.statistics) choices += one.delta;
  if (unknown_.any()) choices = gap_delta_;
  part_.cost = {epsilon_, (keeps_delta_ ? delta_ : delta) + choices};
}

Status plan_part(PlanPart& part, const Planning& given) { return PartPlanner(part, given).plan(); }

}  // namespace discreet::plan
