// What the statements of bounding.h are put together from, whichever way rows are limited.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "discreet/bound/shape.h"
#include "discreet/engine/pushdown/bounding.h"
#include "discreet/engine/pushdown/priority_sql.h"

namespace discreet::engine::pushdown {

class BoundingSql {
 public:
  BoundingSql(const plan::PlanPart& part, const Dialect& dialect);

 protected:
  using Strings = std::vector<std::string>;

  static tl::unexpected<Error> unplanned();
  // Each stage is a WITH; the last SELECT goes beside them.
  void stage(const char* name, const std::string& sql);
  // Says of the last stage whether it is kept or read again.
  void mark_stage(std::string_view how);
  Result<Statement> statement(const std::string& last);

  // The rows, as the first stage.
  Status rows();
  // Of rows: these columns as they are, the keys, slots on their grids v0 …, m.
  std::string points(Strings columns, const char* from) const;
  // The place of a row's group among those of its unit, by h, and `had` where `counts_rows()`.
  std::string placed() const;
  // A unit's share of a total that is no plain count or sum, of all its rows in a group or of those
  // that pass the filter; each with a weight, which may be nothing.
  std::string special(std::size_t total, const std::string& filter, const char* weight) const;

  // The bins of a unit's tallies of counts as the digits of one number, of its columns had,
  // all_kept, most, groups, all_marked.
  std::string bins() const;
  // Units by these, from `binned`.
  std::string all_bins() const;
  // The columns of a row that is of no group.
  struct NoGroup {
    std::int64_t which;
    std::string bin, units, firsts, all_kept;
  };
  Strings no_group(const NoGroup& row) const;
  // … where they stand on the row of the unit's first group.
  std::string binned_beside(const char* units) const;
  std::string binned(const char* units) const;

  // How a group's numbers come about from the rows before.
  struct Sums {
    std::string units, rows;
    std::function<std::string(std::size_t slot, std::size_t cell)> count, sum;
    std::function<std::string(std::size_t total, std::size_t special)> special;
  };
  // Sums by group, and by the bins that stand beside them, where they do.
  std::string groups(const std::string& from, const Sums& sums, bool bins_beside) const;

  bool has_tallies() const { return !shape_.tallies.empty(); }
  bool limits_groups() const { return shape_.max_groups != bound::kNoLimit; }
  // How many rows a unit had is known only before groups are dropped.
  bool counts_rows() const { return limits_groups() && has_tallies(); }
  // A text or its hash: nothing to add up or to sort by.
  bool is_text(std::size_t slot) const;
  std::string key_list(std::string_view before) const;
  std::string wide_or_0(const std::string& sum) const;
  std::string null_of(policy::Type type) const;
  std::string as(const std::string& text, policy::Type type) const;
  std::string bigint(const std::string& text) const { return as(text, policy::Type::kInt); }

  const plan::PlanPart& part_;
  const Dialect& dialect_;
  const PrioritySql priority_;
  const bound::Shape shape_;
  Strings keys_, ordered_keys_, stages_;
  std::vector<std::size_t> places_;  // of each slot: which of the rows' columns s0, s1, … it is of
  bool marks_ = false;
  Statement out_;
};

// Whole rows, drawn; rows with weights; and a survey, which has histograms of units alone.
Result<Statement> drawn(const plan::PlanPart& part, const Dialect& dialect);
Result<Statement> weighed(const plan::PlanPart& part, const Dialect& dialect);
Result<Statement> surveyed(const plan::PlanPart& part, const Dialect& dialect);

}  // namespace discreet::engine::pushdown
