#include "discreet/plan/verify.h"

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/bound/weights.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/noise.h"
#include "discreet/plan/shape.h"
#include "discreet/plan/statistics.h"
#include "discreet/plan/weights.h"
#include "discreet/privacy/gaussian.h"

namespace discreet::plan {
namespace {

Integer whole(std::int64_t value) { return Integer(static_cast<long>(value)); }

// The farthest that [low, high] lies from a point.
Integer reach(std::int64_t low, std::int64_t high, std::int64_t from = 0) {
  return std::max<Integer>(abs(whole(high) - whole(from)), abs(whole(low) - whole(from)));
}

tl::unexpected<Error> too_cheap() {
  return fail(Code::kFailure, "the plan would cost more than it charges; nothing was asked",
              "please report this query");
}

}  // namespace

Integer least_sensitivity(const PlanPart& part, const Statistic& one) {
  using Kind = Statistic::Kind;
  Integer rows = part.bounds.most_in_one();
  const Slot* slot = one.slot ? &part.slots[*one.slot] : nullptr;
  switch (one.kind) {
    case Kind::kRows:
    case Kind::kCount:
    case Kind::kDistinct:
      return rows;
    case Kind::kUnits:
    case Kind::kGroupMeans:
      return 1;
    case Kind::kSum:
      return slot ? Integer(rows * reach(slot->low, slot->high, one.center)) : rows;
    case Kind::kSquares: {  // each square is rounded
      if (!slot) return rows;
      const Integer half = reach(slot->low, slot->high, one.center);
      return rows * ((half * half >> static_cast<unsigned>(one.shift)) + 1);
    }
    case Kind::kGroupCount:
    case Kind::kGroupSum:
      return reach(one.low, one.high);
    case Kind::kGroupMean:
      return reach(one.low, one.high, one.center);
    case Kind::kEach:
      return rows;
    case Kind::kHistogram:
      break;
  }
  // A row moves a rank error by at most the larger weight, any other score by 1.
  return one.scoring.kind == bound::Scoring::Kind::kQuantile
             ? Integer(rows * whole(std::max(one.scoring.below_weight, one.scoring.above_weight)))
             : rows;
}

namespace {

// Over all groups together: a unit fills them one after the other, each row (or the unit itself,
// once a group) as far as it can reach.
bool covers_all_groups(const PlanPart& part, const Statistic& one) {
  const Integer in_one = least_sensitivity(part, one);
  if (!counts_by_row(one.kind)) {
    const Integer groups = part.bounds.most_groups();
    return one.total >= in_one * groups && one.squares >= in_one * in_one * groups;
  }
  const Integer rows = part.bounds.most_in_one();
  Integer total = 0, squares = 0;
  Integer left = part.bounds.most_rows();
  const Integer full = left / rows, rest = left % rows;
  const Integer last = (in_one * rest + rows - 1) / rows;
  total = full * in_one + last;
  squares = full * in_one * in_one + last * last;
  return one.total >= total && one.squares >= squares;
}

// A histogram in which a unit is in one bin; of kept rows, a sum that it changes by all it keeps.
Status verify_count(const PlanPart& part, const Count& one, bool bounded, Rational& pure) {
  const bool is_sum = one.kind == Count::Kind::kKept;
  if (is_sum && (!bounded || part.rows_per_group > part.bounds.rows || !counts_rows(part)))
    return too_cheap();
  if (one.sensitivity < (is_sum ? part.bounds.most_rows() : Integer(1)) || one.epsilon <= 0)
    return too_cheap();
  // Only values have shares of a unit, with noise on their finer grid.
  if (one.weight_bits != 0 && one.kind != Count::Kind::kValue) return too_cheap();
  pure += one.epsilon;
  return {};
}

// A number that each unit changes by 1 in each of its groups, with the noise that a truncated
// histogram draws: its scale is the one that is charged.
bool counts_units(const PlanPart& part, std::size_t which) {
  if (which >= part.statistics.size() || part.selection->min_units > 1) return false;
  const Statistic& one = part.statistics[which];
  const bool units = one.kind == Statistic::Kind::kUnits && !one.slot;
  // Rows with weights may add up to less than the one that the unit has.
  const bool rows =
      one.kind == Statistic::Kind::kRows && part.bounds.most_in_one() == 1 && !part.weight_bits;
  return (units || rows) && one.noise == Noise::kLaplace && one.exponent == 0 &&
         one.total >= part.bounds.most_groups();
}

// Only sums of rows have weights, and every one of them has the noise of its finer grid.
bool weighs_rightly(const PlanPart& part) {
  if (!part.weight_bits)
    return std::all_of(part.statistics.begin(), part.statistics.end(),
                       [](const Statistic& one) { return one.weight_bits == 0; });
  if (part.direct || *part.weight_bits > bound::kWeightBits) return false;
  return std::all_of(part.statistics.begin(), part.statistics.end(), [&](const Statistic& one) {
    return one.is_linear() ? one.weight_bits == static_cast<int>(*part.weight_bits)
                           : one.counts_units() && one.weight_bits == 0;
  });
}

}  // namespace

Status verify(const PlanPart& part) {
  if (!weighs_rightly(part)) return too_cheap();
  // With weights a unit is in all groups that nothing keeps it out of.
  if (part.weight_bits && releases_units(part) && !limits_groups(part)) return too_cheap();
  Rational pure = 0, inverse = 0;  // Σ ℓ1/b and the choices' ε; Σ ℓ2²/σ²
  Rational delta = part.selection ? part.selection->delta : Rational(0);
  const Rational largest_scale(Integer(1) << 40);
  for (const Statistic& one : part.statistics) {
    if (!chooses(one.noise) && one.scale * finer(one) > largest_scale)
      return fail(Code::kRefused, "the noise would be too large to be of use",
                  "ask with a larger epsilon or smaller bounds");
    if (one.sensitivity < least_sensitivity(part, one) || !covers_all_groups(part, one))
      return too_cheap();
    // Less than nothing would pay for another number.
    if ((chooses(one.noise) ? one.epsilon : one.scale) <= 0 || one.delta < 0) return too_cheap();
    const bool tests = one.noise == Noise::kProposed || one.noise == Noise::kStable;
    if (tests && (one.delta <= 0 || one.delta >= 1)) return too_cheap();
    if (chooses(one.noise)) pure += one.epsilon;
    delta += one.delta;
    if (one.noise == Noise::kLaplace) pure += Rational(one.total) / one.scale;
    if (one.noise == Noise::kGaussian) inverse += Rational(one.squares) / (one.scale * one.scale);
  }
  for (const Count& one : part.left_out) TRY(verify_count(part, one, true, pure));
  if (part.bounding == Bounding::kToMeasure && !part.survey) return too_cheap();
  if (part.survey)
    for (const Count& one : part.survey->counts) TRY(verify_count(part, one, false, pure));
  if (part.selection) {
    const Selection& selection = *part.selection;
    if (selection.delta <= 0 || selection.epsilon < 0) return too_cheap();
    if (selection.by ? !counts_units(part, *selection.by) : selection.epsilon == 0)
      return too_cheap();
    pure += selection.epsilon;
  }
  bool holds = inverse == 0;
  if (part.gaussian) {
    const auto sigma = privacy::gaussian_sigma(part.gaussian->epsilon, part.gaussian->delta, 1);
    holds = sigma && inverse * *sigma * *sigma <= 1;
    pure += part.gaussian->epsilon;
    delta += part.gaussian->delta;
  }
  if (!holds || pure > part.cost.epsilon || delta > part.cost.delta) return too_cheap();
  return {};
}

Status verify(const Plan& plan) {
  privacy::Guarantee sum;
  for (const PlanPart& part : plan.parts) {
    TRY(verify(part));
    sum.epsilon += part.cost.epsilon;
    sum.delta += part.cost.delta;
  }
  if (sum.epsilon > plan.cost.epsilon || sum.delta > plan.cost.delta) return too_cheap();
  return {};
}

}  // namespace discreet::plan
