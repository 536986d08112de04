#include "discreet/plan/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "discreet/plan/group_keys.h"
#include "discreet/plan/methods.h"
#include "discreet/sql/canonical.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {

using std::string;
using S = Statistic::Kind;

namespace {

Rational power_of_two(int exponent) {
  return exponent >= 0 ? Rational(Integer(1) << static_cast<unsigned>(exponent))
                       : Rational(Integer(1), Integer(1) << static_cast<unsigned>(-exponent));
}

// The nearest whole number, halves up.
Integer nearest_integer(const Rational& value) {
  const Rational shifted = value + Rational(1, 2);
  Integer out;
  mpz_fdiv_q(out.get_mpz_t(), shifted.get_num_mpz_t(), shifted.get_den_mpz_t());
  return out;
}

std::int64_t to_int64(const Integer& value) {
  return value.fits_slong_p() ? value.get_si() : (value < 0 ? INT64_MIN / 4 : INT64_MAX / 4);
}

Rational largest(const Interval& bounds) {
  return std::max<Rational>(abs(bounds.low), abs(bounds.high));
}

Integer magnitude(std::int64_t value) { return abs(Integer(static_cast<long>(value))); }

// The exponent of the least power of two above the value, kept where its square is still a double:
// ranges beyond are no ranges of data, and 0 has any grid.
int log2_ceil(const Rational& value) {
  constexpr int kMost = 400;
  if (value <= 0) return 0;
  if (value > power_of_two(kMost)) return kMost;
  if (value < power_of_two(-kMost)) return -kMost;
  int exponent = 0;
  std::frexp(to_double(value), &exponent);
  return exponent;
}

bool is_whole(const Rational& value) { return value.get_den() == 1; }

// The grid's step is the noise's scale over 2^30: rounding a row is far below the noise, and sums
// of 2^33/ε units still fit 64 bits.
constexpr int kGridBits = 30;

string bounds_text(const std::optional<Interval>& bounds, const char* form) {
  return bounds ? fmt::format(fmt::runtime(form), to_decimal(bounds->low), to_decimal(bounds->high))
                : "";
}

std::int64_t middle(std::int64_t low, std::int64_t high) { return low + (high - low) / 2; }

Statistic made(S kind, std::optional<std::size_t> slot, const Integer& sensitivity) {
  Statistic out;
  out.kind = kind;
  out.slot = slot;
  out.sensitivity = sensitivity;
  return out;
}

}  // namespace

bool counts_by_row(bound::Total::Kind kind) {
  switch (kind) {
    case S::kRows:
    case S::kCount:
    case S::kSum:
    case S::kSquares:
    case S::kDistinct:
    case S::kHistogram:
    case S::kEach:
      return true;
    case S::kUnits:
    case S::kGroupCount:
    case S::kGroupSum:
    case S::kGroupMeans:
    case S::kGroupMean:
      break;
  }
  return false;
}

Rational sqrt_up(const Rational& value) {
  Integer scaled = (value.get_num() << 96) / value.get_den() + 1;
  Integer root;
  mpz_sqrt(root.get_mpz_t(), scaled.get_mpz_t());
  Rational out(root + 1, Integer(1) << 48);
  out.canonicalize();
  return out;
}

Statistics::Statistics(PlanPart& part, const Shares& shares)
    : part_(part), shares_(shares), places_(sql::places_of(*part.select.input)) {}

std::vector<std::pair<string, bool>> Statistics::names(const Aggregate& aggregate,
                                                       const AggregateRow& row) const {
  std::vector<std::pair<string, bool>> out;
  for (const Made one : row.made_of)
    out.emplace_back(name(aggregate, row, one), one == Made::kChoice);
  return out;
}

string Statistics::name(const Aggregate& aggregate, const AggregateRow& row, Made made) const {
  const string arg = aggregate.arg ? sql::canonical(*aggregate.arg, places_) : "";
  const string group = bounds_text(aggregate.per_group, "/{}:{}");
  const string bounds = bounds_text(aggregate.bounds, "[{}:{}]");
  switch (made) {
    case Made::kRows:
      return "rows" + group;
    case Made::kCount: {
      // A count of numbers with known bounds uses the same slot, and is the same number, as the one
      // in their average. Any other is of flags, and a number of its own.
      const auto within = counted_within(aggregate);
      return within ? "count " + arg + bounds_text(within, "[{}:{}]") : "present " + arg + group;
    }
    case Made::kUnits:
      return "units " + arg;
    case Made::kDifferent:
      return "distinct " + arg;
    case Made::kSum:
      return "sum " + arg + bounds + group;
    case Made::kValues:
      return "count " + arg + bounds + group;
    case Made::kCentered:
      return "centered " + arg + bounds + group;
    case Made::kSquares:
      return "squares " + arg + bounds;
    case Made::kChoice:
      break;
  }
  return fmt::format("{} {} {}{} {}{}", row.form.name, to_decimal(aggregate.share), arg, bounds,
                     aggregate.method, aggregate.proposed ? to_decimal(*aggregate.proposed) : "");
}

// To which bounds numbers are clamped where they are only counted: those of their average, which
// may have been measured since the budget was shared out, or those that are declared.
std::optional<Interval> Statistics::counted_within(const Aggregate& aggregate) const {
  if (aggregate.per_group || !is_number(aggregate.arg->type) || !aggregate.arg->range) return {};
  for (std::size_t i = 0; i < part_.rows.size(); ++i) {
    const Aggregate& other = part_.select.aggregates[i];
    const auto& made_of = part_.rows[i]->made_of;
    if (other.bounds && !other.per_group && other.arg && *other.arg == *aggregate.arg &&
        other.epsilon == aggregate.epsilon &&
        std::find(made_of.begin(), made_of.end(), Made::kValues) != made_of.end())
      return other.bounds;
  }
  return aggregate.arg->range;
}

std::vector<std::size_t> Statistics::add(const Aggregate& aggregate, const AggregateRow& row,
                                         const std::optional<Method>& method) {
  made_of_ = row.made_of.size();
  pure_ = method && method->pure;
  std::vector<std::size_t> out;
  for (const Made one : row.made_of)
    out.push_back(add(aggregate, row, one, method ? method->way : Noise::kExponential));
  return out;
}

// Δ in one group: what `max_rows` rows of one unit can change, or one unit's whole contribution
// where that is what is bounded.
std::size_t Statistics::add(const Aggregate& aggregate, const AggregateRow& row, Made what,
                            Noise way) {
  switch (what) {
    case Made::kRows:
      return statistic(aggregate, aggregate.per_group ? group_count(aggregate, std::nullopt)
                                                      : made(S::kRows, std::nullopt, rows()));
    case Made::kCount: {
      const auto within = counted_within(aggregate);
      const std::size_t from =
          within ? number_slot(aggregate, *within, *within) : flag_slot(aggregate);
      return statistic(aggregate, aggregate.per_group ? group_count(aggregate, from)
                                                      : made(S::kCount, from, rows()));
    }
    case Made::kUnits:
      return statistic(aggregate,
                       made(S::kUnits,
                            aggregate.arg->op == Op::kLiteral ? std::nullopt
                                                              : std::optional(flag_slot(aggregate)),
                            1));
    case Made::kDifferent: {
      Slot hash;
      hash.kind = Slot::Kind::kHash;
      hash.value = *aggregate.arg;
      return statistic(aggregate, made(S::kDistinct, slot(std::move(hash)), rows()));
    }
    case Made::kSum:
      return statistic(aggregate, sum(aggregate));
    case Made::kValues:
      return statistic(aggregate, aggregate.per_group
                                      ? made(S::kGroupMeans, value_slot(aggregate), 1)
                                      : made(S::kCount, value_slot(aggregate), rows()));
    case Made::kCentered:
      return statistic(aggregate, centered(aggregate));
    case Made::kSquares:
      return statistic(aggregate, squares(aggregate));
    case Made::kChoice:
      break;
  }
  switch (way) {
    case Noise::kSmooth:
    case Noise::kProposed:
      return statistic(aggregate, each(aggregate, way));
    case Noise::kStable:
      if (!aggregate.arg->domain) return statistic(aggregate, word(aggregate));
      break;
    case Noise::kLaplace:
    case Noise::kGaussian:
    case Noise::kExponential:
      break;
  }
  Statistic out = choice(aggregate, row.scoring);
  out.noise = way == Noise::kStable ? Noise::kStable : Noise::kExponential;
  return statistic(aggregate, std::move(out));
}

Statistic Statistics::group_count(const Aggregate& aggregate,
                                  std::optional<std::size_t> slot) const {
  Statistic out = made(S::kGroupCount, slot, 0);
  out.low = to_int64(nearest_integer(aggregate.per_group->low));
  out.high = to_int64(nearest_integer(aggregate.per_group->high));
  out.sensitivity = std::max<Integer>(magnitude(out.low), magnitude(out.high));
  return out;
}

// Each row's value within the bounds; or each unit's sum in a group, whose rows have none.
Statistic Statistics::sum(const Aggregate& aggregate) {
  const std::size_t at = value_slot(aggregate);
  const Slot& slot = part_.slots[at];
  Statistic out = made(aggregate.per_group ? S::kGroupSum : S::kSum, at, 0);
  out.exponent = slot.exponent;
  if (!aggregate.per_group) {
    out.sensitivity = rows() * std::max<Integer>(magnitude(slot.low), magnitude(slot.high));
    return out;
  }
  out.low = to_int64(nearest_integer(aggregate.per_group->low / power_of_two(out.exponent)));
  out.high = to_int64(nearest_integer(aggregate.per_group->high / power_of_two(out.exponent)));
  out.sensitivity = std::max<Integer>(magnitude(out.low), magnitude(out.high));
  return out;
}

// The same less the middle of the bounds: Δ is half as large. A unit's mean has a finer grid than
// the values it is the mean of: those may be whole numbers, it isn't.
Statistic Statistics::centered(const Aggregate& aggregate) {
  Statistic out = sum(aggregate);
  const Slot& slot = part_.slots[*out.slot];
  if (aggregate.per_group) {
    out.kind = S::kGroupMean;
    constexpr int kMostFiner = 40;  // a sum of rows, shifted by so much, fits 128 bits
    out.exponent = std::clamp(grid(aggregate, *aggregate.per_group, false),
                              slot.exponent - kMostFiner, slot.exponent);
    out.shift = slot.exponent - out.exponent;
    out.low = to_int64(nearest_integer(aggregate.per_group->low / power_of_two(out.exponent)));
    out.high = to_int64(nearest_integer(aggregate.per_group->high / power_of_two(out.exponent)));
  }
  const std::int64_t low = aggregate.per_group ? out.low : slot.low;
  const std::int64_t high = aggregate.per_group ? out.high : slot.high;
  out.center = middle(low, high);
  const Integer half = std::max<Integer>(magnitude(high - out.center), magnitude(out.center - low));
  out.sensitivity = aggregate.per_group ? half : Integer(rows() * half);
  return out;
}

Statistic Statistics::squares(const Aggregate& aggregate) {
  const std::size_t at = value_slot(aggregate);
  const Slot& slot = part_.slots[at];
  Statistic out = made(S::kSquares, at, 0);
  out.center = middle(slot.low, slot.high);
  const Integer half =
      std::max<Integer>(magnitude(slot.high - out.center), magnitude(out.center - slot.low));
  out.shift =
      std::max(0, log2_ceil(multiplier(aggregate, true) * Rational(half * half)) - kGridBits);
  out.exponent = 2 * slot.exponent + out.shift;
  // each square is rounded
  out.sensitivity = rows() * ((half * half >> static_cast<unsigned>(out.shift)) + 1);
  return out;
}

Statistic Statistics::choice(const Aggregate& aggregate, bound::Scoring::Kind scoring) {
  Slot leaf;
  leaf.value = *aggregate.arg;
  Statistic out = made(S::kHistogram, std::nullopt, rows());
  out.scoring.kind = scoring;
  if (scoring == bound::Scoring::Kind::kMode) {
    leaf.kind = Slot::Kind::kChoice;
    leaf.choices = distinct_keys(*aggregate.arg->domain, aggregate.arg->type);
    leaf.leaves = static_cast<std::int64_t>(leaf.choices.size());
  } else {
    leaf.kind = Slot::Kind::kLeaf;
    leaf.bounds = *aggregate.bounds;
    leaf.bottom = to_double(leaf.bounds.low);
    leaf.width = std::max(to_double(Rational(leaf.bounds.high - leaf.bounds.low)), 1e-300);
    leaf.leaves = leaves_of(aggregate);
  }
  switch (scoring) {
    case bound::Scoring::Kind::kMode:
      break;
    case bound::Scoring::Kind::kQuantile: {
      // The rank error (bound/contributions.cc) in whole numbers: p to a millionth. A row moves it
      // by at most the larger weight.
      const Rational p = Rational(nearest_integer(aggregate.share * 1'000'000)) / 1'000'000;
      std::int64_t& below = out.scoring.below_weight;
      std::int64_t& above = out.scoring.above_weight;
      below = to_int64(Integer((1 - p) * 1'000'000));
      above = to_int64(Integer(p * 1'000'000));
      const std::int64_t divisor = std::max<std::int64_t>(1, std::gcd(below, above));
      below /= divisor;
      above /= divisor;
      out.sensitivity = rows() * Integer(static_cast<long>(std::max(below, above)));
      break;
    }
    case bound::Scoring::Kind::kMin:
    case bound::Scoring::Kind::kMax: {
      // The value with about τ rows beyond it: fewer would drown in the noise. τ =
      // (2Δ/ε)·ln(leaves/0.05).
      const Rational epsilon = aggregate.epsilon ? *aggregate.epsilon : shares_.share;
      const double tau = 2 * part_.bounds.most_rows().get_d() / to_double(epsilon) *
                         std::log(static_cast<double>(leaf.leaves) / 0.05);
      out.scoring.target = static_cast<std::int64_t>(std::ceil(std::min(tau, 1e15)));
      break;
    }
  }
  out.scoring.leaves = leaf.leaves;
  out.slot = slot(std::move(leaf));
  return out;
}

// Every row's value on a fine grid: what noise in proportion to a local sensitivity needs.
Statistic Statistics::each(const Aggregate& aggregate, Noise way) {
  constexpr int kFine = 20;  // bits of the bounds' width
  const Interval& bounds = *aggregate.bounds;
  Slot out;
  out.value = *aggregate.arg;
  out.bounds = bounds;
  out.exponent = log2_ceil(bounds.high - bounds.low) - kFine;
  if (aggregate.arg->type == Type::kInt || aggregate.arg->type == Type::kDate)
    out.exponent = std::max(out.exponent, 0);
  const Rational step = power_of_two(out.exponent);
  out.low = to_int64(nearest_integer(bounds.low / step));
  out.high = to_int64(nearest_integer(bounds.high / step));
  // A single point, or ends too far out for so fine a grid, have no width to measure.
  out.high = std::max(out.high, out.low + 1);
  Statistic made_of = made(S::kEach, slot(out), rows());
  made_of.noise = way;
  made_of.exponent = out.exponent;
  made_of.share = aggregate.share;
  if (way == Noise::kProposed) {
    const Rational groups(part_.bounds.most_groups());
    const Rational epsilon = (aggregate.epsilon ? *aggregate.epsilon : shares_.share) / groups;
    const Rational bound =
        aggregate.proposed
            ? *aggregate.proposed
            : Rational(proposed_share(epsilon, shares_.delta / groups, to_int64(rows()),
                                      shares_.units.value_or(kMostAssumed))) *
                  (bounds.high - bounds.low);
    made_of.proposed = std::max<std::int64_t>(1, to_int64(nearest_integer(bound / step)));
  }
  return made_of;
}

// Values that nobody listed, by what they are.
Statistic Statistics::word(const Aggregate& aggregate) {
  Slot out;
  out.kind = Slot::Kind::kWord;
  out.value = sql::short_name(*aggregate.arg);
  Statistic made_of = made(S::kEach, slot(std::move(out)), rows());
  made_of.noise = Noise::kStable;
  return made_of;
}

Rational Statistics::multiplier(const Aggregate& aggregate, bool by_row) const {
  const Bounds& bounds = part_.bounds;
  const Rational l1(by_row ? bounds.most_rows() : bounds.most_groups());
  if (aggregate.epsilon) return l1 * static_cast<long>(made_of_) / *aggregate.epsilon;
  if (!shares_.gaussian) return shares_.laplace * l1;
  return *shares_.gaussian *
         sqrt_up(Rational(by_row ? bounds.rows_squared() : bounds.most_groups()));
}

// The grid on which this row value is rounded: fine against the noise, and whole where the values
// are.
int Statistics::grid(const Aggregate& aggregate, const Interval& bounds, bool whole) const {
  const int exponent =
      log2_ceil(multiplier(aggregate, !aggregate.per_group) * largest(bounds)) - kGridBits;
  return whole ? std::max(exponent, 0) : exponent;
}

std::size_t Statistics::slot(Slot wanted) {
  for (std::size_t i = 0; i < part_.slots.size(); ++i) {
    const Slot& other = part_.slots[i];
    if (static_cast<const bound::Slot&>(other) == wanted && other.bounds == wanted.bounds &&
        other.choices == wanted.choices && other.value == wanted.value)
      return i;
  }
  part_.slots.push_back(std::move(wanted));
  return part_.slots.size() - 1;
}

std::size_t Statistics::number_slot(const Aggregate& aggregate, const Interval& bounds,
                                    const Interval& clamp) {
  Slot out;
  out.value = *aggregate.arg;
  const bool whole =
      aggregate.arg->type == Type::kInt && is_whole(bounds.low) && is_whole(bounds.high);
  out.exponent = grid(aggregate, bounds, whole);
  out.bounds = clamp;
  out.low = to_int64(nearest_integer(clamp.low / power_of_two(out.exponent)));
  out.high = to_int64(nearest_integer(clamp.high / power_of_two(out.exponent)));
  return slot(std::move(out));
}

// Each row's value. Where the unit's whole contribution to a group is bounded a single row may be
// much larger than that.
std::size_t Statistics::value_slot(const Aggregate& aggregate) {
  if (!aggregate.per_group) return number_slot(aggregate, *aggregate.bounds, *aggregate.bounds);
  const Rational wide = largest(*aggregate.per_group) * 4'194'304;
  return number_slot(aggregate, *aggregate.per_group, Interval{-wide, wide});
}

std::size_t Statistics::flag_slot(const Aggregate& aggregate) {
  Slot out;
  out.kind = Slot::Kind::kFlag;
  out.value = *aggregate.arg;
  out.low = out.high = 1;
  return slot(std::move(out));
}

std::size_t Statistics::statistic(const Aggregate& aggregate, Statistic wanted) {
  if (wanted.sensitivity < 1) wanted.sensitivity = 1;
  const bool by_row = counts_by_row(wanted.kind);
  // What one row (or one unit, in one group) changes; a sensitivity below a row's is that of all.
  Integer each = wanted.sensitivity;
  if (by_row) each = (each + rows() - 1) / rows();
  wanted.total = each * (by_row ? part_.bounds.most_rows() : part_.bounds.most_groups());
  wanted.squares =
      each * each * (by_row ? part_.bounds.rows_squared() : part_.bounds.most_groups());
  if (!chooses(wanted.noise)) {
    wanted.noise = !aggregate.epsilon && shares_.gaussian ? Noise::kGaussian : Noise::kLaplace;
    wanted.scale = multiplier(aggregate, by_row) * Rational(each);
  }
  if (needs_delta(wanted.noise) && !pure_) wanted.delta = shares_.delta;
  wanted.epsilon = aggregate.epsilon ? Rational(*aggregate.epsilon / static_cast<long>(made_of_))
                                     : shares_.share;
  for (std::size_t i = 0; i < part_.statistics.size(); ++i) {
    const Statistic& other = part_.statistics[i];
    if (static_cast<const bound::Total&>(other) == wanted && other.epsilon == wanted.epsilon &&
        other.noise == wanted.noise && other.proposed == wanted.proposed &&
        other.share == wanted.share && !aggregate.epsilon)
      return i;
  }
  part_.statistics.push_back(std::move(wanted));
  return part_.statistics.size() - 1;
}

}  // namespace discreet::plan
