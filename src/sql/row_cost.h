// What one row can cost, at worst, whatever it holds: the steps (about a nanosecond each, by the
// prices of the engine that has the tables) of all that a question calculates from the row. How
// long a question takes is seen by whoever asks it; a row that is dear to calculate would be seen
// in it.
//
//   const Expr name = column(0, Type::kText);
//   const Expr like = call(Op::kLike, Type::kBool, {name, literal(Value::text("%ab%"))});
//   double steps = row_steps(like, {}, row_prices(policy::Catalog()));  // of 1,000 characters
//
// The cost is of the whole question: every condition, key and aggregated value on the row's way,
// with subqueries unfolded, since an engine calculates a column again wherever it is used. Texts
// are as long as they can be: kLongestName characters where a column is read, what the functions
// make of it from there on.
#pragma once

#include <vector>

#include "discreet/sql/check.h"
#include "discreet/sql/row_prices.h"

namespace discreet::sql {

inline constexpr double kMostRowSteps = 1'000'000;  // about a millisecond

// Whether a text may have more than kLongestName characters.
bool may_be_long(const Expr& expr);
// Whether an operation reads only the first kLongestName characters of this argument, so that an
// engine has to cut it: a text that goes into a function, a pattern or a cast.
bool reads_beginning(const Expr& operation, std::size_t arg);

// What a column of the row costs, and how many characters a text in it has at most.
struct ColumnCost {
  double steps = 0, length = static_cast<double>(kLongestName);
};
// Of one expression over columns that cost so much; those that aren't listed are stored ones.
double row_steps(const Expr& expr, const std::vector<ColumnCost>& columns, const RowPrices& prices);

// Of all rows' dearest part, for the caret.
struct RowCost {
  double steps = 0;
  double most = 0;
  const Expr* dearest = nullptr;
};
RowCost row_cost(const Select& select, const RowPrices& prices);
RowCost row_cost(const Relation& relation, const RowPrices& prices);

}  // namespace discreet::sql
