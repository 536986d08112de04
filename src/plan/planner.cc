#include "discreet/plan/planner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/methods.h"
#include "discreet/plan/selection.h"
#include "discreet/plan/statistics.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/verify.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/sql/keys.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {
namespace {

using std::string;

void tables_of(const Relation& relation, std::vector<string>& out) {
  if (relation.kind == Relation::Kind::kScan && relation.is_private &&
      std::find(out.begin(), out.end(), relation.table) == out.end())
    out.push_back(relation.table);
  for (const sql::RelationPtr& input : relation.inputs) tables_of(*input, out);
}
// Fills one part of the plan: slots and statistics first, then the split of its budget.
class Planner {
 public:
  Planner(PlanPart& part, const Planning& given)
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

  Status plan() {
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
    if (left_out_ > 0) part_.left_out = left_out_counts(part_, left_out_);
    finish();
    return verify(part_);
  }

 private:
  tl::unexpected<Error> unplannable() const {
    return fail(Code::kFailure, "an aggregate can't be planned; nothing was asked",
                "please report this query");
  }

  Status rows() {
    for (const Aggregate& one : part_.select.aggregates) {
      part_.rows.push_back(aggregates_.row_of(one));
      if (!part_.rows.back() || part_.rows.back()->made_of.empty()) return unplannable();
    }
    return {};
  }

  // That what each is made of can be made.
  Status make_sense() const {
    for (std::size_t i = 0; i < part_.rows.size(); ++i)
      if (!makes_sense(part_.select.aggregates[i], *part_.rows[i])) return unplannable();
    return {};
  }

  static bool needs_bounds(Made made) {
    switch (made) {
      case Made::kSum:
      case Made::kValues:
      case Made::kCentered:
      case Made::kSquares:
      case Made::kChoice:
        return true;
      case Made::kRows:
      case Made::kCount:
      case Made::kUnits:
      case Made::kDifferent:
        break;
    }
    return false;
  }

  static bool makes_sense(const Aggregate& one, const AggregateRow& row) {
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

  // Is every aggregate made of such numbers only?
  template <class Test>
  bool all_made_of(Test test) const {
    return std::all_of(part_.rows.begin(), part_.rows.end(), [&](const AggregateRow* row) {
      return std::all_of(row->made_of.begin(), row->made_of.end(), test);
    });
  }

  // What the policy and the question say of how much of a unit counts.
  void declare() {
    std::vector<string> tables;
    tables_of(*part_.select.input, tables);
    const auto larger = [](std::optional<std::int64_t>& into,
                           const std::optional<std::int64_t>& one) {
      if (one) into = std::max(into.value_or(1), *one);
    };
    if (!options_.measure_bounds)
      for (const string& name : tables) {
        const policy::TableRule& rule = catalog_.table(name)->rule;
        larger(groups_, rule.max_groups);
        larger(rows_, rule.max_rows_per_group);
        larger(total_, rule.max_rows);
      }
    // Who asks for rows in all groups together has said how much of a unit counts: what the policy
    // says of groups and of rows in each isn't weighed against it.
    if (options_.max_total) groups_ = rows_ = std::nullopt;
    if (options_.max_groups) groups_ = options_.max_groups;
    if (options_.max_rows) rows_ = options_.max_rows;
    if (options_.max_total) total_ = options_.max_total;
    promise_ = part_.select.input->rows_per_unit;
    if (promise_) {
      groups_ = std::min(groups_.value_or(*promise_), *promise_);
      rows_ = std::min(rows_.value_or(*promise_), *promise_);
      if (!part_.select.input->rows_proved)
        note(fmt::format("the owner promises at most {} row{} a {}", *promise_,
                         *promise_ == 1 ? "" : "s", catalog_.unit));
    }
    if (!grouped()) groups_ = 1;
  }

  bool grouped() const { return !part_.select.keys.empty(); }
  bool selects() const { return !part_.all_public || (options_.min_units && grouped()); }
  // Is anything asked that counts a unit once a group?
  bool counts_units() const {
    if (selects()) return true;
    for (std::size_t i = 0; i < part_.rows.size(); ++i)
      if (part_.select.aggregates[i].per_group ||
          part_.rows[i]->made_of == std::vector<Made>{Made::kUnits})
        return true;
    return false;
  }

  // A declared range says what is possible. Where units are surveyed anyway, so is where in it the
  // values are, if it is wide: noise follows the bounds that they are clamped to.
  static bool may_be_narrower(const Aggregate& one, const AggregateRow& row) {
    if (!one.bounds || !one.arg || one.per_group || one.bounds != one.arg->range) return false;
    if (one.arg->op == Op::kLiteral || one.arg->op == Op::kCase) return false;
    constexpr long kWide = 16;
    if (one.arg->type == Type::kInt && one.bounds->high - one.bounds->low <= kWide) return false;
    return row.form.of != sql::AggregateForm::Of::kOrdered &&
           row.form.of != sql::AggregateForm::Of::kListed &&
           std::any_of(row.made_of.begin(), row.made_of.end(), needs_bounds);
  }

  // What nobody has declared is measured first, or known already.
  Status find_unknown() {
    if (!options_.assume_bounds) {
      const bool rows_bounded = total_ || (rows_ && groups_);
      unknown_.rows = counts_rows(part_) && !rows_bounded;
      unknown_.groups = counts_units() && !groups_ && !total_;
      unknown_.most = unknown_.rows && grouped() && !rows_ && delta_ > 0;
    }
    for (std::size_t i = 0; i < part_.rows.size(); ++i) {
      const Aggregate& one = part_.select.aggregates[i];
      const auto& made_of = part_.rows[i]->made_of;
      if (one.bounds || one.per_group || !one.arg ||
          part_.rows[i]->form.of == sql::AggregateForm::Of::kListed ||
          std::none_of(made_of.begin(), made_of.end(), needs_bounds))
        continue;
      unknown_.values.push_back(i);
      if (options_.assume_bounds)
        return fail(
            Code::kRefused,
            fmt::format("{} needs bounds, and nothing says how large these values can be",
                        one.text.substr(0, one.text.find('('))),
            "without " + named("bounds") +
                " declared they are measured; or declare columns.NAME = { range = [low, high] } in "
                "the policy; or write contribution_bounds_per_row => (low, high) after the "
                "expression",
            Position{text_, one.position, std::max<std::size_t>(1, one.text.find('('))});
    }
    if (unknown_.rows)
      for (std::size_t i = 0; i < part_.rows.size(); ++i)
        if (may_be_narrower(part_.select.aggregates[i], *part_.rows[i]))
          unknown_.values.push_back(i);
    if (unknown_.any()) {
      constexpr long kSurveyShare = 10;
      Survey survey =
          paid_ ? *paid_ : make_survey(part_, unknown_, epsilon_ / kSurveyShare, known_);
      part_.bounding = paid_ || survey.counts.empty() ? Bounding::kMeasured : Bounding::kToMeasure;
      survey_ = survey.epsilon;
      if (!survey.counts.empty()) part_.survey = std::move(survey);
      if (part_.bounding == Bounding::kToMeasure)
        part_.known = std::make_shared<const Profile>(known_);
    } else {
      part_.direct = promise_ && rows_ >= *promise_ && (!grouped() || groups_ >= *promise_) &&
                     !total_ && sums_only();
    }
    return {};
  }

  // The bounds themselves, and those of values that have none.
  Status bound() {
    const std::int64_t all =
        public_groups_ ? static_cast<std::int64_t>(*public_groups_) : kUnbounded;
    if (!unknown_.any()) {
      part_.bounds = declared(all);
    } else if (part_.bounding == Bounding::kToMeasure) {
      part_.bounds = {1, 1, {}};
      for (const std::size_t i : unknown_.values)
        if (!part_.select.aggregates[i].bounds) part_.select.aggregates[i].bounds = Interval{0, 1};
    } else {
      Asked asked;
      asked.part = &part_;
      asked.most = {groups_.value_or(kUnbounded), rows_.value_or(kUnbounded), total_};
      if (!unknown_.rows && !unknown_.groups) asked.most = declared(all);
      asked.groups = public_groups_ ? static_cast<double>(*public_groups_) : 1;
      asked.selects = selects();
      asked.share = to_double(shares_.share);
      if (delta_ > 0 && additive_ > 0) {
        const auto joint = TRY(joint_sigma());
        asked.sigma = to_double(joint);
      }
      const Known known = known_of(part_, unknown_, known_);
      const Fitting fitting = choose_bounds(asked, known);
      part_.unseen.assign(part_.rows.size(), false);
      for (const std::size_t i : unknown_.values)
        part_.unseen[i] = !known.within[i] && (!known.values[i] || !known.values[i]->shows);
      part_.bounds = fitting.best.bounds;
      if (unknown_.rows || unknown_.groups) {
        if (*part_.bounds.total >= kUnbounded) part_.bounds.total = total_;
        if (part_.bounds.rows >= kUnbounded) part_.bounds.rows = rows_.value_or(1);
        part_.fitting = std::make_shared<const Fitting>(fitting);
      } else {
        part_.bounds = asked.most;
      }
      part_.bounds.groups = std::min(part_.bounds.groups, all);
      for (const std::size_t i : unknown_.values)
        part_.select.aggregates[i].bounds =
            i < fitting.ranges.size() && fitting.ranges[i] ? *fitting.ranges[i] : Interval{0, 1};
    }
    part_.direct = part_.direct && part_.bounds.rows == 1;
    return {};
  }

  // Groups times rows, or rows in all: where both are declared, whichever needs less noise.
  Bounds declared(std::int64_t all) {
    if (!groups_ && !total_ && counts_units())
      note(fmt::format("max_groups is not declared: each {} counts in 1 group", catalog_.unit));
    if (!rows_ && !total_ && counts_rows(part_))
      note(fmt::format("max_rows_per_group is not declared: each {} counts with 1 row a group",
                       catalog_.unit));
    const std::int64_t groups = std::min(groups_.value_or(1), all);
    const Bounds product{groups, rows_.value_or(1), {}};
    if (!total_) return product;
    const bool limits_groups = groups_ && counts_units();
    const Bounds in_all{std::min({limits_groups ? *groups_ : kUnbounded, all, *total_}), *total_,
                        *total_};
    if (!rows_ || (grouped() && !groups_)) return in_all;
    const bool gaussian = delta_ > 0;
    const auto size = [&](const Bounds& bounds) {
      return gaussian ? bounds.rows_squared() : bounds.most_rows();
    };
    const bool by_total = size(in_all) <= size(product);
    note(by_total
             ? fmt::format("max_rows = {} needs less noise than {} group{} of {} row{} each, "
                           "and is what counts",
                           *total_, groups, groups == 1 ? "" : "s", *rows_, *rows_ == 1 ? "" : "s")
             : fmt::format("{} group{} of {} row{} each need less noise than max_rows = {}, "
                           "and are what counts",
                           groups, groups == 1 ? "" : "s", *rows_, *rows_ == 1 ? "" : "s",
                           *total_));
    return by_total ? in_all : product;
  }

  void note(string text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end())
      notes_.push_back(std::move(text));
  }

  // The direct way adds up rows in the engine's own aggregation; one row a unit makes units rows.
  bool sums_only() const {
    return std::none_of(part_.select.aggregates.begin(), part_.select.aggregates.end(),
                        [](const Aggregate& one) { return one.per_group.has_value(); }) &&
           all_made_of([](Made made) { return made != Made::kDifferent && made != Made::kChoice; });
  }

  Status groups() {
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

  tl::unexpected<Error> without_delta() const {
    const bool none = options_.default_delta && *options_.default_delta == 0;
    const Phrase set =
        none ? Phrase("the policy's budget has none")
             : advise("delta",
                      options_.default_delta ? to_decimal(*options_.default_delta) : "1e-6");
    if (part_.all_public)
      return fail(Code::kUsage,
                  "leaving out groups of fewer units has to be done privately, and that needs a δ",
                  set + (none ? ": leave " : ", or leave ") + named("min-units") +
                      " out: the groups are public");
    return fail(Code::kUsage, "the groups have to be chosen privately, and that needs a δ",
                set + (none ? ": declare the keys' values in the policy"
                            : ", or declare the keys' values in the policy"));
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
    for (std::size_t i = 0; i < part_.rows.size(); ++i) {
      const Aggregate& aggregate = part_.select.aggregates[i];
      if (aggregate.epsilon) fixed += *aggregate.epsilon;
      for (const auto& [what, choice] : statistics_.names(aggregate, *part_.rows[i]))
        count(aggregate, what, choice);
    }
    if (options_.min_units && !grouped())
      note(
          "there are no groups of which min_privacy_units_per_group could leave out the small "
          "ones");
    const bool selecting = selects();
    if (selecting && delta_ == 0) return without_delta();
    const std::int64_t shares = additive_ + choices_ + (selecting ? 1 : 0);
    const Rational left = epsilon_ - survey_ - fixed;
    if (left < 0 || (left == 0 && shares > 0))
      return fail(Code::kUsage,
                  fmt::format("the aggregates' own epsilon => … add up to {}, the query has {}{}",
                              to_decimal(fixed), to_decimal(epsilon_),
                              survey_ > 0 ? ", of which a tenth is for choosing bounds" : ""),
                  "leave some for the rest");
    // What the answer left out is measured with a share that the numbers can spare.
    if (leaves_out()) left_out_ = std::min<Rational>(catalog_.left_out * epsilon_, left);
    // Everything is fixed: the query costs what they cost.
    if (shares == 0 && !seen.empty()) epsilon_ = fixed + survey_ + left_out_;
    shares_.share = shares > 0 ? Rational((left - left_out_) / shares) : Rational(0);
    TRY(choose_methods(selecting));
    if (selecting)
      part_.selection = Selection{
          .epsilon = shares_.share, .delta = delta_, .min_units = options_.min_units.value_or(1)};
    numbers_ = shares;
    if (!selecting && seen.empty())
      return fail(Code::kRefused, "nothing is asked that would need an answer from the data",
                  "the groups are public; add an aggregate");
    return {};
  }

  // Of each choice, and what of δ is theirs: as much each as the selection of groups, or all
  // Gaussian numbers together. By what is declared alone: it must not change with what is measured.
  Status choose_methods(bool selecting) {
    part_.methods.assign(part_.rows.size(), std::nullopt);
    const long others = (selecting ? 1 : 0) + (additive_ > 0 ? 1 : 0);
    const auto choices = [&](auto&& each) -> Status {
      for (std::size_t i = 0; i < part_.rows.size(); ++i)
        if (part_.rows[i]->made_of == std::vector{Made::kChoice} &&
            !part_.rows[i]->form.methods.empty())
          TRY(each(i));
      return {};
    };
    // What was measured tells how many units there are. The price was fixed before: where anything
    // is measured, every choice has its δ.
    if (part_.bounding == Bounding::kMeasured) {
      const Known known = known_of(part_, unknown_, known_);
      const auto groups = static_cast<double>(public_groups_.value_or(1));
      if (known.rows && (part_.all_public || !grouped()))
        shares_.units = std::clamp<std::int64_t>(
            std::llround(std::min(1e9, known.rows->units() / groups)), 1, kLargestGroup);
    }
    const std::int64_t in_all = total_.value_or(kUnbounded);
    const std::int64_t most_rows = std::min(rows_.value_or(total_.value_or(1)), in_all),
                       most_groups = grouped() ? std::min(groups_.value_or(1), in_all) : 1;
    long needing = 0;
    TRY(choices([&](std::size_t i) -> Status {
      const Aggregate& one = part_.select.aggregates[i];
      const Means means{one.epsilon ? *one.epsilon : shares_.share,
                        delta_ / (others + std::max<long>(1, choices_)), most_rows, most_groups,
                        shares_.units};
      part_.methods[i] = TRY(choose_method(one, *part_.rows[i], means));
      const Method& method = *part_.methods[i];
      if ((needs_delta(method.way) && !method.pure) || unknown_.any()) ++needing;
      return {};
    }));
    if (needing == 0 || delta_ == 0) return {};
    shares_.delta = delta_ / (others + needing);
    gap_delta_ = shares_.delta * needing;
    delta_ -= gap_delta_;
    return {};
  }

  // Before the bounds are known: can any of them leave something out?
  bool leaves_out() const {
    if (part_.direct) return false;
    if (promise_ && !total_ && rows_ >= *promise_ && (!grouped() || groups_ >= *promise_))
      return false;
    return grouped() || counts_rows(part_);
  }

  // σ on each of the numbers that have noise, were they Gaussian and of ℓ2 sensitivity 1 each.
  Result<Rational> joint_sigma() const {
    const Rational delta = part_.selection ? Rational(delta_ / 2) : delta_;
    auto sigma = TRY(privacy::gaussian_sigma(shares_.share * additive_, delta, 1));
    return Rational(sigma * sqrt_up(Rational(additive_)));
  }

  // Laplace or Gaussian, whichever is narrower at 95 %.
  Status split() {
    if (additive_ == 0) return {};
    shares_.laplace = 1 / shares_.share;  // b = laplace · ℓ1
    if (delta_ > 0) {
      const Rational joint = TRY(joint_sigma());
      const bool by_row = counts_rows(part_);
      const Integer l1 = by_row ? part_.bounds.most_rows() : part_.bounds.most_groups();
      const Integer squares = by_row ? part_.bounds.rows_squared() : part_.bounds.most_groups();
      const auto is_narrower = [&](double root_of_squares, double sum) {
        constexpr double kLaplace95 = 2.995732, kGaussian95 = 1.959964;
        return to_double(joint) * root_of_squares * kGaussian95 <
               to_double(shares_.laplace) * sum * kLaplace95;
      };
      // Bounds that are measured must not change the price: δ is kept wherever any bounds would
      // make the noise Gaussian. It gains most where a unit has one row in each of all groups.
      if (unknown_.any()) {
        const auto all = static_cast<double>(
            std::min(groups_.value_or(kUnbounded),
                     public_groups_ ? static_cast<std::int64_t>(*public_groups_) : kUnbounded));
        keeps_delta_ = is_narrower(std::sqrt(all), all);
      }
      if (is_narrower(std::sqrt(squares.get_d()), l1.get_d())) {
        shares_.gaussian = joint;  // σ = gaussian · ℓ2
        const Rational delta = part_.selection ? Rational(delta_ / 2) : delta_;
        part_.gaussian = privacy::Guarantee{shares_.share * additive_, delta};
        if (part_.selection) part_.selection->delta = delta_ - delta;
      }
    }
    return {};
  }

  // How groups are shown: in the way that shows half of them from fewer units on. Where the number
  // of units decides, every other number has a larger share.
  Status choose_selection() {
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
  std::optional<std::size_t> number_of_units() const {
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

  void finish() {
    // Where whole groups are folded, or units counted, all rows matter and none has to be dropped.
    part_.rows_per_group = counts_rows(part_) ? part_.bounds.rows : std::int64_t{bound::kNoLimit};
    Rational delta = 0, rho = 0;
    if (part_.selection) delta += part_.selection->delta;
    if (part_.gaussian) {
      delta += part_.gaussian->delta;
      for (const Statistic& one : part_.statistics)
        if (one.noise == Noise::kGaussian)
          rho += Rational(one.squares) / (one.scale * one.scale) / 2;
      part_.rho = rho;
    }
    Rational choices = 0;
    for (const Statistic& one : part_.statistics) choices += one.delta;
    if (unknown_.any()) choices = gap_delta_;
    part_.cost = {epsilon_, (keeps_delta_ ? delta_ : delta) + choices};
  }

  PlanPart& part_;
  const Aggregates& aggregates_;
  Shares shares_;
  Statistics statistics_;
  const Catalog& catalog_;
  const Options& options_;
  Rational epsilon_, delta_;
  const Profile& known_;
  const Survey* paid_;  // what was measured and paid for, once it was
  const string& text_;  // as the user wrote it
  std::vector<string>& notes_;
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

}  // namespace

Status plan_part(PlanPart& part, const Planning& given) { return Planner(part, given).plan(); }

}  // namespace discreet::plan
