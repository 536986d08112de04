// What the bounds of an answer left out, measured with a small share of its ε: the share of rows
// and of units, and of values that were clamped, each with an interval.
//
// Four numbers at the most are released (plan.h, Count): how many units lost a row and how many
// didn't, how many rows each lost (on a doubling scale), how many rows were kept (unless the answer
// is that number), how many values each unit had clamped. No private answer can rule out one unit
// with a billion rows; the interval assumes that fewer units lose more, as estimate.h does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/plan/plan.h"
#include "discreet/random/source.h"

namespace discreet::plan {

struct Share {
  double share = 0, lower = 0, upper = 0;
};

struct LeftOut {
  enum class State {
    kNothing,      // nothing can be: proved or promised
    kNotMeasured,  // the policy says left_out = 0, or nothing was left to spend on it
    kMeasured,
  } state = State::kNotMeasured;
  Share rows, units;
  std::optional<Share> clamped;             // of values
  std::optional<std::int64_t> enough;       // rows a unit that would keep 99 % of them
  std::optional<std::int64_t> groups_from;  // groups of fewer units may be missing
  bool guessed = false;  // too few units to see how many rows each has: their bound is a guess
};

// The counts that a part with these bounds is given, of ε in all.
std::vector<Count> left_out_counts(const PlanPart& part, const Rational& epsilon);
// Are single rows of its units kept or dropped, or only groups?
bool counts_rows(const PlanPart& part);
// Can its bounds leave anything out?
bool can_leave_out(const PlanPart& part);

// `kept`: the rows that the answer itself says are kept, with their interval, where it says so.
Result<LeftOut> measure_left_out(const PlanPart& part, const bound::Contributions& contributions,
                                 const std::optional<std::pair<double, double>>& kept,
                                 const Rational& confidence, random::Source& source);

}  // namespace discreet::plan
