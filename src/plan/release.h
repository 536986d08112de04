// From exact integers to the answer: groups are chosen, noise is added, averages and the like
// derived, then HAVING, ORDER BY and LIMIT on released values only.
#pragma once

#include <string>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/plan/left_out.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/post.h"
#include "discreet/random/source.h"

namespace discreet::plan {

struct Answer {
  std::vector<std::string> columns;
  std::vector<Type> types;
  std::vector<std::vector<Cell>> rows;
  std::optional<LeftOut> left_out;  // of private answers
  // By column: a chosen value (MEDIAN, QUANTILE, MIN, MAX) is within so many ranks of the one asked
  // for, with the presenting's confidence.
  std::vector<std::optional<double>> ranks;
  // By column: how it was chosen, where it was; a stable one is told where it is so many units
  // ahead.
  struct Way {
    Noise noise = Noise::kExponential;
    double ahead = 0;
  };
  std::vector<std::optional<Way>> ways;
  std::vector<bool> unseen;  // by column: too few units showed how large its values are
  // By column: what its values are clamped to, where they are.
  std::vector<std::optional<std::pair<double, double>>> clamps;
};

struct Presenting {
  Rational confidence = Rational(19, 20);
  bool nonnegative = false;  // counts below 0 are shown as 0
};

// From what an engine has added up for each part of the plan. Groups are in the order of
// public_groups (group_keys.h) where all are public, else in the order of their keys' bytes.
Result<Answer> release(const Plan& plan, const std::vector<bound::Contributions>& contributions,
                       const Presenting& presenting, const sql::Calculator& calculator,
                       random::Source& source);

// Fills in what follows for the answer's columns from the plan alone: ranks, clamps, unseen.
void describe_columns(const PlanPart& part, const Rational& confidence, Answer& answer);

// ORDER BY (over the columns given) and LIMIT on rows that are already released.
Status arrange(const Question& question, std::vector<std::vector<Cell>>& rows,
               const std::vector<std::vector<Cell>>& order_columns,
               const sql::Calculator& calculator);

// An aggregate from the released numbers it is made of, each with its interval, where this share of
// rows was left out.
Cell derive(const PlanPart& part, std::size_t aggregate, const std::vector<Cell>& numbers,
            double left_out = 0);

}  // namespace discreet::plan
