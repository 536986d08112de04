// Which literal an expression is, where that decides what the expression around it means.
#pragma once

#include "discreet/sql/algebra.h"

namespace discreet::sql {

inline bool is_text_literal(const Expr& expr) {
  return expr.op == Op::kLiteral && expr.type == Type::kText && !expr.literal.null;
}
inline bool is_null_literal(const Expr& expr) {
  return expr.op == Op::kLiteral && expr.literal.null;
}

}  // namespace discreet::sql
