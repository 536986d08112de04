// A plan: everything that decides how a question is answered and what that costs, as a plain value.
// It is made from the question, the policy and the budget alone; no row is read for it. Its cost
// and expected accuracy follow from it alone.
//
//   Policy policy = *Policy::read("clinic.toml");
//   Catalog catalog = *make_catalog(policy, {});  // with the columns that an engine finds
//   Question question = *check(*parse("SELECT COUNT(*) FROM visits"), catalog);
//   Options options;
//   options.epsilon = Rational(1, 2);
//   Plan plan = *make_plan(question, catalog, options);
//   Rational epsilon = plan.cost.epsilon;  // 1/2
//   std::string told = words(plan, policy.unit), kept = json(plan);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "discreet/privacy/guarantee.h"
#include "discreet/sql/check.h"

namespace discreet::sql {

// What one row brings to the bounding, as a 64-bit integer or nothing. The grid is integers times
// 2^exponent.
struct Slot {
  enum class Kind {
    kNumber,  // rounded to the grid, clamped to [low, high]; NaN is nothing, infinities clamp
    kFlag,    // 1 where the expression is not NULL
    kHash,    // a keyed hash of the value: for counting distinct ones
    kLeaf,    // which of `leaves` equal pieces of [bounds.low, bounds.high] it is nearest to
    kChoice,  // which of `choices` it is
  };
  Kind kind = Kind::kNumber;
  Expr value;
  int exponent = 0;
  std::int64_t low = 0, high = 0;
  Interval bounds;
  std::int64_t leaves = 0;
  std::vector<Value> choices;
};

enum class Noise { kLaplace, kGaussian, kExponential };
std::string_view name_of(Noise noise);

// One released number a group (or, for kScores, one choice), and what it is computed from.
struct Statistic {
  enum class Kind {
    kRows,        // kept rows
    kCount,       // kept rows whose slot holds something
    kSum,         // Σ (slot − center)
    kSquares,     // Σ (slot − center)² / 2^shift, each rounded
    kUnits,       // units with a kept row whose slot (if any) holds something
    kDistinct,    // distinct values of the slot in kept rows
    kGroupCount,  // Σ over units of their number of rows (with something in the slot), clamped to
                  // [low, high]
    kGroupSum,    // Σ over units of their sum, clamped
    kGroupMeans,  // units that have a mean
    kGroupMean,   // Σ over units of (their mean, clamped, − center)
    kScores,      // a score for each leaf or choice
  };
  Kind kind = Kind::kRows;
  std::optional<std::size_t> slot;
  std::int64_t center = 0;
  int shift = 0;
  std::int64_t low = 0, high = 0;
  int exponent = 0;     // the released integer times 2^exponent is the number
  Integer sensitivity;  // most that one unit changes it in one group, in grid points (or points of
                        // score)
  // kScores: #below·below_weight against #above·above_weight; for MODE the count itself; for MIN
  // and MAX a target rank.
  enum class Score { kQuantile, kMin, kMax, kMode } score = Score::kQuantile;
  std::int64_t below_weight = 0, above_weight = 0, target = 0;
  // How it is released.
  Noise noise = Noise::kLaplace;
  Rational scale;    // Laplace: b; Gaussian: σ; in grid points
  Rational epsilon;  // its share (of a Gaussian: of the joint one)
};

// Which groups may be shown.
struct Selection {
  Rational epsilon, delta;  // in all; each group has a share of 1/max_groups
  std::int64_t min_units = 1;
};

struct PlanPart {
  Select select;
  std::vector<Slot> slots;
  std::vector<Statistic> statistics;
  std::vector<std::vector<std::size_t>> parts;  // the statistics that each aggregate is made of
  std::int64_t max_groups = 1, max_rows = 1;
  std::int64_t rows_per_group =
      1;                   // what the engine keeps: max_rows, or 1 where whole groups are folded
  bool direct = false;     // the owner promises that there is nothing to bound
  bool all_public = true;  // every group is public
  std::optional<Selection> selection;
  privacy::Guarantee cost;
  std::optional<Rational> rho;                 // zCDP cost of the Gaussian part, Σ Δ²/2σ²
  std::optional<privacy::Guarantee> gaussian;  // the joint guarantee of the Gaussian numbers
};

struct Plan {
  Question question;
  std::vector<PlanPart> parts;
  privacy::Guarantee cost;
  std::vector<std::string> notes;  // what was assumed
};

struct Budget {
  std::optional<Rational> epsilon, delta;
  std::optional<std::int64_t> max_groups, max_rows, min_units;
  std::optional<std::string> selection;
};

Result<Plan> make_plan(Question question, const Catalog& catalog, const Options& options);

std::string json(
    const Plan& plan);  // canonical: equal text means the same question at the same price
std::string words(const Plan& plan, const std::string& unit);
std::string canonical_query(const Plan& plan);

// What is expected at this many units in a group, each with `max_rows` rows: a half-width for each
// output column, or none.
std::vector<std::optional<double>> expected_error(const PlanPart& part, std::int64_t group_size,
                                                  const Rational& confidence);

inline constexpr std::int64_t kLeaves = 4096;

}  // namespace discreet::sql
