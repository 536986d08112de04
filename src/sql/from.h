// FROM: tables, joins, subqueries and unions, as relations whose rows each have one owner.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "discreet/sql/bind.h"
#include "discreet/sql/catalog.h"

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

class From {
 public:
  From(const std::string& text, const Catalog& catalog)
      : text_(text), at_(text), catalog_(catalog) {}

  // Reads the WITH clause of a node, into the given (empty) map.
  Status with(const Json& node, Ctes& ctes);
  // FROM and WHERE of a SELECT node.
  Result<Scope> rows(const Json& select, const Ctes& ctes);
  // A whole inner query: SELECT, UNION ALL.
  Result<RelationPtr> query(const Json& node, const Ctes& outer);

 private:
  Result<Source> item(const Json& node, const Ctes& ctes);
  Result<Source> base_table(const Json& node, const Ctes& ctes);
  Result<Source> join(const Json& node, const Ctes& ctes);
  Result<RelationPtr> select(const Json& node, const Ctes& ctes);
  Result<RelationPtr> grouped(const Json& node, const Scope& scope);
  Result<RelationPtr> union_all(const Json& node, const Ctes& ctes);
  // Does this condition make the two sides' owners equal: on the key, or along a declared link?
  bool joins_owners(const Expr& condition, const std::vector<Column>& columns,
                    const Pending& pending) const;

  static constexpr int kDeepest = 50;  // nested queries and joins

  const std::string& text_;
  Pointer at_;
  const Catalog& catalog_;
  int depth_ = 0;
};

}  // namespace discreet::sql
