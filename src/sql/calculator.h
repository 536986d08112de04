// Who calculates with public values: literals, declared values, released numbers. It must mean by
// every function exactly what the engines mean, so it is one of them, over an empty database.
#pragma once

#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

class Calculator {
 public:
  virtual ~Calculator() = default;
  // The expression's value at each row: column i of the expression is row[i]. Rows are public.
  virtual Result<std::vector<Value>> values(const Expr& expr,
                                            const std::vector<std::vector<Value>>& rows) const = 0;
};

}  // namespace discreet::sql
