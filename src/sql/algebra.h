// What a query may say, as plain values. Whatever the user wrote is checked into this small typed
// algebra, and everything that runs is printed from it: no text of the user's reaches an engine.
//
//   Expr price = column(0, Type::kDouble), two = literal(Value::number(2));
//   Expr twice = call(Op::kMultiply, Type::kDouble, {price, two});
//   bool same = twice == call(Op::kMultiply, Type::kDouble, {price, two});  // true
//
// Every expression is total: whatever the rows hold, it has a value, and nothing raises an error.
// Each engine sees to that in its own way. Two expressions are equal where they mean the same by
// their form; canonical.h has their text.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "discreet/policy/catalog.h"
#include "discreet/policy/names.h"

namespace discreet::sql {

// The policy's words, which every line of this room uses.
using policy::can_cast;
using policy::Catalog;
using policy::Column;
using policy::Interval;
using policy::is_number;
using policy::is_time;
using policy::lower;
using policy::same_name;
using policy::Table;
using policy::Type;
using policy::type_named;
using policy::Unreadable;
using policy::Value;

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
  kLike,     // text, literal pattern
  kILike,    // … in any case
  kCase,     // when, then, when, then, …, else
  kCast,     // to `type`; what can't be cast is NULL
  kCoalesce,
  kCall,   // `function`
  kShift,  // a date or timestamp moved by `literal` (whole) of `unit`
};

// The scalar functions that queries may call: a closed list (functions.h), each of them total,
// deterministic and blind to files. Every engine says how it calculates each.
enum class Function {
  kNone,
  kAbs,
  kCeil,
  kFloor,
  kTrunc,
  kRound,  // perhaps to a literal number of digits
  kSign,
  kSqrt,
  kExp,
  kLn,
  kLog10,
  kLog2,
  kSin,
  kCos,
  kPower,  // to a literal exponent
  kLeast,
  kGreatest,
  kNullIf,
  kLower,
  kUpper,
  kTrim,
  kTrimLeft,
  kTrimRight,
  kReverse,
  kLength,
  kConcat,
  kSubstring,  // from a literal place, perhaps of a literal length
  kLeft,
  kRight,
  kContains,
  kStartsWith,
  kEndsWith,
  kFind,     // where a text stands in another, from 1; 0: nowhere
  kReplace,  // a literal text by another that is no longer
  kSplit,    // a literal separator and a literal place
  kPadLeft,  // to a literal length with a literal text
  kPadRight,
  kMatches,    // a literal regular expression, anywhere
  kFullMatch,  // … from end to end
  kYear,
  kQuarter,
  kMonth,
  kWeek,
  kDay,
  kDayOfWeek,  // Sunday is 0
  kIsoDay,     // Monday is 1
  kDayOfYear,
  kHour,
  kMinute,
  kSecond,
  kDayName,
  kMonthName,
  kFormatTime,    // by a literal format
  kStartOf,       // of a literal unit of time: DATE_TRUNC
  kUnitsBetween,  // borders of a literal unit of time between two moments: DATE_DIFF
};

// Whether something tells the privacy unit's key, or a column that the policy hides.
struct Tells {
  bool key = false, hidden = false;
  bool any() const { return key || hidden; }
  Tells& operator|=(const Tells& other) {
    key |= other.key;
    hidden |= other.hidden;
    return *this;
  }
};

enum class Unit { kDays, kMonths, kSeconds };

// Positions and lengths in texts; longer texts are cut where texts are put together.
inline constexpr std::int64_t kLongestText = 10'000;
// Texts are cut to so many characters where they name a group: what a question makes of one
// person's rows must not be more than a machine can hold.
inline constexpr std::int64_t kLongestName = 1'000;

struct Expr {
  Op op = Op::kLiteral;
  Type type = Type::kText;
  std::vector<Expr> args;
  Value literal;
  std::size_t column = 0;
  Function function = Function::kNone;
  Unit unit = Unit::kDays;
  // What is known of its values before any row is read.
  std::optional<Interval> range;
  std::optional<std::vector<Value>> domain;  // public: all it can be
  bool nonnegative = false;                  // a count: at least 0, with no upper end
  // What it was made from.
  bool uses_key = false, uses_hidden = false, is_key = false;
  std::size_t position = 0, length = 1;  // in the user's text
  double weight = 1;                     // operations in it as printed: BETWEEN is two comparisons

  // By form alone: what is known of the values follows from it.
  friend bool operator==(const Expr& a, const Expr& b);
};

Expr column(std::size_t index, Type type);
Expr literal(Value value);
Expr call(Op op, Type type, std::vector<Expr> args);
// The first kLongestName characters of a text; any other value as it is.
Expr short_name(Expr expr);

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
constexpr bool may_lack_left(JoinKind join) {
  return join == JoinKind::kRight || join == JoinKind::kFull;
}
constexpr bool may_lack_right(JoinKind join) {
  return join == JoinKind::kLeft || join == JoinKind::kFull;
}

// All but kUnionAll are for public relations.
enum class SetOperation { kUnionAll, kUnion, kExcept, kExceptAll, kIntersect, kIntersectAll };

// ORDER BY of a public relation.
struct Sort {
  std::size_t column = 0;
  bool descending = false, nulls_first = false;
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
  // rows, or by which parts of a UNION ALL the row is in.
  Tells rows_tell;
  // A condition on the key, or on a hidden column, chose the rows.
  Tells chosen_by;
  bool linked = false;  // rows_of a linked table: inputs[0] joins its bare rows with their owners
};

// What a fold's rows are grouped by: its expression; of a person's text, but for the key and what
// is public, its first characters.
Expr grouped_by(const Relation& fold, std::size_t key);

}  // namespace discreet::sql
