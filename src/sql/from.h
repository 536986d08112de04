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
  Json node;
};

struct Source {
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

  // Reads the WITH clause of a node, into the given (empty) map.
  Status with(const Json& node, Ctes& ctes);
  // FROM and WHERE of a SELECT node.
  Result<Scope> rows(const Json& select, const Ctes& ctes);
  // A whole inner query: SELECT, UNION ALL; over public tables also ORDER BY, LIMIT, UNION.
  Result<RelationPtr> query(const Json& node, const Ctes& outer);
  // Joins the public subqueries in a tree to the scope's relation and puts their values in their
  // place; refuses private ones (subquery.cc).
  Status lift(Json& tree, Scope& scope, const Ctes& ctes);
  const std::vector<Single>& singles() const { return singles_; }

 private:
  Result<Source> item(const Json& node, const Ctes& ctes);
  Result<Source> base_table(const Json& node, const Ctes& ctes);
  Result<Source> join(const Json& node, const Ctes& ctes);
  Result<Source> values(const Json& node);
  Result<RelationPtr> select(Json node, const Ctes& ctes);
  Result<RelationPtr> grouped(const Json& node, const Scope& scope);
  Result<RelationPtr> set_operation(const Json& node, const Ctes& ctes);
  // ORDER BY of a public query: a place for each of its expressions; what is not in the SELECT list
  // is added to it.
  Result<std::vector<Sort>> sorting(const Json& node, std::vector<Item>& items) const;
  Result<RelationPtr> limited(const Json& node, RelationPtr relation, std::vector<Sort> sort,
                              std::size_t columns) const;
  Result<Lifted> subquery(const Json& node, Scope& scope, const Ctes& ctes);
  Result<Lifted> correlated(const Json& node, Scope& scope, const Scope& inner, const Ctes& ctes);
  // Does this condition make the two sides' owners equal: on the key, or along a declared link?
  bool joins_owners(const Expr& condition, const std::vector<Column>& columns,
                    const Pending& pending) const;

  static constexpr int kDeepest = 50;  // nested queries and joins

  tl::unexpected<Error> unowned(const Json& node) const;

  const Context& at_;
  const Catalog& catalog_;
  int depth_ = 0;
  std::vector<Single> singles_;
};

}  // namespace discreet::sql
