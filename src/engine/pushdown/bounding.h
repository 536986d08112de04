// A part of a plan as one statement that bounds inside of the engine, by the rules of
// bound/choice.h and bound/weights.h, to the last integer. Only sums of integers on the grid leave
// it. No noise is drawn in it.
//
// Its stages, each a WITH of the one before:
//
//     rows     u, k0 … (keys), s0 … (what the slots are made of): the algebra, printed
//     hashed   h = (unit, group), where groups are limited (bound/priority.h)
//     placed   place: the group's place in its unit by h, and how many rows the unit had
//     points   of the groups that stay: slots on their grids v0 …; m: a value was clamped
//     copied   which rows stay, where they are drawn (drawn.cc)
//     grouped  one row a unit and group: rows, counts and sums of slots
//     weighed  … and the weight of each of its rows, where they have one (weighed.cc)
//     units    what the whole unit has: for histograms of units (alone: surveyed.cc)
//
#pragma once

#include <string>
#include <vector>

#include "discreet/engine/pushdown/dialect.h"
#include "discreet/plan/plan.h"

namespace discreet::engine::pushdown {

// The statement, and what its columns are. First `which`, a whole number; then the keys; bins, or a
// value, as a whole number or as a text; then whole numbers of any width: units, kept rows, units
// whose first group it is and their kept rows, a count and a sum for each cell, one for each
// special total.
struct Statement {
  std::string sql;
  std::size_t keys = 0;
  std::vector<std::size_t> cells;     // slots that have a count and a sum
  std::vector<std::size_t> specials;  // totals that have a number of their own
  std::vector<std::size_t> paired;    // totals that come as rows of their own, of a value each

  // `which` of a row: a group, its bins the digits of a number, the first tally's last; a bin of
  // one tally (a kValue); a value of one total.
  static constexpr std::int64_t kGroups = 0, kTally = 100, kPairs = 10'000;
  static constexpr std::int64_t kDigit = 128;
  static_assert(bound::kCountBins <= kDigit);
  std::size_t whole_at() const { return 1 + keys; }
  std::size_t text_at() const { return whole_at() + 1; }
  std::size_t units_at() const { return text_at() + 1; }
  std::size_t rows_at() const { return units_at() + 1; }
  std::size_t firsts_at() const { return rows_at() + 1; }
  std::size_t firsts_rows_at() const { return firsts_at() + 1; }
  std::size_t cells_at() const { return firsts_rows_at() + 1; }
  std::size_t specials_at() const { return cells_at() + 2 * cells.size(); }
  std::size_t columns() const { return specials_at() + specials.size(); }
};

Result<Statement> bounded(const plan::PlanPart& part, const Dialect& dialect);

// The rows of a public relation, their columns travelling.
Result<std::string> open_rows(const sql::Relation& relation, const Dialect& dialect);

}  // namespace discreet::engine::pushdown
