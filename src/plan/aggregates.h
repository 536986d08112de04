// The aggregates that are answered: one row each, in aggregates.cc, and nothing of them elsewhere.
//
// A row says how a query writes the aggregate and what it may be of (its form), which numbers are
// released for it (statistics.h says what each costs and how much a unit changes it), and how its
// value and interval follow from them. Another aggregate is another row, and a function if it is
// finished in a way that is new.
//
//   std::string name(aggregates().rows()[0].form.name);        // COUNT(*)
//   std::size_t numbers = aggregates().rows()[0].made_of.size();  // 1
#pragma once

#include <vector>

#include "discreet/bound/shape.h"
#include "discreet/plan/plan.h"

namespace discreet::plan {

// A number that is released for an aggregate.
enum class Made {
  kRows,       // how many rows
  kCount,      // how many values
  kUnits,      // how many units
  kDifferent,  // how many different values
  kSum,        // of the values
  kValues,     // how many values, beside the next
  kCentered,   // the sum of the values less the middle of their bounds
  kSquares,    // the sum of the squares of the same
  kChoice,     // a choice among candidates, by a score
};

// What an aggregate is finished from.
struct Finishing {
  const PlanPart& part;
  const Aggregate& aggregate;
  const Statistic& last;             // of those it is made of
  const std::vector<Cell>& numbers;  // released, each with its interval; as the row lists them
  double left_out = 0;               // the share of rows that the bounds left out
  // Per row: how far values may lie below and above bounds that were measured, on the average.
  std::pair<double, double> hidden = {0, 0};
  double rows = 0;  // in a group, by the profile that measured them

  double number(std::size_t i) const;
  std::pair<double, double> range(std::size_t i) const;  // infinite where nothing is known
};

struct AggregateRow {
  sql::AggregateForm form;
  std::vector<Made> made_of;
  Cell (*finish)(const Finishing&);
  bound::Scoring::Kind scoring = bound::Scoring::Kind::kQuantile;  // of kChoice
};

class Aggregates {
 public:
  explicit Aggregates(std::vector<AggregateRow> rows);
  // Forms point at their rows, so a table stays where it is.
  Aggregates(const Aggregates&) = delete;
  Aggregates& operator=(const Aggregates&) = delete;

  const std::vector<AggregateRow>& rows() const { return rows_; }
  const sql::AggregateForms& forms() const { return forms_; }  // for sql::check
  const AggregateRow* row_of(const Aggregate& aggregate) const;

 private:
  std::vector<AggregateRow> rows_;
  sql::AggregateForms forms_;
};

const Aggregates& aggregates();

// The names that are offered where names are completed: COUNT, SUM, …
std::vector<std::string> aggregate_names();

}  // namespace discreet::plan
