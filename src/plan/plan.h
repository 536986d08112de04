// A plan: everything that decides how a question is answered and what that costs, as a plain value.
// It is made from the question, the policy and the budget alone; no row is read for it. Its cost
// and expected accuracy follow from it alone.
//
//   Question question;  // from sql::check
//   Catalog catalog;
//   Options options;
//   options.epsilon = Rational(1, 2);
//   Plan plan = *make_plan(question, catalog, options);
//   Rational epsilon = plan.cost.epsilon;  // 1/2
//   std::string told = words(plan, "person"), kept = json(plan);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/bound/shape.h"
#include "discreet/mechanism/gap/group_selection.h"
#include "discreet/plan/bounds.h"
#include "discreet/plan/post.h"
#include "discreet/plan/profile.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::plan {

struct AggregateRow;
class Aggregates;
struct Fitting;

// What one row brings to the bounding, and the expression that it comes from.
struct Slot : bound::Slot {
  Expr value;
  Interval bounds;             // kNumber and kLeaf: as declared or asked
  std::vector<Value> choices;  // kChoice: one for each leaf
};

// How a number is released. The last four choose: a value, or nothing where it would be told by too
// few.
enum class Noise { kLaplace, kGaussian, kExponential, kSmooth, kProposed, kStable };
std::string_view name_of(Noise noise);
bool chooses(Noise noise);

// Which of several ways to release a choice was taken (methods.h).
struct Prospect {
  Noise way;
  double error;
  bool pure = false;                // needs no δ
  std::vector<double> errors = {};  // by size of a group, of which `error` is the average
};
struct Method {
  Noise way = Noise::kExponential;
  bool pure = false;       // needs no δ
  bool asked = false;      // method => …
  bool of_values = false;  // errors are shares of the bounds' width; else units that must be ahead
  std::vector<Prospect> prospects = {};  // the least first
  std::vector<std::int64_t> units = {};  // in a group: the sizes that errors are averages over
};

// One released number a group (or, for a histogram, one choice): what the bounding adds up for it,
// and how that is released.
struct Statistic : bound::Total {
  int exponent = 0;  // values are integers times 2^exponent
  // … and their sum, where rows have weights, an integer times 2^(exponent − weight_bits).
  int weight_bits = 0;
  Integer sensitivity;  // most that one unit changes it in one group, in grid points (or points of
                        // score)
  Integer total;        // … in all groups together (ℓ1)
  Integer squares;      // … the squares of the changes, in all groups together (ℓ2²)
  Noise noise = Noise::kLaplace;
  Rational scale;             // Laplace: b; Gaussian: σ; in grid points
  Rational epsilon;           // its share (of a Gaussian: of the joint one)
  Rational delta = 0;         // … of ways that need one
  Rational share = 0;         // of a quantile
  std::int64_t proposed = 0;  // kProposed: the bound on what a unit changes, in grid points
};

// Which groups may be shown.
struct Selection {
  Rational epsilon, delta;  // in all; each group has a share of 1/most_groups
  std::int64_t min_units = 1;
  mechanism::gap::SelectionStrategy strategy = mechanism::gap::SelectionStrategy::kOptimal;
  // The statistic, a number of units, that decides; its noise is paid for there, and ε is 0 here.
  std::optional<std::size_t> by = {};
  // From how many units on each of the ways would show a group every other time; the least first.
  std::vector<std::pair<std::string, std::int64_t>> ways = {};
};

// A histogram of units that is released with Laplace noise of scale sensitivity/ε: in a survey, to
// choose bounds by, or beside the answer, to say what they left out.
struct Count : bound::Tally {
  Rational epsilon;
  Integer sensitivity = 1;  // kKept: the rows that a unit may keep; else 1, it is in one bin
  std::string key;          // of a survey: by this text a paid one is found again
};

// What is measured before the bounds are chosen (choose.h).
struct Survey {
  Rational epsilon;  // in all
  std::vector<Slot> slots;
  std::vector<Count> counts;
};

// Where a part's bounds come from.
enum class Bounding {
  kDeclared,   // the policy or the question says them
  kToMeasure,  // a survey comes first; the part's own bounds stand in until then
  kMeasured,   // chosen by a survey
};

struct PlanPart {
  Select select;
  std::vector<Slot> slots;
  std::vector<Statistic> statistics;
  std::vector<const AggregateRow*> rows;        // of each aggregate (aggregates.h)
  std::vector<std::vector<std::size_t>> parts;  // the statistics that each aggregate is made of
  std::vector<std::optional<Method>> methods;   // of each aggregate that is a choice
  Bounds bounds;
  Bounding bounding = Bounding::kDeclared;
  std::optional<Survey> survey;            // paid for with the answer
  std::shared_ptr<const Profile> known;    // kToMeasure: what the survey adds to
  std::shared_ptr<const Fitting> fitting;  // kMeasured: how the bounds were chosen
  // By aggregate: its values' bounds were to be measured, and too few units showed them. What is
  // released says nothing then, and its interval says so. Empty: none.
  std::vector<bool> unseen;
  std::vector<Count> left_out;  // measured beside the answer
  std::int64_t rows_per_group =
      1;                // what the engine keeps: bounds.rows, or 1 where whole groups are folded
  bool direct = false;  // the owner promises that there is nothing to bound
  // Rows count with weights of so many bits (bound/weights.h); none: they are drawn.
  std::optional<unsigned> weight_bits = {};
  bool all_public = true;  // every group is public
  std::optional<Selection> selection;
  privacy::Guarantee cost;
  std::optional<Rational> rho;                 // zCDP cost of the Gaussian part, Σ Δ²/2σ²
  std::optional<privacy::Guarantee> gaussian;  // the joint guarantee of the Gaussian numbers

  // Are histograms of units all that leaves? Then no group does, and nothing shows one.
  bool of_units_alone() const { return statistics.empty() && !selection && !left_out.empty(); }
};

// Only make_plan makes one, and nothing alters it afterwards. (Tests forge broken ones, to see that
// they are caught: plan/testing/forger.h.)
struct Plan {
  const Question question;
  const Options options;
  const std::vector<PlanPart> parts;
  const privacy::Guarantee cost;
  const std::vector<std::string> notes;  // what was assumed

  // Are all bounds known, so that it can be run?
  bool settled() const;

 private:
  friend struct PlanForger;
  friend Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options,
                                const Aggregates& aggregates, const Profile& known);
  friend Result<Plan> only_surveys(const Plan& plan);
  friend Result<Plan> settle(const Plan& plan, const Catalog& catalog, const Profile& measured);
  Plan(Question asked, Options said, const Aggregates* table, std::vector<PlanPart> made,
       privacy::Guarantee price, std::vector<std::string> assumed)
      : question(std::move(asked)),
        options(std::move(said)),
        parts(std::move(made)),
        cost(std::move(price)),
        notes(std::move(assumed)),
        aggregates_(table) {}
  const Aggregates* aggregates_;
};

// For sql::check: the aggregates that are planned here, beside who calculates and who reads public
// tables.
sql::Tools tools(const sql::Calculator& calculator, const sql::PublicRows* public_rows = nullptr);

// Whether something can't be answered without a δ: groups that have to be chosen privately, values
// that nobody declared.
bool needs_delta(const Question& question, const Options& options);

// Bounds that nobody declares are chosen by what is `known` of the units (profile.h), else by a
// survey that the plan pays for.
Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options,
                       const Profile& known = {});
// … of aggregates from another table, which must outlive the plan.
Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options,
                       const Aggregates& aggregates, const Profile& known = {});
// The same plan, at the same price, with the bounds that its survey leads to.
Result<Plan> settle(const Plan& plan, const Catalog& catalog, const Profile& measured);

// The surveys of a plan alone, each with all that its part would cost.
Result<Plan> only_surveys(const Plan& plan);

std::string json(const Plan& plan);
std::string words(const Plan& plan, const std::string& unit);

// What is expected at this many units in a group, each with one row: a half-width for each
// output column, or none.
std::vector<std::optional<double>> expected_error(const PlanPart& part, std::int64_t group_size,
                                                  const Rational& confidence);

inline constexpr std::int64_t kLeaves = 4096;

}  // namespace discreet::plan
