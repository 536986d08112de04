// Calculating with released values, each with its interval: arithmetic of aggregates, HAVING, ORDER
// BY. No private value gets here, so everything is ordinary code.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

struct Cell {
  Value value;
  std::optional<std::pair<double, double>>
      interval;  // may be infinite; none where nothing is known
};

// A word for what can't be calculated on released values; empty if all can.
std::string not_released(const Expr& expr);

// The value at these columns. Intervals follow interval arithmetic: they hold together where all of
// the columns' do.
Cell evaluate(const Expr& expr, const std::vector<Cell>& columns);
// The same for many rows, and for any expression: what evaluate() doesn't know (texts, dates) is
// calculated by a database that holds nothing but these released values.
Result<std::vector<Cell>> evaluate_all(const Expr& expr,
                                       const std::vector<std::vector<Cell>>& rows);

}  // namespace discreet::sql
