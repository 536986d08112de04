// Calculating with released values, each with its interval: arithmetic of aggregates, HAVING, ORDER
// BY. No private value gets here, so everything is ordinary code.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "discreet/sql/check.h"

namespace discreet::plan {

// The words of the questions, which every line of this room uses.
using policy::Catalog;
using policy::Column;
using policy::Interval;
using policy::Type;
using policy::Value;
using sql::Aggregate;
using sql::Expr;
using sql::Function;
using sql::Op;
using sql::Options;
using sql::Order;
using sql::Output;
using sql::Question;
using sql::Relation;
using sql::Select;

struct Cell {
  Value value;
  std::optional<std::pair<double, double>>
      interval;  // may be infinite; none where nothing is known
};

// The value at these columns. Intervals follow interval arithmetic: they hold together where all of
// the columns' do.
Cell evaluate(const Expr& expr, const std::vector<Cell>& columns);
// The same for many rows, and for any expression: what evaluate() doesn't know (texts, dates) is
// left to a calculator that holds nothing but these released values.
Result<std::vector<Cell>> evaluate_all(const Expr& expr, const std::vector<std::vector<Cell>>& rows,
                                       const sql::Calculator& calculator);

}  // namespace discreet::plan
