// A query as it was written, before any name in it means anything: a small tree of plain values.
//
//   Query query = parse("SELECT COUNT(*) FROM visits WHERE cost > 3")->query;
//   std::string table = query.from.table;                               // visits
//   bool compares = query.where->kind == Term::Kind::kCompare;          // true
//   std::string left = query.where->args[0].names[0];                   // cost
//
// One place makes it from DuckDB's tree (read_syntax.h), and refuses there whatever has no room
// here: what the checker sees is all that was said.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/sql/algebra.h"

namespace discreet::sql {

// Where it stands in the user's text: its own place, else that of the first thing in it.
using Place = std::optional<std::size_t>;

struct Query;
struct OrderTerm;

// A query inside another one. It is never changed, so copies share it; equal where the queries are.
class QueryPtr {
 public:
  QueryPtr() = default;
  explicit QueryPtr(Query query);
  explicit operator bool() const { return query_ != nullptr; }
  const Query& operator*() const { return *query_; }
  const Query* operator->() const { return query_.get(); }
  friend bool operator==(const QueryPtr& a, const QueryPtr& b);

 private:
  std::shared_ptr<const Query> query_;
};

// An expression as it was written. Each kind says what stands in `args`.
struct Term {
  enum class Kind {
    kColumn,     // none; `names`: the column, perhaps its table before it
    kLiteral,    // none; `literal`
    kCall,       // the arguments, a named one with its name as `alias`
    kCompare,    // left, right; `op` says how
    kAnd,        // any number
    kOr,         // any number
    kNot,        // one
    kIsNull,     // one
    kIsNotNull,  // one
    kIn,         // the value, then those it is compared with
    kNotIn,      // …
    kCoalesce,   // one or more
    kBetween,    // the value, low, high
    kCase,       // when, then, when, then, …, else
    kCast,       // one; `name`: the type's
    kExists,     // none; `query`
    kScalar,     // none; `query`
    kInQuery,    // the value; `query`
    kStar,       // none; `name`: its table, if it was named; `names`: the columns left out
    kLifted,     // a subquery that was joined to the rows: none; `lifted`: its number
  };
  Kind kind = Kind::kLiteral;
  Place place;
  std::string alias;
  std::vector<Term> args;
  std::vector<std::string> names;
  std::string name;  // kCall: the function's, in lower case and in the spelling the binder knows
  Value literal;
  std::optional<Rational> exact;  // kLiteral: the decimal itself, where `literal` is its double
  Op op = Op::kEqual;
  QueryPtr query;
  std::size_t lifted = 0;
  // kCall
  std::string schema;
  bool distinct = false;
  bool is_operator = false;      // a + b
  std::vector<Term> filter;      // FILTER (WHERE …): one at most
  std::vector<OrderTerm> order;  // ORDER BY inside the call, or WITHIN GROUP

  friend bool operator==(const Term&, const Term&) = default;
};

// One entry of ORDER BY. ORDER BY ALL is a star.
struct OrderTerm {
  Term term;
  bool descending = false, nulls_first = false;
  friend bool operator==(const OrderTerm&, const OrderTerm&) = default;
};

// What stands in FROM.
struct FromItem {
  enum class Kind {
    kNothing,
    kTable,
    kJoin,
    kQuery,
    kValues,
    kFunction,  // a table function: never answered, so nothing of it is kept
  };
  // How the rows of a join's two sides are matched.
  enum class Match { kOn, kCross, kNatural };
  Kind kind = Kind::kNothing;
  Place place;
  std::string alias;
  std::vector<std::string> renamed;  // kTable, kQuery: t(a, b)
  std::string catalog, schema, table;
  std::vector<FromItem> sides;  // kJoin: left and right
  JoinKind join = JoinKind::kInner;
  Match match = Match::kOn;
  std::vector<std::string> shared;  // kJoin: USING
  std::optional<Term> condition;    // kJoin: ON
  QueryPtr query;
  std::vector<std::vector<Term>> values;

  friend bool operator==(const FromItem&, const FromItem&) = default;
};

struct Cte;

// A SELECT, or two queries and what is done with their rows.
struct Query {
  enum class Kind { kSelect, kSetOperation };
  Kind kind = Kind::kSelect;
  Place place;
  std::vector<Cte> ctes;
  std::vector<OrderTerm> order;
  std::optional<Term> limit, offset;
  // kSelect
  bool distinct = false;
  std::vector<Term> items;  // one at least
  FromItem from;
  std::optional<Term> where;
  std::vector<Term> groups;
  bool group_by_all = false;
  bool grouping_sets = false;  // several groupings in one
  std::optional<Term> having;
  // kSetOperation
  SetOperation operation = SetOperation::kUnionAll;
  std::vector<Query> sides;  // left and right

  friend bool operator==(const Query&, const Query&) = default;
};

// WITH name(renamed) AS (query)
struct Cte {
  std::string name;
  std::vector<std::string> renamed;
  Query query;
  friend bool operator==(const Cte&, const Cte&) = default;
};

// The terms that stand in a term itself: arguments, FILTER, ORDER BY; not those of its query.
template <class T, class Visit>
void each_part(T& term, Visit visit) {
  for (auto& part : term.args) visit(part);
  for (auto& part : term.filter) visit(part);
  for (auto& one : term.order) visit(one.term);
}

// The word at that place, to point at; nothing where there is none.
std::optional<Position> position_in(const std::string& text, const Place& place);

// A literal whole number: a position in ORDER BY or GROUP BY, a LIMIT.
std::optional<std::int64_t> whole_number(const Term& term);

}  // namespace discreet::sql
