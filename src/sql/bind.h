// Names and expressions: from the tree as it was written to typed, total expressions over one
// relation's columns. What isn't on the list here is refused, with a reason and the place.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "discreet/sql/aggregate_form.h"
#include "discreet/sql/algebra.h"
#include "discreet/sql/calculator.h"
#include "discreet/sql/syntax.h"

namespace discreet::sql {

// A subquery over public tables that was joined to the relation (subquery.cc).
struct Lifted {
  Expr expr;             // its value, over the relation's columns
  RelationPtr constant;  // its one row and column, where it doesn't depend on the row
  Term term;             // as it was written
};

// What names mean over a relation.
struct Scope {
  struct Name {
    std::string table, column;
    std::size_t index = 0;
    bool qualified_only = false;  // the other half of a USING column
  };
  RelationPtr relation;
  std::vector<Name> names;
  std::vector<Lifted> lifted;
};

// What every step has with it: the user's text, so that a refusal points at a place in it, and
// who calculates with public values and which aggregates there are.
class Context {
 public:
  Context(const std::string& text, const Calculator& calculator, const AggregateForms& aggregates)
      : text_(text), calculator_(calculator), aggregates_(aggregates) {}
  const std::string& text() const { return text_; }
  const Calculator& calculator() const { return calculator_; }
  const AggregateForms& aggregates() const { return aggregates_; }
  bool is_aggregate(const Term& term) const { return sql::is_aggregate(aggregates_, term); }
  bool has_aggregate(const Term& term) const { return sql::has_aggregate(aggregates_, term); }
  bool has_aggregate(const std::vector<Term>& terms) const {
    return std::any_of(terms.begin(), terms.end(),
                       [&](const Term& term) { return has_aggregate(term); });
  }
  tl::unexpected<Error> refuse(const Place& place, std::string message,
                               std::string hint = {}) const;
  std::optional<Position> position(const Place& place) const;

  // Steps of planning: a term that is bound is one, and so is each thing that it is looked up
  // among. Whatever a question nests or repeats, there is an end to it.
  static constexpr std::size_t kMostSteps = 1'000'000;
  Status spend(std::size_t steps, const Place& place) const;
  std::size_t steps() const { return steps_; }

 private:
  const std::string& text_;
  const Calculator& calculator_;
  const AggregateForms& aggregates_;
  mutable std::size_t steps_ = 0;
};

class Binder {
 public:
  // Called before every term; answers it, or leaves it to the binder.
  using Intercept = std::function<std::optional<Result<Expr>>(const Term& term)>;

  Binder(const Context& at, const Scope& scope, Intercept intercept = {})
      : at_(at), scope_(scope), intercept_(std::move(intercept)) {}

  Result<Expr> bind(const Term& term);
  Result<Expr> condition(const Term& term);  // must be a truth value

 private:
  Result<Expr> meaning(const Term& term);
  Result<Expr> column_ref(const Term& term);
  Status may_call(const Term& term) const;
  Result<Expr> function(const Term& term);
  Result<Expr> logic(const Term& term);
  // All of its arguments, brought to one type.
  Result<std::vector<Expr>> bind_alike(const Term& term, const char* what, Type& type);
  Result<Expr> in(const Term& term);
  Result<Expr> coalesce(const Term& term);
  Result<Expr> row_in(const Term& term);
  Result<Expr> between(const Term& term);
  Result<Expr> cases(const Term& term);
  Result<Expr> cast(const Term& term);
  Result<Expr> arithmetic(const Term& term, const std::string& name, std::vector<Expr> args);
  Result<Expr> shift(const Term& term, Expr moment, const Term& interval, bool back);
  Result<Expr> compare(const Term& term, Op op, Expr left, Expr right);

  tl::unexpected<Error> too_large(const Term& term) const;
  tl::unexpected<Error> time_of_asking(const Term& term) const;

  const Context& at_;
  const Scope& scope_;
  Intercept intercept_;
  int depth_ = 0;
};

// An aggregate of other databases that is not answered here.
bool is_other_aggregate(const std::string& name);

Expr constant(const Term& term);
// The bounds of arithmetic.
std::optional<Interval> range_of(Op op, const Expr& a, const Expr& b);
// Brings a list of expressions to one type: numbers to doubles where they differ, texts to dates
// where literals allow it.
bool unify(std::vector<Expr*> exprs, Type& type);

}  // namespace discreet::sql
