// Names and expressions: from the parser's tree to typed, total expressions over one relation's
// columns. What isn't on the list here is refused, with a reason and the place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "discreet/sql/algebra.h"
#include "discreet/sql/calculator.h"
#include "discreet/sql/parse.h"

namespace discreet::sql {

// A subquery over public tables that was joined to the relation (subquery.cc).
struct Lifted {
  Expr expr;             // its value, over the relation's columns
  RelationPtr constant;  // its one row and column, where it doesn't depend on the row
  Json node;             // as it was written
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

// What every step has with it: the user's text, so that a refusal points at a node of the tree, and
// who calculates with public values.
class Context {
 public:
  Context(const std::string& text, const Calculator& calculator)
      : text_(text), calculator_(calculator) {}
  const Calculator& calculator() const { return calculator_; }
  tl::unexpected<Error> refuse(const Json& node, std::string message, std::string hint = {}) const;
  std::optional<Position> position(const Json& node) const;
  // Refuses the node if a field that isn't listed says anything: what isn't understood isn't
  // ignored.
  Status only(const Json& node, std::initializer_list<const char*> fields, const char* what) const;

 private:
  const std::string& text_;
  const Calculator& calculator_;
};

class Binder {
 public:
  // Called before every node; answers it, or leaves it to the binder.
  using Intercept = std::function<std::optional<Result<Expr>>(const Json& node)>;

  Binder(const Context& at, const Scope& scope, Intercept intercept = {})
      : at_(at), scope_(scope), intercept_(std::move(intercept)) {}

  Result<Expr> bind(const Json& node);
  Result<Expr> condition(const Json& node);  // must be a truth value

 private:
  Result<Expr> column_ref(const Json& node);
  Result<Expr> function(const Json& node);
  Result<Expr> comparison(const Json& node);
  Result<Expr> conjunction(const Json& node);
  Result<Expr> operation(const Json& node);
  Result<Expr> row_in(const Json& node);
  Result<Expr> between(const Json& node);
  Result<Expr> cases(const Json& node);
  Result<Expr> cast(const Json& node);
  Result<Expr> arithmetic(const Json& node, const std::string& name, std::vector<Expr> args);
  Result<Expr> shift(const Json& node, Expr moment, const Json& interval, bool back);
  Result<Expr> compare(const Json& node, Op op, Expr left, Expr right);

  tl::unexpected<Error> too_large(const Json& node) const;
  tl::unexpected<Error> time_of_asking(const Json& node) const;

  const Context& at_;
  const Scope& scope_;
  Intercept intercept_;
  int depth_ = 0;
  std::size_t parts_ = 0;
};

// An aggregate of other databases that is not answered here.
bool is_other_aggregate(const std::string& name);

Result<Expr> constant(const Context& at, const Json& node);
// The bounds of arithmetic.
std::optional<Interval> range_of(Op op, const Expr& a, const Expr& b);
// Brings a list of expressions to one type: numbers to doubles where they differ, texts to dates
// where literals allow it.
bool unify(std::vector<Expr*> exprs, Type& type);

}  // namespace discreet::sql
