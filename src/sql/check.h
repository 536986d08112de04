// From a query as it was written to a question in the algebra: names bound to the policy, joins and
// subqueries proved to keep each row with its owner, aggregates with their bounds. Everything else
// is refused, with a reason, the place and what to write instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "discreet/sql/aggregate_form.h"
#include "discreet/sql/algebra.h"
#include "discreet/sql/calculator.h"
#include "discreet/sql/parse.h"
#include "discreet/sql/public_rows.h"

namespace discreet::sql {

struct Aggregate {
  const AggregateForm* form = nullptr;  // one of those that check() was given
  std::optional<Expr> arg;              // FILTER is folded in, as CASE
  std::optional<Interval> bounds;       // of each row's value
  std::optional<Interval>
      per_group;  // contribution_bounds_per_group: of the unit's whole contribution to a group
  std::optional<Rational> epsilon;   // epsilon => …
  std::string method;                // method => …; empty: the planner's to choose
  std::optional<Rational> proposed;  // bound => …: of propose-test-release
  Rational share;                    // where the form takes one
  std::string text;                  // as the user wrote it
  std::size_t position = 0;
};

struct Order {
  Expr expr;  // over the released columns: keys, then aggregates
  bool descending = false;
  bool nulls_first = false;
};

struct Output {
  std::string name;
  Expr expr;  // over the released columns
};

// One released SELECT.
struct Select {
  RelationPtr input;  // rows with owners, WHERE applied
  std::vector<Expr> keys;
  std::vector<std::optional<std::vector<Value>>> domains;  // of each key, where it is public
  // All groups, where all keys are public and not every combination of their values can be: keys of
  // one public table.
  std::optional<std::vector<std::vector<Value>>> groups;
  std::vector<std::string> key_names;
  std::vector<Aggregate> aggregates;
  std::vector<Output> outputs;
  std::optional<Expr> having;
};

// A scalar subquery over public tables: `rows` says how many rows it has, at the most. More than
// one is an error, to be found before anything is spent.
struct Single {
  RelationPtr rows;
  std::optional<Position> position;
};

struct Question {
  std::string text;
  std::vector<Select> selects;  // of a top-level UNION ALL; usually one
  // A question about public tables only: answered exactly.
  RelationPtr open;
  std::vector<std::string> open_names;
  std::vector<Order>
      order;  // over the released columns (one SELECT), or the output columns (several, or open)
  bool order_on_outputs = false;
  std::optional<std::int64_t> limit, offset;
  std::vector<Single> singles;
  Options options;  // from the query's clause
};

// What the rooms behind this one bring along.
struct Tools {
  const Calculator& calculator;  // works out which values keys can have where all are public
  const AggregateForms& aggregates;
  const PublicRows* public_rows = nullptr;  // null: keys of public tables are chosen privately
};

Result<Question> check(const Parsed& parsed, const Catalog& catalog, const Tools& tools);

}  // namespace discreet::sql
