#include "discreet/sql/row_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include "discreet/sql/literal_rows.h"
#include "discreet/sql/literals.h"
#include "discreet/sql/patterns.h"

namespace discreet::sql {
namespace {

constexpr auto kMost = static_cast<double>(kLongestName);
// On every engine.
constexpr double kPlain = 20;       // a comparison of numbers, AND
constexpr double kWhole = 200;      // comparing a whole text with a literal
constexpr double kTextSet = 1e4;    // hashing a text
constexpr double kListed = 5;       // one more value in a list
constexpr double kNotReal = 3'000;  // reading a text as a whole number or a moment
constexpr double kMade = 100;       // a row that a join makes

// A length that a function is given; negative ones leave so many characters out.
double given(const Expr& expr, double otherwise) {
  const auto value = static_cast<double>(expr.literal.whole);
  return expr.op == Op::kLiteral && value >= 0 ? std::min(value, otherwise) : otherwise;
}

// PostgreSQL makes an automaton of a regular expression when the first row gets there, and keeps 32
// of them: it grows with the square of the pieces. No more than 32 are affordable.
double compiled_size(const std::string& pattern) {
  constexpr double kLeast = 80;
  const auto pieces = static_cast<double>(regex_pieces(pattern).value_or(0));
  return kLeast + (is_words(pattern) ? 0 : pieces * pieces);
}

// Looking for one text in another: from every place that is left, up to its whole length.
double search(const RowPrices& prices, const Expr& needle, double length, double each,
              double text) {
  const double most = is_text_literal(needle) ? length : std::min(length, text / 2);
  return text * each + prices.again * std::max(0.0, text - most) * most;
}

struct Cost {
  double steps = 0, length = 0;
};

// A text function of texts with so many characters each, which are at most kMost.
Cost call_cost(const Expr& expr, const std::vector<double>& lengths, const RowPrices& prices) {
  const auto& args = expr.args;
  const double text = lengths.empty() ? 0 : lengths[0];
  const auto each = [&](double steps) { return Cost{prices.called + steps * text, text}; };
  switch (expr.function) {
    case Function::kLower:
      return each(prices.lower);
    case Function::kUpper:
      return each(prices.upper);
    case Function::kTrim:
    case Function::kTrimLeft:
    case Function::kTrimRight:
    case Function::kLength:
    case Function::kStartsWith:
      return each(prices.read);
    case Function::kReverse:
    case Function::kEndsWith:
      return each(prices.reversed);
    case Function::kSubstring: {
      Cost out = each(prices.cut);
      if (args.size() > 2)
        out.length = std::min(text, std::abs(static_cast<double>(args[2].literal.whole)));
      return out;
    }
    case Function::kLeft:
    case Function::kRight: {
      Cost out = each(prices.cut);
      out.length = given(args[1], text);
      if (expr.function == Function::kLeft) out.steps = prices.called + prices.cut * out.length;
      return out;
    }
    case Function::kContains:
    case Function::kFind:
      return {prices.called + search(prices, args[1], lengths[1], prices.found, text), 0};
    case Function::kReplace:
    case Function::kSplit:
      return {prices.called + search(prices, args[1], lengths[1], prices.rewritten, text), text};
    case Function::kPadLeft:
    case Function::kPadRight: {
      const double length = given(args[1], kMost);
      return {prices.called + prices.padded * (text + length), length};
    }
    case Function::kConcat: {
      Cost out{prices.called, 0};
      for (const double length : lengths) {
        out.steps += 30 * std::min(out.length, kMost) + 10 * length;
        out.length = std::min(out.length, kMost) + length;
      }
      return out;
    }
    case Function::kMatches:
    case Function::kFullMatch:
      return {prices.called + regex_steps(args[1].literal.string) * text +
                  prices.compiled * compiled_size(args[1].literal.string),
              0};
    case Function::kFormatTime: {
      const auto format = static_cast<double>(args[1].literal.string.size());
      return {prices.printed + 400 * format, 10 * format};
    }
    case Function::kDayName:
    case Function::kMonthName:
      return {prices.printed, 10};
    case Function::kNullIf:
      return {expr.type == Type::kText ? prices.two_texts : prices.guarded, text};
    case Function::kNone:
    case Function::kAbs:
    case Function::kCeil:
    case Function::kFloor:
    case Function::kTrunc:
    case Function::kRound:
    case Function::kSign:
    case Function::kSqrt:
    case Function::kExp:
    case Function::kLn:
    case Function::kLog10:
    case Function::kLog2:
    case Function::kSin:
    case Function::kCos:
    case Function::kPower:
    case Function::kLeast:
    case Function::kGreatest:
    case Function::kYear:
    case Function::kQuarter:
    case Function::kMonth:
    case Function::kWeek:
    case Function::kDay:
    case Function::kDayOfWeek:
    case Function::kIsoDay:
    case Function::kDayOfYear:
    case Function::kHour:
    case Function::kMinute:
    case Function::kSecond:
    case Function::kStartOf:
    case Function::kUnitsBetween:
      break;
  }
  return {prices.guarded * static_cast<double>(std::max<std::size_t>(1, args.size() / 2)), 0};
}

// A value beside others: a text beside literals is read as far as the longest of them reaches.
double compare_cost(const Expr& expr, std::span<const Expr> others, const RowPrices& prices) {
  if (expr.type != Type::kText) return kPlain;
  std::size_t most = 0;
  for (const Expr& other : others) {
    if (other.op != Op::kLiteral && expr.op != Op::kLiteral) return prices.two_texts;
    const Expr& literal = other.op == Op::kLiteral ? other : expr;
    most = std::max(most, characters(literal.literal.string));
  }
  return kWhole + prices.cut * static_cast<double>(most);
}

Cost cost_of(const Expr& expr, const std::vector<ColumnCost>& columns, const RowPrices& prices) {
  if (expr.op == Op::kColumn) {
    const ColumnCost known = expr.column < columns.size() ? columns[expr.column] : ColumnCost{};
    return {known.steps + 1, known.length};
  }
  if (expr.op == Op::kLiteral) return {0, static_cast<double>(characters(expr.literal.string))};
  Cost out;
  std::vector<double> lengths;
  for (std::size_t i = 0; i < expr.args.size(); ++i) {
    const Cost arg = cost_of(expr.args[i], columns, prices);
    out.steps += arg.steps;
    // BETWEEN is two comparisons, and some engines look at what is compared twice.
    if (expr.op == Op::kBetween && i == 0) out.steps += arg.steps;
    lengths.push_back(reads_beginning(expr, i) ? std::min(arg.length, kMost) : arg.length);
  }
  const double text = lengths.empty() ? 0 : lengths[0];
  switch (expr.op) {
    case Op::kCall: {
      const Cost own = call_cost(expr, lengths, prices);
      return {out.steps + own.steps, own.length};
    }
    case Op::kLike:
    case Op::kILike: {
      const double folded = expr.op == Op::kILike ? prices.lower : 0;
      const double steps = like_steps(expr.args[1].literal.string, prices) + folded;
      return {out.steps + prices.called + steps * text, 0};
    }
    case Op::kCast:
      if (expr.args[0].op == Op::kLiteral)
        return {out.steps + kPlain, text};  // once: TRUE, DATE '…'
      if (expr.args[0].type == Type::kText && expr.type != Type::kText) {
        // What takes long is which double is nearest.
        const double read =
            expr.type == Type::kDouble ? prices.parsed : std::min(prices.parsed, kNotReal);
        return {out.steps + read + prices.digit * text, 0};
      }
      if (expr.type == Type::kText && expr.args[0].type != Type::kText)
        return {out.steps + prices.printed, 30};
      return {out.steps + kPlain, text};
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kDistinct:
    case Op::kNotDistinct:
      return {out.steps + compare_cost(expr.args[0], {&expr.args[1], 1}, prices), 0};
    case Op::kBetween:
      for (const std::size_t end : {1U, 2U})
        out.steps += compare_cost(expr.args[0], {&expr.args[end], 1}, prices);
      return {out.steps, 0};
    case Op::kIn: {
      const bool listed = std::all_of(expr.args.begin() + 1, expr.args.end(),
                                      [](const Expr& one) { return one.op == Op::kLiteral; });
      const auto count = static_cast<double>(expr.args.size());
      const bool texts = expr.args[0].type == Type::kText;
      if (listed) {
        const std::span<const Expr> list = std::span(expr.args).subspan(1);
        const double found = (texts ? kTextSet : 0) + compare_cost(expr.args[0], list, prices);
        return {out.steps + found + kListed * count, 0};
      }
      return {out.steps + count * (texts ? prices.two_texts : kPlain), 0};
    }
    case Op::kCase: {
      double length = 0;
      for (std::size_t i = 1; i < lengths.size(); i += 2) length = std::max(length, lengths[i]);
      return {out.steps + kPlain, std::max(length, lengths.back())};
    }
    case Op::kCoalesce:
      return {out.steps + kPlain, *std::max_element(lengths.begin(), lengths.end())};
    case Op::kShift:
      return {out.steps + prices.guarded, 0};
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kNegate:
      return {out.steps + prices.calculated, 0};
    case Op::kModulo:
      return {out.steps + prices.remainder, 0};
    case Op::kColumn:
    case Op::kLiteral:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kIsNull:
    case Op::kIsNotNull:
      break;
  }
  return {out.steps + kPlain * static_cast<double>(std::max<std::size_t>(1, expr.args.size())), 0};
}

// Each relation is looked at once, however often it is used.
class Rows {
 public:
  explicit Rows(const RowPrices& prices) : prices_(prices) {}

  struct Way {
    double steps = 0;                 // all that a row passes on its way here
    double rows = 1;                  // that it has become here, by lists in the question
    std::vector<ColumnCost> columns;  // what is calculated where it is used
  };

  const Way& of(const Relation& relation) {
    const auto known = ways_.find(&relation);
    if (known != ways_.end()) return known->second;
    Way out;
    std::vector<ColumnCost> inputs;
    if (relation.kind == Relation::Kind::kUnion) out.rows = 0;
    for (const RelationPtr& input : relation.inputs) {
      const Way& below = of(*input);
      out.steps += below.steps;
      if (relation.kind == Relation::Kind::kUnion) out.rows += below.rows;
      if (relation.inputs.size() == 1) out.rows = below.rows;
      inputs.insert(inputs.end(), below.columns.begin(), below.columns.end());
    }
    switch (relation.kind) {
      case Relation::Kind::kProject:
        for (const Expr& expr : relation.exprs) {
          const Cost cost = look(expr, inputs);
          out.columns.push_back({cost.steps, cost.length});
        }
        break;
      case Relation::Kind::kFold:
        for (const Expr& expr : relation.exprs) {
          const Cost cost = look(expr, inputs);
          out.steps += out.rows * cost.steps;
          out.columns.push_back({0, cost.length});
        }
        for (std::size_t i = 0; i < relation.folds.size(); ++i) {
          const Folded& folded = relation.folds[i];
          const Cost cost = look(folded.arg, inputs);
          out.columns.push_back({0, cost.length});
          const bool keeps = folded.fold == Fold::kCountDistinct || folded.fold == Fold::kMin ||
                             folded.fold == Fold::kMax;
          const double kept = keeps && folded.arg.type == Type::kText ? kTextSet : kPlain;
          // SUM(x) and AVG(x) calculate x once.
          const bool again = std::any_of(
              relation.folds.begin(), relation.folds.begin() + static_cast<std::ptrdiff_t>(i),
              [&](const Folded& other) { return other.arg == folded.arg; });
          out.steps += out.rows * (kept + (again ? 0 : cost.steps));
        }
        break;
      case Relation::Kind::kScan:
      case Relation::Kind::kOne:
        break;
      case Relation::Kind::kFilter:
      case Relation::Kind::kJoin:
      case Relation::Kind::kTop:
      case Relation::Kind::kUnion:  // a row is of one side; the columns of the dearest count
        if (relation.kind == Relation::Kind::kJoin)
          join(relation, inputs, out);
        else if (relation.condition)
          out.steps += out.rows * look(*relation.condition, inputs).steps;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
          const std::size_t at =
              relation.kind == Relation::Kind::kUnion ? i % relation.columns.size() : i;
          if (at >= out.columns.size()) out.columns.resize(at + 1, {0, 0});
          out.columns[at].steps = std::max(out.columns[at].steps, inputs[i].steps);
          out.columns[at].length = std::max(out.columns[at].length, inputs[i].length);
        }
        break;
    }
    out.columns.resize(relation.columns.size());
    return ways_.emplace(&relation, std::move(out)).first->second;
  }

  // Every pair of rows is looked at, and what is made of it passes what comes after. Where a column
  // of a list has to equal something, a row meets those alone that have one value there.
  void join(const Relation& relation, const std::vector<ColumnCost>& inputs, Way& out) {
    const double left = of(*relation.inputs[0]).rows, right = of(*relation.inputs[1]).rows;
    const Cost condition = relation.condition ? look(*relation.condition, inputs) : Cost{};
    double made = left * right;
    if (relation.condition) made = std::min(made, matches(relation, *relation.condition));
    out.steps += left * right * kPlain + made * condition.steps;
    if (made > 1) out.steps += made * kMade;
    const bool chooses = relation.join == JoinKind::kSemi || relation.join == JoinKind::kAnti;
    out.rows = chooses ? left : std::max({made, left, 1.0});
  }
  double matches(const Relation& join, const Expr& condition) {
    const double left = of(*join.inputs[0]).rows, right = of(*join.inputs[1]).rows;
    double most = left * right;
    if (condition.op == Op::kAnd)
      for (const Expr& part : condition.args) most = std::min(most, matches(join, part));
    if (condition.op != Op::kEqual) return most;
    const std::size_t first = join.inputs[0]->columns.size();  // of the right's columns
    for (const std::size_t i : {0U, 1U}) {
      const Expr& side = condition.args[i];
      if (side.op != Op::kColumn) continue;
      const bool of_left = side.column < first;
      // Beside a column of its own rows it may have any value: a = b of a list can hold for all.
      if (uses(condition.args[1 - i], of_left ? 0 : first, of_left ? first : kEnd)) continue;
      const double one = of_left ? of_one_value(*join.inputs[0], side.column) * right
                                 : of_one_value(*join.inputs[1], side.column - first) * left;
      most = std::min(most, one);
    }
    return most;
  }
  static constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();
  static bool uses(const Expr& expr, std::size_t from, std::size_t to) {
    if (expr.op == Op::kColumn) return expr.column >= from && expr.column < to;
    return std::any_of(expr.args.begin(), expr.args.end(),
                       [&](const Expr& arg) { return uses(arg, from, to); });
  }
  // How many rows have one value in a column, at most.
  double of_one_value(const Relation& relation, std::size_t column) {
    if (const auto rows = literal_rows(relation); !rows.empty()) {
      std::map<std::string, double> counts;
      double most = 0;
      for (const std::vector<Expr>* row : rows) {
        const Value& value = (*row)[column].literal;
        const bool number = is_number((*row)[column].type) && !value.null;
        most =
            std::max(most, ++counts[number ? fmt::format("{}", value.as_number()) : value.show()]);
      }
      return most;
    }
    if (relation.kind == Relation::Kind::kFilter || relation.kind == Relation::Kind::kTop)
      return of_one_value(*relation.inputs[0], column);
    if (relation.kind == Relation::Kind::kProject && relation.exprs[column].op == Op::kColumn)
      return of_one_value(*relation.inputs[0], relation.exprs[column].column);
    return of(relation).rows;
  }

  Cost look(const Expr& expr, const std::vector<ColumnCost>& columns) {
    const Cost cost = cost_of(expr, columns, prices_);
    if (cost.steps > total_.most) {
      total_.most = cost.steps;
      total_.dearest = &expr;
    }
    return cost;
  }
  RowCost& total() { return total_; }

 private:
  const RowPrices& prices_;
  std::map<const Relation*, Way> ways_;
  RowCost total_;
};

}  // namespace

bool may_be_long(const Expr& expr) {
  if (expr.type != Type::kText) return false;
  switch (expr.op) {
    case Op::kColumn:
      return true;
    case Op::kLiteral:
      return characters(expr.literal.string) > static_cast<std::size_t>(kLongestName);
    case Op::kCase:
    case Op::kCoalesce:
      return std::any_of(expr.args.begin(), expr.args.end(), may_be_long);
    case Op::kCast:
      return may_be_long(expr.args[0]);
    case Op::kCall:
      if (expr.function == Function::kNullIf) return may_be_long(expr.args[0]);
      return expr.function == Function::kConcat || expr.function == Function::kFormatTime;
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
    case Op::kNegate:
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kDistinct:
    case Op::kNotDistinct:
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
    case Op::kIsNull:
    case Op::kIsNotNull:
    case Op::kIn:
    case Op::kBetween:
    case Op::kLike:
    case Op::kILike:
    case Op::kShift:
      break;
  }
  return false;
}

bool reads_beginning(const Expr& operation, std::size_t arg) {
  const Expr& text = operation.args[arg];
  if (text.type != Type::kText) return false;
  const bool reads = operation.op == Op::kLike || operation.op == Op::kILike ||
                     (operation.op == Op::kCast && operation.type != Type::kText) ||
                     (operation.op == Op::kCall && operation.function != Function::kNullIf);
  if (!reads) return false;
  // LEFT itself reads no more than it gives.
  if (operation.op == Op::kCall && operation.function == Function::kLeft &&
      operation.args[1].literal.whole >= 0 && operation.args[1].literal.whole <= kLongestName)
    return false;
  return may_be_long(text);
}

double row_steps(const Expr& expr, const std::vector<ColumnCost>& columns,
                 const RowPrices& prices) {
  return cost_of(expr, columns, prices).steps;
}

RowCost row_cost(const Select& select, const RowPrices& prices) {
  Rows rows(prices);
  const Rows::Way& input = rows.of(*select.input);
  double steps = input.steps;
  // SUM(x) and AVG(x) calculate x once.
  std::vector<const Expr*> looked;
  const auto look = [&](const Expr& expr) {
    steps += input.rows * kPlain;
    if (std::any_of(looked.begin(), looked.end(), [&](const Expr* one) { return *one == expr; }))
      return;
    looked.push_back(&expr);
    steps += input.rows * rows.look(expr, input.columns).steps;
  };
  for (const Expr& key : select.keys) look(key);
  for (const Aggregate& one : select.aggregates)
    if (one.arg) look(*one.arg);
  rows.total().steps = steps;
  return rows.total();
}

RowCost row_cost(const Relation& relation, const RowPrices& prices) {
  Rows rows(prices);
  const Rows::Way& way = rows.of(relation);
  rows.total().steps = way.steps;
  for (const ColumnCost& column : way.columns) rows.total().steps += way.rows * column.steps;
  return rows.total();
}

}  // namespace discreet::sql
