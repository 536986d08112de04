#include "discreet/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/plan/aggregates.h"
#include "discreet/plan/methods.h"
#include "discreet/plan/planner.h"
#include "discreet/plan/survey.h"

namespace discreet::plan {
namespace {

using std::string;

bool chooses_groups(const Select& select, const Options& options) {
  return std::any_of(select.domains.begin(), select.domains.end(),
                     [](const auto& domain) { return !domain; }) ||
         (options.min_units && !select.keys.empty());
}

bool chooses_groups(const Question& question, const Options& options) {
  return std::any_of(question.selects.begin(), question.selects.end(),
                     [&](const Select& select) { return chooses_groups(select, options); });
}
}  // namespace

std::string_view name_of(Noise noise) {
  switch (noise) {
    case Noise::kLaplace:
      return "laplace";
    case Noise::kGaussian:
      return "gaussian";
    case Noise::kExponential:
      return "exponential";
    case Noise::kSmooth:
      return "smooth";
    case Noise::kProposed:
      return "propose-test-release";
    case Noise::kStable:
      return "stable";
  }
  return {};
}

bool chooses(Noise noise) { return noise != Noise::kLaplace && noise != Noise::kGaussian; }

sql::Tools tools(const sql::Calculator& calculator, const sql::PublicRows* public_rows) {
  return {calculator, aggregates().forms(), public_rows};
}

bool needs_delta(const Question& question, const Options& options) {
  const auto withholds = [](const Select& select) {
    return std::any_of(select.aggregates.begin(), select.aggregates.end(), must_have_delta);
  };
  return chooses_groups(question, options) ||
         std::any_of(question.selects.begin(), question.selects.end(), withholds);
}

namespace {

// The one that is given, or where groups have to be chosen and none is, the default.
Rational delta_of(const Question& question, const Options& options) {
  if (options.delta || !plan::needs_delta(question, options)) return options.delta.value_or(0);
  return options.default_delta.value_or(0);
}

}  // namespace

bool Plan::settled() const {
  return std::none_of(parts.begin(), parts.end(),
                      [](const PlanPart& part) { return part.bounding == Bounding::kToMeasure; });
}

Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options,
                       const Profile& known) {
  return make_plan(std::move(question), catalog, options, aggregates(), known);
}

Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options,
                       const Aggregates& aggregates, const Profile& known) {
  std::vector<PlanPart> parts;
  privacy::Guarantee cost;
  std::vector<string> notes;
  if (!question.open) {
    if (!options.epsilon)
      return fail(Code::kUsage, "no epsilon is given, and it has no default",
                  advise("epsilon", "0.5") +
                      ", or SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=0.5) …");
    const auto shares = static_cast<long>(question.selects.size());
    const Rational delta = delta_of(question, options);
    if (!options.delta && delta > 0)
      notes.push_back(
          fmt::format("{} and no δ is given: δ = {} is taken, a hundredth of the budget's",
                      chooses_groups(question, options) ? "groups are chosen privately"
                                                        : "an answer may be withheld",
                      to_decimal(delta)));
    for (Select& select : question.selects) {
      PlanPart part;
      part.select = select;
      TRY(plan_part(part, {catalog, options, *options.epsilon / shares, delta / shares, aggregates,
                           known, nullptr, question.text, notes}));
      cost.epsilon += part.cost.epsilon;
      cost.delta += part.cost.delta;
      parts.push_back(std::move(part));
    }
  }
  return Plan(std::move(question), options, &aggregates, std::move(parts), std::move(cost),
              std::move(notes));
}

Result<Plan> settle(const Plan& plan, const Catalog& catalog, const Profile& measured) {
  std::vector<PlanPart> parts;
  std::vector<string> notes = plan.notes;
  const auto shares = static_cast<long>(plan.parts.size());
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const PlanPart& before = plan.parts[i];
    if (before.bounding != Bounding::kToMeasure) {
      parts.push_back(before);
      continue;
    }
    PlanPart part;
    part.select = plan.question.selects[i];
    const Options& options = plan.options;
    Profile known = before.known ? *before.known : Profile();
    known.add(measured);
    TRY(plan_part(part, {catalog, options, *options.epsilon / shares,
                         delta_of(plan.question, options) / shares, *plan.aggregates_, known,
                         &*before.survey, plan.question.text, notes}));
    // What was reserved was reserved before any row was read.
    if (part.cost.epsilon > before.cost.epsilon || part.cost.delta > before.cost.delta)
      return fail(Code::kFailure, "the bounds that were measured would cost more; nothing is shown",
                  "please report this query");
    parts.push_back(std::move(part));
  }
  return Plan(plan.question, plan.options, plan.aggregates_, std::move(parts), plan.cost,
              std::move(notes));
}

Result<Plan> only_surveys(const Plan& plan) {
  std::vector<PlanPart> parts;
  privacy::Guarantee cost;
  for (const PlanPart& part : plan.parts) {
    if (!part.survey) continue;
    PlanPart& out = parts.emplace_back(rows_and_groups(part));
    out.bounding = Bounding::kToMeasure;
    out.survey = part.survey;
    out.survey->epsilon = 0;
    for (Count& count : out.survey->counts) {
      count.epsilon = part.cost.epsilon / static_cast<long>(out.survey->counts.size());
      out.survey->epsilon += count.epsilon;
    }
    out.cost = {out.survey->epsilon, 0};
    cost.epsilon += out.cost.epsilon;
  }
  return Plan(plan.question, plan.options, plan.aggregates_, std::move(parts), std::move(cost), {});
}

}  // namespace discreet::plan
