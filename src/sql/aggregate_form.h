// What a query may say of an aggregate, and what that means before any noise: a plain value, one
// for each aggregate. Which there are is not this room's to say: check() is given their forms (the
// list is plan/aggregates.cc).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/sql/syntax.h"

namespace discreet::sql {

struct AggregateForm {
  // One of its names in queries.
  struct Spelling {
    std::string_view text;  // in lower case
    bool offered = false;   // where names are completed
    bool folds = true;      // also inside a subquery
    bool median = false;    // its share is 1/2
  };
  // One of the ways in which it can be released.
  struct Method {
    std::string_view name;
    bool open = false;     // kListed: of values that nobody declared
    bool bounded = false;  // takes bound => …
  };
  enum class Of {
    kRows,      // COUNT(*)
    kAnything,  // values that are or aren't there
    kUnits,     // those protected: COUNT(DISTINCT key)
    kNumbers,   // numbers with bounds
    kOrdered,   // … or dates and timestamps
    kListed,    // a column whose values are declared, or any (open)
  };
  enum class Gives {
    kCount,   // a whole number from 0 on
    kNumber,  // a double
    kPlace,   // a double, or a moment where it is of moments
    kValue,   // one of the values it is of
  };

  std::string_view name;                 // in plans; the same name is the same aggregate
  std::vector<std::string_view> called;  // in hints: VAR
  std::vector<Spelling> spellings;
  Of of = Of::kNumbers;
  Gives gives = Gives::kNumber;
  bool distinct = false;                    // with DISTINCT, and only so
  bool share = false;                       // takes a literal share from 0 to 1: QUANTILE(x, 0.9)
  bool per_group = false;                   // takes contribution_bounds_per_group
  bool of_truth = false;                    // true is 1
  std::vector<Method> methods = {};         // what method => … may say; empty: there is one way
  std::optional<Fold> fold = std::nullopt;  // what it is inside one unit, or over public tables
};

using AggregateForms = std::vector<const AggregateForm*>;

// The first with that spelling, and of that kind: with DISTINCT or without.
const AggregateForm* find_form(const AggregateForms& forms, std::string_view spelling,
                               AggregateForm::Of of);
const AggregateForm* find_form(const AggregateForms& forms, std::string_view spelling,
                               bool distinct);
const AggregateForm::Spelling* find_spelling(const AggregateForm& form, std::string_view spelling);

// An aggregate, or one somewhere in it (but not in its subqueries).
bool is_aggregate(const AggregateForms& forms, const Term& term);
bool has_aggregate(const AggregateForms& forms, const Term& term);

// "COUNT, SUM and AVG": each name once, of the forms that are chosen.
template <class Choose>
std::string list_of(const AggregateForms& forms, Choose choose);
std::string list_of(const std::vector<std::string_view>& names);

template <class Choose>
std::string list_of(const AggregateForms& forms, Choose choose) {
  std::vector<std::string_view> names;
  for (const AggregateForm* form : forms)
    if (choose(*form)) names.insert(names.end(), form->called.begin(), form->called.end());
  return list_of(names);
}

}  // namespace discreet::sql
