// FROM: tables, joins, subqueries and unions, as relations whose rows each have one owner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "discreet/sql/bind.h"
#include "discreet/sql/check.h"
#include "discreet/sql/rows_of.h"
#include "discreet/sql/select_list.h"

namespace discreet::sql {

// The WITH queries in sight.
struct Ctes {
  const Ctes* outer = nullptr;
  std::map<std::string, RelationPtr> named;  // in lower case
  RelationPtr find(const std::string& name) const;
};

// A private-private join whose owners must still be shown to be the same, by a condition in WHERE.
// Column ranges of the scope.
struct Pending {
  std::size_t left = 0, middle = 0, right = 0;
  Place place;
};

// What FROM has made so far.
struct Joined {
  Scope scope;
  std::vector<Pending> pending;
};

// Counts how deep the recursion is, errors included.
class Deeper {
 public:
  explicit Deeper(int& depth) : depth_(++depth) {}
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  int& depth_;
};

class From {
 public:
  From(const Context& at, const Catalog& catalog) : at_(at), catalog_(catalog) {}

  // Reads the WITH clause of a query, into the given (empty) map.
  Status with(const Query& query, Ctes& ctes);
  // FROM and WHERE of a SELECT.
  Result<Scope> rows(const Query& select, const Ctes& ctes);
  // A whole inner query: SELECT, UNION ALL; over public tables also ORDER BY, LIMIT, UNION.
  Result<RelationPtr> query(const Query& query, const Ctes& outer);
  // Joins the public subqueries in a term to the scope's relation and puts their values in their
  // place; refuses private ones (subquery.cc).
  Status lift(Term& term, Scope& scope, const Ctes& ctes);
  // … in all that a SELECT says of its rows beyond WHERE.
  Status lift(Query& select, Scope& scope, const Ctes& ctes);
  const std::vector<Single>& singles() const { return singles_; }

 private:
  Result<Joined> item(const FromItem& item, const Ctes& ctes);
  Result<Joined> base_table(const FromItem& item, const Ctes& ctes);
  Result<Joined> join(const FromItem& item, const Ctes& ctes);
  Status may_join(const FromItem& item, const Joined& left, const Joined& right) const;
  Result<std::vector<Expr>> shared_columns(const FromItem& item, const Joined& left,
                                           const Joined& right, Scope& scope) const;
  Result<Joined> values(const FromItem& item);
  Result<RelationPtr> select(Query query, const Ctes& ctes);
  Result<RelationPtr> grouped(const Query& select, const Scope& scope);
  Result<std::shared_ptr<Relation>> folded_by(const Query& select, const std::vector<Term>& groups,
                                              const Scope& scope) const;
  // What a term means over the groups; nothing where that is what its parts mean.
  std::optional<Result<Expr>> over_groups(const Term& part, const Scope& scope,
                                          Relation& fold) const;
  Result<RelationPtr> set_operation(const Query& query, const Ctes& ctes);
  // ORDER BY of a public query: a place for each of its expressions; what is not in the SELECT list
  // is added to it.
  Result<std::vector<Sort>> sorting(const Query& query, std::vector<Item>& items) const;
  Result<RelationPtr> limited(const Query& query, RelationPtr relation, std::vector<Sort> sort,
                              std::size_t columns) const;
  Result<Lifted> subquery(const Term& term, Scope& scope, const Ctes& ctes);
  Result<Lifted> in_subquery(const Term& term, const RelationPtr& rows, Scope& scope);
  Result<Lifted> correlated(const Term& term, Scope& scope, const Scope& inner, const Ctes& ctes);
  // The public rows that a correlated subquery reads, told apart by what they are compared with.
  struct Correlation;
  Status correlate(const Query& inside, const Scope& scope, const Ctes& ctes, Correlation& out);
  Result<RelationPtr> correlated_values(const Term& term, const Correlation& correlation);
  // Does this condition make the two sides' owners equal: on the key, or along a declared link?
  bool joins_owners(const Expr& condition, const std::vector<Column>& columns,
                    const Pending& pending) const;

  static constexpr int kDeepest = 50;                                  // nested queries and joins
  static constexpr std::size_t kMostCtes = 200, kMostSubqueries = 50;  // … and those of one SELECT

  tl::unexpected<Error> unowned(const Place& place) const;

  const Context& at_;
  const Catalog& catalog_;
  int depth_ = 0;
  std::size_t ctes_ = 0;
  std::vector<Single> singles_;
  // What was made of a subquery in an expression by itself: its rows, or else what stands in its
  // FROM and WITH. It stands at one place, so it means the same whenever that is looked at.
  struct Inside {
    Result<RelationPtr> rows;
    std::optional<Result<Joined>> from;
    std::map<std::string, RelationPtr> named;
  };
  std::map<const Query*, Inside> inside_;
};

}  // namespace discreet::sql
