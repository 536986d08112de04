// What a query may say, as plain values. Whatever the user wrote is checked into this small typed
// algebra, and everything that runs is printed from it: no text of the user's reaches an engine.
//
//   Expr price = column(0, Type::kDouble), two = literal(Value::number(2));
//   Expr twice = call(Op::kMultiply, Type::kDouble, {price, two});
//   std::string text = print(twice, {"c0"});  // (c0 * CAST('2' AS DOUBLE))
//
// Every expression is total: whatever the rows hold, it has a value, and nothing raises an error
// (print.cc calls functions of our own, total.h, where DuckDB's would).
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/sql/interval.h"
#include "discreet/sql/value.h"

namespace discreet::sql {

enum class Op {
  kColumn,   // the input relation's column number `column`
  kLiteral,  // `literal`
  // arithmetic, in doubles; division by zero, and what has no value, is NULL
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
  // comparison of two values of one kind
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kDistinct,
  kNotDistinct,
  kAnd,
  kOr,
  kNot,
  kIsNull,
  kIsNotNull,
  kIn,       // args[0] among the others
  kBetween,  // args[1] <= args[0] <= args[2]
  kLike,     // text, literal pattern; `name` is like or ilike
  kCase,     // when, then, when, then, …, else
  kCast,     // to `type`; what can't be cast is NULL
  kCoalesce,
  kCall,   // the function `name`, from the list in functions.cc
  kShift,  // a date or timestamp moved by `literal` (whole) units of `name`: days, months,
           // microseconds
};

struct Expr {
  Op op = Op::kLiteral;
  Type type = Type::kText;
  std::vector<Expr> args;
  Value literal;
  std::size_t column = 0;
  std::string name;
  // What is known of its values before any row is read.
  std::optional<Interval> range;
  std::optional<std::vector<Value>> domain;  // public: all it can be
  bool nonnegative = false;                  // a count: at least 0, with no upper end
  // What it was made from.
  bool uses_key = false, uses_hidden = false, is_key = false;
  std::size_t position = 0, length = 1;  // in the user's text
  double weight = 1;                     // operations in it as printed: BETWEEN is two comparisons
};

Expr column(std::size_t index, Type type);
Expr literal(Value value);
Expr call(Op op, Type type, std::vector<Expr> args);

struct Column {
  std::string name;
  Type type = Type::kText;
  std::optional<Interval> range;
  std::optional<std::vector<Value>> domain;
  bool is_key = false, uses_key = false, hidden = false, nonnegative = false, unique = false;
  // Where a link column may be joined along: "table.column" at both of its ends.
  std::string origin;
};

// Exact aggregates, inside one unit (or over public tables).
enum class Fold {
  kCountRows,
  kCount,
  kCountDistinct,
  kSum,
  kMean,
  kMin,
  kMax,
  kQuantile,
  // over public tables only: the last bit of these depends on the order of the rows, so they are
  // put in one
  kVarPop,
  kVarSamp,
  kStddevPop,
  kStddevSamp,
};
struct Folded {
  Fold fold = Fold::kCountRows;
  Expr arg;
  Rational quantile;  // kQuantile
};

// The last two keep or drop rows of the left side, and have its columns only.
enum class JoinKind { kInner, kLeft, kRight, kFull, kSemi, kAnti };

// All but kUnionAll are for public relations.
enum class SetOperation { kUnionAll, kUnion, kExcept, kExceptAll, kIntersect, kIntersectAll };

// ORDER BY of a public relation.
struct Sort {
  std::size_t column = 0;
  bool descending = false, nulls_first = false;
};

// A column of a file that no query can read, and why.
struct Unreadable {
  std::string name, why, hint;
};

struct Relation;
using RelationPtr = std::shared_ptr<const Relation>;

// A relation prints as a SELECT whose columns are c0, c1, …, and u, the unit, where it has one.
struct Relation {
  enum class Kind {
    kScan,
    kFilter,
    kProject,
    kJoin,
    kUnion,
    kFold,
    kOne,  // one row without columns: what SELECT without FROM reads
    kTop,  // ORDER BY and LIMIT, of public relations; its columns are the first of its input's
  };
  Kind kind = Kind::kScan;
  std::vector<RelationPtr> inputs;
  std::vector<Column> columns;
  bool is_private = false;
  bool has_unit = false;  // false for public relations, and for the bare rows of a linked table
  Type unit_type = Type::kInt;         // kInt or kText
  std::string table;                   // kScan: the policy's name
  std::vector<Unreadable> unreadable;  // kScan: what else the table's files hold
  std::optional<Expr> condition;       // kFilter; kJoin: over the left's columns, then the right's
  JoinKind join = JoinKind::kInner;
  SetOperation operation = SetOperation::kUnionAll;  // kUnion
  std::vector<Sort> sort;                            // kTop
  std::optional<std::int64_t> limit, offset;         // kTop
  std::vector<Expr> exprs;    // kProject: one a column; kFold: the grouping expressions
  std::vector<Folded> folds;  // kFold: the columns after those
  std::optional<std::int64_t> rows_per_unit;  // the owner's promise, while it holds
  bool rows_proved = false;                   // … or a fact: it was grouped by the key
  // How many rows a unit has was decided by comparing its key, or a hidden column, with public
  // rows.
  bool rows_tell_key = false, rows_tell_hidden = false;
  bool linked = false;  // rows_of a linked table: inputs[0] joins its bare rows with their owners
};

// How an engine names things. Everything else is common.
class Dialect {
 public:
  virtual ~Dialect() = default;
  // A SELECT of the scan's columns c0, c1, … (and u) with their types, read totally: a bad field is
  // NULL.
  virtual std::string scan(const Relation& relation) const = 0;
};

std::string print(const Expr& expr, const std::vector<std::string>& columns);
std::string print(const Relation& relation, const Dialect& dialect);
std::string print(const Value& value);          // a literal
std::string quote_text(std::string_view text);  // 'it''s'
std::string quote_name(std::string_view name);  // "a ""name"""
std::string_view engine_type(Type type);        // BIGINT, VARCHAR, …

// The same with the tables by name only: the ledger's canonical form of a query.
std::string canonical(const Relation& relation);

}  // namespace discreet::sql
