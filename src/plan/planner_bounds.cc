// How much of a unit counts: what is declared, what is to be measured, what was.
#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/plan/choose.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/part_planner.h"
#include "discreet/sql/relation.h"

namespace discreet::plan {

using std::string;

namespace {

void tables_of(const Relation& relation, std::vector<string>& out) {
  if (relation.kind == Relation::Kind::kScan && relation.is_private &&
      std::find(out.begin(), out.end(), relation.table) == out.end())
    out.push_back(relation.table);
  for (const sql::RelationPtr& input : relation.inputs) tables_of(*input, out);
}

bool needs_bounds(Made made) {
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

// A declared range says what is possible. Where units are surveyed anyway, so is where in it the
// values are, if it is wide: noise follows the bounds that they are clamped to.
bool may_be_narrower(const Aggregate& one, const AggregateRow& row) {
  if (!one.bounds || !one.arg || one.per_group || one.bounds != one.arg->range) return false;
  if (one.arg->op == Op::kLiteral || one.arg->op == Op::kCase) return false;
  constexpr long kWide = 16;
  if (one.arg->type == Type::kInt && one.bounds->high - one.bounds->low <= kWide) return false;
  return row.form.of != sql::AggregateForm::Of::kOrdered &&
         row.form.of != sql::AggregateForm::Of::kListed &&
         std::any_of(row.made_of.begin(), row.made_of.end(), needs_bounds);
}

}  // namespace

// What the policy and the question say of how much of a unit counts.
void PartPlanner::declare() {
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

// Is anything asked that counts a unit once a group?
bool PartPlanner::counts_units() const {
  if (selects()) return true;
  for (std::size_t i = 0; i < part_.rows.size(); ++i)
    if (part_.select.aggregates[i].per_group ||
        part_.rows[i]->made_of == std::vector<Made>{Made::kUnits})
      return true;
  return false;
}

// What nobody has declared is measured first, or known already.
Status PartPlanner::find_unknown() {
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
      if (may_be_narrower(part_.select.aggregates[i], *part_.rows[i])) unknown_.values.push_back(i);
  if (unknown_.any()) {
    constexpr long kSurveyShare = 10;
    Survey survey = paid_ ? *paid_ : make_survey(part_, unknown_, epsilon_ / kSurveyShare, known_);
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
Status PartPlanner::bound() {
  const std::int64_t all = public_groups_ ? static_cast<std::int64_t>(*public_groups_) : kUnbounded;
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
Bounds PartPlanner::declared(std::int64_t all) {
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
                         groups, groups == 1 ? "" : "s", *rows_, *rows_ == 1 ? "" : "s", *total_));
  return by_total ? in_all : product;
}

// The direct way adds up rows in the engine's own aggregation; one row a unit makes units rows.
bool PartPlanner::sums_only() const {
  return std::none_of(part_.select.aggregates.begin(), part_.select.aggregates.end(),
                      [](const Aggregate& one) { return one.per_group.has_value(); }) &&
         all_made_of([](Made made) { return made != Made::kDifferent && made != Made::kChoice; });
}

// Before the bounds are known: can any of them leave something out?
bool PartPlanner::leaves_out() const {
  if (part_.direct) return false;
  if (promise_ && !total_ && rows_ >= *promise_ && (!grouped() || groups_ >= *promise_))
    return false;
  return grouped() || counts_rows(part_);
}

}  // namespace discreet::plan
