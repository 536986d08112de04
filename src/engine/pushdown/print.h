// The algebra as an engine's SQL: one SELECT, its columns c0, c1, …, and u, the unit, where it has
// one.
#pragma once

#include <string>
#include <vector>

#include "discreet/engine/pushdown/dialect.h"

namespace discreet::engine::pushdown {

Result<std::string> print(const sql::Expr& expr, const std::vector<std::string>& columns,
                          const Dialect& dialect);
// A relation, and what the engine makes of it where it merges SELECTs (merged.h): the sizes of its
// columns, and of all expressions together. What is too large is refused.
struct Printed {
  std::string text;
  std::vector<double> columns;
  double size = 0;
};
Result<Printed> print(const sql::Relation& relation, const Dialect& dialect);

// How long an expression is in the engine's words; and all of a relation's together.
std::size_t size_of(const sql::Expr& expr, std::size_t columns, const Dialect& dialect);
std::size_t size_of(const sql::Relation& relation, const Dialect& dialect);

// c0, c1, …
std::vector<std::string> names(std::size_t count, std::string_view prefix = "c");
std::string joined(const std::vector<std::string>& parts, std::string_view between = ", ");

// 'it''s'; "a ""name"""
std::string quote_text(std::string_view text);
std::string quote_name(std::string_view name);

}  // namespace discreet::engine::pushdown
