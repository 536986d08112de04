#include "discreet/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/verify.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/sql/canonical.h"
#include "discreet/sql/keys.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {
namespace {

using std::string;
using Kind = Aggregate::Kind;

// A rational of at least √value, within 2^-48 of it.
Rational sqrt_up(const Rational& value) {
  Integer scaled = (value.get_num() << 96) / value.get_den() + 1;
  Integer root;
  mpz_sqrt(root.get_mpz_t(), scaled.get_mpz_t());
  Rational out(root + 1, Integer(1) << 48);
  out.canonicalize();
  return out;
}

Rational power_of_two(int exponent) {
  Rational out = exponent >= 0
                     ? Rational(Integer(1) << static_cast<unsigned>(exponent))
                     : Rational(Integer(1), Integer(1) << static_cast<unsigned>(-exponent));
  return out;
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

void tables_of(const Relation& relation, std::vector<string>& out) {
  if (relation.kind == Relation::Kind::kScan && relation.is_private &&
      std::find(out.begin(), out.end(), relation.table) == out.end())
    out.push_back(relation.table);
  for (const sql::RelationPtr& input : relation.inputs) tables_of(*input, out);
}

// The grid's step is the noise's scale over 2^30: rounding a row is far below the noise, and sums
// of 2^33/ε units still fit 64 bits.
constexpr int kGridBits = 30;

// Fills one part of the plan: slots and statistics first, then the split of its budget.
class Planner {
 public:
  Planner(PlanPart& part, const Catalog& catalog, const Options& options, const Rational& epsilon,
          const Rational& delta, std::vector<string>& notes)
      : part_(part),
        catalog_(catalog),
        options_(options),
        epsilon_(epsilon),
        delta_(delta),
        notes_(notes) {}

  Status plan() {
    TRY(bound());
    TRY(groups());
    places_ = places_of(*part_.select.input);
    TRY(count_numbers());
    TRY(split());
    for (const Aggregate& aggregate : part_.select.aggregates) add(aggregate);
    finish();
    return verify(part_);
  }

 private:
  Status bound() {
    std::vector<string> tables;
    tables_of(*part_.select.input, tables);
    std::optional<std::int64_t> groups, rows;
    for (const string& name : tables) {
      const policy::TableRule& rule = catalog_.table(name)->rule;
      if (rule.max_groups) groups = std::max(groups.value_or(1), *rule.max_groups);
      if (rule.max_rows_per_group) rows = std::max(rows.value_or(1), *rule.max_rows_per_group);
    }
    const auto promise = part_.select.input->rows_per_unit;
    if (options_.max_groups) groups = options_.max_groups;
    if (options_.max_rows) rows = options_.max_rows;
    const bool grouped = !part_.select.keys.empty();
    if (promise) {
      groups = std::min(groups.value_or(*promise), *promise);
      rows = std::min(rows.value_or(*promise), *promise);
    }
    if (!groups && grouped)
      note(fmt::format("max_groups is not declared: each {} counts in 1 group", catalog_.unit));
    if (!rows && needs_rows())
      note(fmt::format("max_rows_per_group is not declared: each {} counts with 1 row a group",
                       catalog_.unit));
    part_.max_groups = grouped ? groups.value_or(1) : 1;
    part_.max_rows = rows.value_or(1);
    part_.direct = promise && part_.max_rows >= *promise &&
                   (!grouped || part_.max_groups >= *promise) && sums_only();
    if (promise && !part_.select.input->rows_proved)
      note(fmt::format("the owner promises at most {} row{} a {}", *promise,
                       *promise == 1 ? "" : "s", catalog_.unit));
    return {};
  }

  void note(string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
      notes_.push_back(std::move(text));
  }

  bool needs_rows() const {
    return std::any_of(
        part_.select.aggregates.begin(), part_.select.aggregates.end(),
        [](const Aggregate& one) { return !one.per_group && one.kind != Kind::kCountUnits; });
  }

  // The direct way adds up rows in the engine's own aggregation; one row a unit makes units rows.
  bool sums_only() const {
    return part_.max_rows == 1 &&
           std::all_of(part_.select.aggregates.begin(), part_.select.aggregates.end(),
                       [](const Aggregate& one) {
                         return !one.per_group &&
                                (one.kind == Kind::kCountRows || one.kind == Kind::kCount ||
                                 one.kind == Kind::kCountUnits || one.kind == Kind::kSum ||
                                 one.kind == Kind::kAvg || one.kind == Kind::kVarPop ||
                                 one.kind == Kind::kVarSamp || one.kind == Kind::kStddevPop ||
                                 one.kind == Kind::kStddevSamp);
                       });
  }

  Status groups() {
    for (std::size_t i = 0; i < part_.select.domains.size(); ++i)
      if (auto& domain = part_.select.domains[i])
        domain = distinct_keys(*domain, part_.select.keys[i].type);
    part_.all_public = std::all_of(part_.select.domains.begin(), part_.select.domains.end(),
                                   [](const auto& domain) { return domain.has_value(); });
    if (part_.all_public) {
      std::size_t product = 1;
      for (const auto& domain : part_.select.domains) {
        product *= std::max<std::size_t>(1, domain->size());
        if (product > sql::kMostPublicGroups)
          return fail(
              Code::kRefused,
              fmt::format(
                  "the public keys have more than {} combinations, and all of them would be shown",
                  sql::kMostPublicGroups),
              "group by fewer columns");
      }
      part_.max_groups =
          std::min<std::int64_t>(part_.max_groups, static_cast<std::int64_t>(product));
    } else if (options_.selection == "PUBLIC_GROUPS") {
      return fail(Code::kRefused,
                  "group_selection_strategy=PUBLIC_GROUPS: not all keys have public values",
                  "declare columns.NAME = { values = […] } in the policy");
    }
    return {};
  }

  // How many numbers a group are released: they share the budget equally.
  Status count_numbers() {
    Rational fixed = 0;
    std::vector<string> seen;
    const auto count = [&](const Aggregate& aggregate, const string& what, bool choice) {
      const string name =
          aggregate.epsilon ? fmt::format("{}@{}", what, to_decimal(*aggregate.epsilon)) : what;
      if (std::find(seen.begin(), seen.end(), name) != seen.end()) return;
      seen.push_back(name);
      if (!aggregate.epsilon) ++(choice ? choices_ : additive_);
    };
    for (const Aggregate& aggregate : part_.select.aggregates) {
      if (aggregate.epsilon) fixed += *aggregate.epsilon;
      for (const auto& [what, choice] : pieces(aggregate)) count(aggregate, what, choice);
    }
    const bool grouped = !part_.select.keys.empty();
    if (options_.min_units && !grouped)
      note(
          "there are no groups of which min_privacy_units_per_group could leave out the small "
          "ones");
    const bool selects = !part_.all_public || (options_.min_units && grouped);
    if (selects && delta_ == 0)
      return part_.all_public
                 ? fail(Code::kUsage,
                        "leaving out groups of fewer units has to be done privately, and that "
                        "needs a δ",
                        advise("delta", "1e-6") + ", or leave " + named("min-units") +
                            " out: the groups are public")
                 : fail(Code::kUsage, "the groups have to be chosen privately, and that needs a δ",
                        advise("delta", "1e-6") + ", or declare the keys' values in the policy");
    const std::int64_t shares = additive_ + choices_ + (selects ? 1 : 0);
    if (fixed > epsilon_ || (fixed == epsilon_ && shares > 0))
      return fail(Code::kUsage,
                  fmt::format("the aggregates' own epsilon => … add up to {}, the query has {}",
                              to_decimal(fixed), to_decimal(epsilon_)),
                  "leave some for the rest");
    if (shares == 0 && fixed < epsilon_ && !seen.empty()) {
      // Everything is fixed: the query costs what they cost.
      epsilon_ = fixed;
    }
    share_ = shares > 0 ? Rational((epsilon_ - fixed) / shares) : Rational(0);
    if (selects) part_.selection = Selection{share_, delta_, options_.min_units.value_or(1)};
    if (selects && seen.empty()) part_.selection->epsilon = epsilon_;
    if (!selects && seen.empty())
      return fail(Code::kRefused, "nothing is asked that would need an answer from the data",
                  "the groups are public; add an aggregate");
    return {};
  }

  // The released numbers an aggregate is made of, by name (the same name is released once), and
  // whether it is a choice.
  std::vector<std::pair<string, bool>> pieces(const Aggregate& aggregate) const {
    const string arg = aggregate.arg ? sql::canonical(*aggregate.arg, places_) : "";
    const string group = aggregate.per_group
                             ? fmt::format("/{}:{}", to_decimal(aggregate.per_group->low),
                                           to_decimal(aggregate.per_group->high))
                             : "";
    const string bounds = aggregate.bounds
                              ? fmt::format("[{}:{}]", to_decimal(aggregate.bounds->low),
                                            to_decimal(aggregate.bounds->high))
                              : "";
    switch (aggregate.kind) {
      case Kind::kCountRows:
        return {{"rows" + group, false}};
      case Kind::kCount:
        return {{"count " + arg + count_bounds(aggregate) + group, false}};
      case Kind::kCountUnits:
        return {{"units " + arg, false}};
      case Kind::kCountDistinct:
        return {{"distinct " + arg, false}};
      case Kind::kSum:
        return {{"sum " + arg + bounds + group, false}};
      case Kind::kAvg:
        return {{"count " + arg + bounds + group, false},
                {"centered " + arg + bounds + group, false}};
      case Kind::kVarPop:
      case Kind::kVarSamp:
      case Kind::kStddevPop:
      case Kind::kStddevSamp:
        return {{"count " + arg + bounds, false},
                {"centered " + arg + bounds, false},
                {"squares " + arg + bounds, false}};
      case Kind::kQuantile:
      case Kind::kMin:
      case Kind::kMax:
      case Kind::kMode:
        break;
    }
    return {{fmt::format("{} {} {}{}", name_of(aggregate.kind), to_decimal(aggregate.quantile), arg,
                         bounds),
             true}};
  }
  // A count of numbers with known bounds uses the same slot, and is the same number, as the one in
  // their average.
  string count_bounds(const Aggregate& aggregate) const {
    if (aggregate.per_group || !is_number(aggregate.arg->type) || !aggregate.arg->range) return "";
    return fmt::format("[{}:{}]", to_decimal(aggregate.arg->range->low),
                       to_decimal(aggregate.arg->range->high));
  }

  // Laplace or Gaussian, whichever is narrower at 95 %.
  Status split() {
    if (additive_ == 0) return {};
    const Rational epsilon = share_ * additive_;
    laplace_ = Rational(part_.max_groups) / share_;  // b = multiplier · Δ
    if (delta_ > 0) {
      const Rational delta = part_.selection ? Rational(delta_ / 2) : delta_;
      auto sigma = TRY(privacy::gaussian_sigma(epsilon, delta, 1));
      const Rational joint = sigma * sqrt_up(Rational(part_.max_groups * additive_));
      constexpr double kLaplace95 = 2.995732, kGaussian95 = 1.959964;
      if (to_double(joint) * kGaussian95 < to_double(laplace_) * kLaplace95) {
        gaussian_ = joint;
        part_.gaussian = privacy::Guarantee{epsilon, delta};
        if (part_.selection) part_.selection->delta = delta_ - delta;
      }
    }
    return {};
  }

  Rational multiplier(const Aggregate& aggregate) const {
    if (aggregate.epsilon)
      return Rational(part_.max_groups) * static_cast<long>(pieces(aggregate).size()) /
             *aggregate.epsilon;
    return gaussian_ ? *gaussian_ : laplace_;
  }

  // The grid on which this row value is rounded: fine against the noise, and whole where the values
  // are.
  int grid(const Aggregate& aggregate, const Interval& bounds, bool whole) const {
    const int exponent =
        log2_ceil(multiplier(aggregate) * part_.max_rows * largest(bounds)) - kGridBits;
    return whole ? std::max(exponent, 0) : exponent;
  }

  std::size_t slot(Slot wanted) {
    for (std::size_t i = 0; i < part_.slots.size(); ++i) {
      const Slot& other = part_.slots[i];
      if (static_cast<const bound::Slot&>(other) == wanted && other.bounds == wanted.bounds &&
          other.choices == wanted.choices && other.value == wanted.value)
        return i;
    }
    part_.slots.push_back(std::move(wanted));
    return part_.slots.size() - 1;
  }

  std::size_t number_slot(const Aggregate& aggregate, const Interval& bounds,
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

  std::size_t flag_slot(const Aggregate& aggregate) {
    Slot out;
    out.kind = Slot::Kind::kFlag;
    out.value = *aggregate.arg;
    out.low = out.high = 1;
    return slot(std::move(out));
  }

  std::size_t statistic(const Aggregate& aggregate, Statistic wanted) {
    if (wanted.sensitivity < 1) wanted.sensitivity = 1;
    if (wanted.kind != Statistic::Kind::kHistogram) {
      wanted.noise = !aggregate.epsilon && gaussian_ ? Noise::kGaussian : Noise::kLaplace;
      wanted.scale = multiplier(aggregate) * Rational(wanted.sensitivity);
    } else {
      wanted.noise = Noise::kExponential;
    }
    wanted.epsilon =
        aggregate.epsilon
            ? Rational(*aggregate.epsilon / static_cast<long>(pieces(aggregate).size()))
            : share_;
    for (std::size_t i = 0; i < part_.statistics.size(); ++i) {
      const Statistic& other = part_.statistics[i];
      if (static_cast<const bound::Total&>(other) == wanted && other.epsilon == wanted.epsilon &&
          !aggregate.epsilon)
        return i;
    }
    part_.statistics.push_back(std::move(wanted));
    return part_.statistics.size() - 1;
  }

  void add(const Aggregate& aggregate) {
    using S = Statistic::Kind;
    const Integer rows(static_cast<long>(part_.max_rows));
    std::vector<std::size_t> made;
    const auto simple = [&](S kind, std::optional<std::size_t> slot, const Integer& sensitivity) {
      Statistic out;
      out.kind = kind;
      out.slot = slot;
      out.sensitivity = sensitivity;
      made.push_back(statistic(aggregate, std::move(out)));
    };
    switch (aggregate.kind) {
      case Kind::kCountRows:
      case Kind::kCount: {
        std::optional<std::size_t> from;
        if (aggregate.kind == Kind::kCount)
          from = !aggregate.per_group && is_number(aggregate.arg->type) && aggregate.arg->range
                     ? number_slot(aggregate, *aggregate.arg->range, *aggregate.arg->range)
                     : flag_slot(aggregate);
        if (!aggregate.per_group) {
          simple(aggregate.kind == Kind::kCount ? S::kCount : S::kRows, from, rows);
          break;
        }
        Statistic out;
        out.kind = S::kGroupCount;
        out.slot = from;
        out.low = to_int64(nearest_integer(aggregate.per_group->low));
        out.high = to_int64(nearest_integer(aggregate.per_group->high));
        out.sensitivity = std::max<Integer>(abs(Integer(static_cast<long>(out.low))),
                                            abs(Integer(static_cast<long>(out.high))));
        made.push_back(statistic(aggregate, std::move(out)));
        break;
      }
      case Kind::kCountUnits:
        simple(
            S::kUnits,
            aggregate.arg->op == Op::kLiteral ? std::nullopt : std::optional(flag_slot(aggregate)),
            1);
        break;
      case Kind::kCountDistinct: {
        Slot out;
        out.kind = Slot::Kind::kHash;
        out.value = *aggregate.arg;
        simple(S::kDistinct, slot(std::move(out)), rows);
        break;
      }
      case Kind::kSum:
      case Kind::kAvg:
      case Kind::kVarPop:
      case Kind::kVarSamp:
      case Kind::kStddevPop:
      case Kind::kStddevSamp:
        aggregate.per_group ? add_per_group(aggregate, made) : add_moments(aggregate, made);
        break;
      case Kind::kQuantile:
      case Kind::kMin:
      case Kind::kMax:
      case Kind::kMode:
        add_choice(aggregate, made);
        break;
    }
    part_.parts.push_back(std::move(made));
  }

  void add_moments(const Aggregate& aggregate, std::vector<std::size_t>& made) {
    using S = Statistic::Kind;
    const std::size_t at = number_slot(aggregate, *aggregate.bounds, *aggregate.bounds);
    const Slot& slot = part_.slots[at];
    const Integer rows(static_cast<long>(part_.max_rows));
    Statistic out;
    out.slot = at;
    out.exponent = slot.exponent;
    const auto magnitude = [](std::int64_t value) -> Integer {
      return abs(Integer(static_cast<long>(value)));
    };
    if (aggregate.kind == Kind::kSum) {
      out.kind = S::kSum;
      out.sensitivity = rows * std::max<Integer>(magnitude(slot.low), magnitude(slot.high));
      made.push_back(statistic(aggregate, std::move(out)));
      return;
    }
    Statistic count;
    count.kind = S::kCount;
    count.slot = at;
    count.sensitivity = rows;
    made.push_back(statistic(aggregate, std::move(count)));
    out.kind = S::kSum;
    out.center = slot.low + (slot.high - slot.low) / 2;
    const Integer half =
        std::max<Integer>(magnitude(slot.high - out.center), magnitude(out.center - slot.low));
    out.sensitivity = rows * half;
    const std::int64_t center = out.center;
    made.push_back(statistic(aggregate, std::move(out)));
    if (aggregate.kind == Kind::kAvg) return;
    Statistic squares;
    squares.kind = S::kSquares;
    squares.slot = at;
    squares.center = center;
    squares.shift =
        std::max(0, log2_ceil(multiplier(aggregate) * Rational(half * half * rows)) - kGridBits);
    squares.exponent = 2 * slot.exponent + squares.shift;
    squares.sensitivity = rows * ((half * half >> static_cast<unsigned>(squares.shift)) +
                                  1);  // each square is rounded
    made.push_back(statistic(aggregate, std::move(squares)));
  }

  // All of the unit's rows in a group form one sum or mean, which is clamped.
  void add_per_group(const Aggregate& aggregate, std::vector<std::size_t>& made) {
    using S = Statistic::Kind;
    const Interval& bounds = *aggregate.per_group;
    const Rational wide =
        largest(bounds) *
        4'194'304;  // a single row may be that much larger than the bound on the whole
    const std::size_t at = number_slot(aggregate, bounds, Interval{-wide, wide});
    const int exponent = part_.slots[at].exponent;
    Statistic out;
    out.slot = at;
    out.exponent = exponent;
    out.low = to_int64(nearest_integer(bounds.low / power_of_two(exponent)));
    out.high = to_int64(nearest_integer(bounds.high / power_of_two(exponent)));
    const auto magnitude = [](std::int64_t value) -> Integer {
      return abs(Integer(static_cast<long>(value)));
    };
    if (aggregate.kind == Kind::kSum) {
      out.kind = S::kGroupSum;
      out.sensitivity = std::max<Integer>(magnitude(out.low), magnitude(out.high));
      made.push_back(statistic(aggregate, std::move(out)));
      return;
    }
    Statistic count;
    count.kind = S::kGroupMeans;
    count.slot = at;
    count.sensitivity = 1;
    made.push_back(statistic(aggregate, std::move(count)));
    out.kind = S::kGroupMean;
    out.center = out.low + (out.high - out.low) / 2;
    out.sensitivity =
        std::max<Integer>(magnitude(out.high - out.center), magnitude(out.center - out.low));
    made.push_back(statistic(aggregate, std::move(out)));
  }

  void add_choice(const Aggregate& aggregate, std::vector<std::size_t>& made) {
    Slot leaf;
    leaf.value = *aggregate.arg;
    Statistic out;
    out.kind = Statistic::Kind::kHistogram;
    const Integer rows(static_cast<long>(part_.max_rows));
    if (aggregate.kind == Kind::kMode) {
      leaf.kind = Slot::Kind::kChoice;
      leaf.choices = distinct_keys(*aggregate.arg->domain, aggregate.arg->type);
      leaf.leaves = static_cast<std::int64_t>(leaf.choices.size());
      out.scoring.kind = bound::Scoring::Kind::kMode;
      out.sensitivity = rows;
    } else {
      leaf.kind = Slot::Kind::kLeaf;
      leaf.bounds = *aggregate.bounds;
      leaf.bottom = to_double(leaf.bounds.low);
      leaf.width = std::max(to_double(Rational(leaf.bounds.high - leaf.bounds.low)), 1e-300);
      leaf.leaves = kLeaves;
      const bool whole = aggregate.arg->type != Type::kDouble && is_whole(leaf.bounds.low) &&
                         is_whole(leaf.bounds.high);
      if (whole && aggregate.arg->type != Type::kTimestamp)
        leaf.leaves = std::min<std::int64_t>(
            kLeaves, to_int64(Integer(leaf.bounds.high - leaf.bounds.low)) + 1);
      const Rational epsilon = (aggregate.epsilon ? *aggregate.epsilon : share_) / part_.max_groups;
      if (aggregate.kind == Kind::kQuantile) {
        // The rank error (bound/contributions.cc) in whole numbers: p to a millionth. A row moves
        // it by at most the larger weight.
        const Rational p = Rational(nearest_integer(aggregate.quantile * 1'000'000)) / 1'000'000;
        bound::Scoring& scoring = out.scoring;
        scoring.kind = bound::Scoring::Kind::kQuantile;
        scoring.below_weight = to_int64(Integer((1 - p) * 1'000'000));
        scoring.above_weight = to_int64(Integer(p * 1'000'000));
        const std::int64_t divisor =
            std::max<std::int64_t>(1, std::gcd(scoring.below_weight, scoring.above_weight));
        scoring.below_weight /= divisor;
        scoring.above_weight /= divisor;
        out.sensitivity =
            rows * Integer(static_cast<long>(std::max(scoring.below_weight, scoring.above_weight)));
      } else {
        // The value with about τ rows beyond it: fewer would drown in the noise. τ =
        // (2Δ/ε)·ln(leaves/0.05).
        out.scoring.kind =
            aggregate.kind == Kind::kMin ? bound::Scoring::Kind::kMin : bound::Scoring::Kind::kMax;
        const double tau = 2 * static_cast<double>(part_.max_rows) / to_double(epsilon) *
                           std::log(static_cast<double>(leaf.leaves) / 0.05);
        out.scoring.target = static_cast<std::int64_t>(std::ceil(std::min(tau, 1e15)));
        out.sensitivity = rows;
      }
    }
    out.scoring.leaves = leaf.leaves;
    out.slot = slot(std::move(leaf));
    made.push_back(statistic(aggregate, std::move(out)));
  }

  void finish() {
    const bool any_row_level =
        std::any_of(part_.statistics.begin(), part_.statistics.end(), [](const Statistic& one) {
          return !one.folds_whole_groups() && !(one.kind == Statistic::Kind::kUnits && !one.slot);
        });
    part_.rows_per_group = any_row_level ? part_.max_rows : 1;
    Rational delta = 0, rho = 0;
    if (part_.selection) delta += part_.selection->delta;
    if (part_.gaussian) {
      delta += part_.gaussian->delta;
      for (const Statistic& one : part_.statistics)
        if (one.noise == Noise::kGaussian) {
          const Rational ratio = Rational(one.sensitivity) / one.scale;
          rho += ratio * ratio * part_.max_groups / 2;
        }
      part_.rho = rho;
    }
    part_.cost = {epsilon_, delta};
  }

  PlanPart& part_;
  const Catalog& catalog_;
  const Options& options_;
  Rational epsilon_, delta_;
  std::vector<string>& notes_;
  std::vector<string> places_;
  std::int64_t additive_ = 0, choices_ = 0;
  Rational share_, laplace_;
  std::optional<Rational> gaussian_;
};

}  // namespace

std::string_view name_of(Noise noise) {
  switch (noise) {
    case Noise::kLaplace:
      return "laplace";
    case Noise::kGaussian:
      return "gaussian";
    case Noise::kExponential:
      return "exponential";
  }
  return {};
}

Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options) {
  std::vector<PlanPart> parts;
  privacy::Guarantee cost;
  std::vector<string> notes;
  if (!question.open) {
    if (!options.epsilon)
      return fail(Code::kUsage, "no epsilon is given, and it has no default",
                  advise("epsilon", "0.5") +
                      ", or SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=0.5) …");
    const auto shares = static_cast<long>(question.selects.size());
    for (Select& select : question.selects) {
      PlanPart part;
      part.select = select;
      TRY(Planner(part, catalog, options, *options.epsilon / shares,
                  options.delta.value_or(0) / shares, notes)
              .plan());
      cost.epsilon += part.cost.epsilon;
      cost.delta += part.cost.delta;
      parts.push_back(std::move(part));
    }
  }
  return Plan(std::move(question), std::move(parts), std::move(cost), std::move(notes));
}

}  // namespace discreet::plan
