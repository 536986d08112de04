#include "discreet/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/try.h"
#include "discreet/plan/group_keys.h"
#include "discreet/plan/statistics.h"
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
  Planner(PlanPart& part, const Catalog& catalog, const Options& options, const Rational& epsilon,
          const Rational& delta, const Aggregates& aggregates, std::vector<string>& notes)
      : part_(part),
        aggregates_(aggregates),
        statistics_(part, shares_),
        catalog_(catalog),
        options_(options),
        epsilon_(epsilon),
        delta_(delta),
        notes_(notes) {}

  Status plan() {
    TRY(rows());
    TRY(bound());
    TRY(groups());
    TRY(count_numbers());
    TRY(split());
    for (std::size_t i = 0; i < part_.rows.size(); ++i)
      part_.parts.push_back(statistics_.add(part_.select.aggregates[i], *part_.rows[i]));
    finish();
    return verify(part_);
  }

 private:
  // The row of each aggregate, and that what it is made of can be made.
  Status rows() {
    for (const Aggregate& one : part_.select.aggregates) {
      const AggregateRow* row = aggregates_.row_of(one);
      if (!row || !makes_sense(one, *row))
        return fail(Code::kFailure, "an aggregate can't be planned; nothing was asked",
                    "please report this query");
      part_.rows.push_back(row);
    }
    return {};
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
          return one.arg &&
                 (row.scoring == bound::Scoring::Kind::kMode ? one.arg->domain.has_value()
                                                             : one.bounds.has_value());
      }
      return false;
    };
    return !row.made_of.empty() && std::all_of(row.made_of.begin(), row.made_of.end(), can_make);
  }

  // Is every aggregate made of such numbers only?
  template <class Test>
  bool all_made_of(Test test) const {
    return std::all_of(part_.rows.begin(), part_.rows.end(), [&](const AggregateRow* row) {
      return std::all_of(row->made_of.begin(), row->made_of.end(), test);
    });
  }

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
    for (std::size_t i = 0; i < part_.rows.size(); ++i)
      if (!part_.select.aggregates[i].per_group &&
          part_.rows[i]->made_of != std::vector<Made>{Made::kUnits})
        return true;
    return false;
  }

  // The direct way adds up rows in the engine's own aggregation; one row a unit makes units rows.
  bool sums_only() const {
    return part_.max_rows == 1 &&
           std::none_of(part_.select.aggregates.begin(), part_.select.aggregates.end(),
                        [](const Aggregate& one) { return one.per_group.has_value(); }) &&
           all_made_of([](Made made) { return made != Made::kDifferent && made != Made::kChoice; });
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
    for (std::size_t i = 0; i < part_.rows.size(); ++i) {
      const Aggregate& aggregate = part_.select.aggregates[i];
      if (aggregate.epsilon) fixed += *aggregate.epsilon;
      for (const auto& [what, choice] : statistics_.names(aggregate, *part_.rows[i]))
        count(aggregate, what, choice);
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
    shares_.share = shares > 0 ? Rational((epsilon_ - fixed) / shares) : Rational(0);
    if (selects) part_.selection = Selection{shares_.share, delta_, options_.min_units.value_or(1)};
    if (selects && seen.empty()) part_.selection->epsilon = epsilon_;
    if (!selects && seen.empty())
      return fail(Code::kRefused, "nothing is asked that would need an answer from the data",
                  "the groups are public; add an aggregate");
    return {};
  }

  // Laplace or Gaussian, whichever is narrower at 95 %.
  Status split() {
    if (additive_ == 0) return {};
    const Rational epsilon = shares_.share * additive_;
    shares_.laplace = Rational(part_.max_groups) / shares_.share;  // b = multiplier · Δ
    if (delta_ > 0) {
      const Rational delta = part_.selection ? Rational(delta_ / 2) : delta_;
      auto sigma = TRY(privacy::gaussian_sigma(epsilon, delta, 1));
      const Rational joint = sigma * sqrt_up(Rational(part_.max_groups * additive_));
      constexpr double kLaplace95 = 2.995732, kGaussian95 = 1.959964;
      if (to_double(joint) * kGaussian95 < to_double(shares_.laplace) * kLaplace95) {
        shares_.gaussian = joint;
        part_.gaussian = privacy::Guarantee{epsilon, delta};
        if (part_.selection) part_.selection->delta = delta_ - delta;
      }
    }
    return {};
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
  const Aggregates& aggregates_;
  Shares shares_;
  Statistics statistics_;
  const Catalog& catalog_;
  const Options& options_;
  Rational epsilon_, delta_;
  std::vector<string>& notes_;
  std::int64_t additive_ = 0, choices_ = 0;
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

sql::Tools tools(const sql::Calculator& calculator) { return {calculator, aggregates().forms()}; }

Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options) {
  return make_plan(std::move(question), catalog, options, aggregates());
}

Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options,
                       const Aggregates& aggregates) {
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
                  options.delta.value_or(0) / shares, aggregates, notes)
              .plan());
      cost.epsilon += part.cost.epsilon;
      cost.delta += part.cost.delta;
      parts.push_back(std::move(part));
    }
  }
  return Plan(std::move(question), std::move(parts), std::move(cost), std::move(notes));
}

}  // namespace discreet::plan
