#include "discreet/engine/pushdown/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/merged.h"
#include "discreet/sql/literal_rows.h"
#include "discreet/sql/patterns.h"
#include "discreet/sql/row_cost.h"

namespace discreet::engine::pushdown {

using namespace sql;
using std::string;
using Strings = std::vector<string>;

string joined(const Strings& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

Strings names(std::size_t count, std::string_view prefix) {
  Strings out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("{}{}", prefix, i));
  return out;
}

namespace {

string quoted(std::string_view text, char mark) {
  string out(1, mark);
  for (const char c : text) {
    if (c == mark) out += mark;
    out += c;
  }
  return out + mark;
}

std::string_view symbol(Op op) {
  constexpr std::pair<Op, std::string_view> kSymbols[] = {
      {Op::kEqual, "="},
      {Op::kNotEqual, "<>"},
      {Op::kLess, "<"},
      {Op::kLessEqual, "<="},
      {Op::kGreater, ">"},
      {Op::kGreaterEqual, ">="},
      {Op::kDistinct, "IS DISTINCT FROM"},
      {Op::kNotDistinct, "IS NOT DISTINCT FROM"},
      {Op::kAnd, " AND "},
      {Op::kOr, " OR "}};
  for (const auto& [known, text] : kSymbols)
    if (known == op) return text;
  return "?";
}

class Printer {
 public:
  Printer(const Strings& columns, const Dialect& dialect) : columns_(columns), dialect_(dialect) {}

  Result<string> print(const Expr& expr) const {
    switch (expr.op) {
      case Op::kColumn:
        return columns_[expr.column];
      case Op::kLiteral:
        return dialect_.literal(expr.literal);
      case Op::kAdd:
      case Op::kSubtract:
      case Op::kMultiply:
      case Op::kDivide:
      case Op::kModulo:
        return dialect_.arithmetic(expr.op, {TRY(real(expr.args[0])), &expr.args[0]},
                                   {TRY(real(expr.args[1])), &expr.args[1]});
      case Op::kNegate:
        return fmt::format("(-{})", TRY(real(expr.args[0])));
      case Op::kLess:
      case Op::kLessEqual:
      case Op::kGreater:
      case Op::kGreaterEqual: {
        auto [type, sides] = TRY(alike(expr.args));
        for (const std::size_t i : {0U, 1U})
          sides[i] = TRY(as_decides(expr.args[i], std::move(sides[i]), {&expr.args[1 - i], 1}));
        return dialect_.compared(symbol(expr.op), type, sides[0], sides[1]);
      }
      case Op::kEqual:
      case Op::kNotEqual:
      case Op::kDistinct:
      case Op::kNotDistinct: {
        const auto [type, sides] = TRY(alike(expr.args));
        return dialect_.compared(symbol(expr.op), type, sides[0], sides[1]);
      }
      case Op::kAnd:
      case Op::kOr:
        return fmt::format("({})", joined(TRY(all(expr.args)), symbol(expr.op)));
      case Op::kNot:
        return fmt::format("(NOT {})", TRY(print(expr.args[0])));
      case Op::kIsNull:
        return fmt::format("({} IS NULL)", TRY(print(expr.args[0])));
      case Op::kIsNotNull:
        return fmt::format("({} IS NOT NULL)", TRY(print(expr.args[0])));
      case Op::kIn: {
        auto [type, items] = TRY(alike(expr.args));
        const string first = TRY(as_decides(expr.args[0], std::move(items.front()), others(expr)));
        items.erase(items.begin());
        return dialect_.among(first, type, items);
      }
      case Op::kBetween: {
        const auto [type, items] = TRY(alike(expr.args));
        Strings ends;
        for (const std::size_t end : {1U, 2U})
          ends.push_back(
              dialect_.compared(end == 1 ? ">=" : "<=", type,
                                TRY(as_decides(expr.args[0], items[0], {&expr.args[end], 1})),
                                TRY(as_decides(expr.args[end], items[end], {&expr.args[0], 1}))));
        return fmt::format("({} AND {})", ends[0], ends[1]);
      }
      case Op::kLike:
      case Op::kILike:
        return dialect_.like(TRY(as_read(expr, 0)), TRY(print(expr.args[1])),
                             expr.op == Op::kILike);
      case Op::kCase: {
        string out = "(CASE";
        for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2)
          out += fmt::format(" WHEN {} THEN {}", TRY(print(expr.args[i])),
                             TRY(branch(expr, expr.args[i + 1])));
        return out + fmt::format(" ELSE {} END)", TRY(branch(expr, expr.args.back())));
      }
      case Op::kCast:
        return dialect_.cast(TRY(as_read(expr, 0)), expr.args[0].type, expr.type);
      case Op::kCoalesce: {
        Strings items;
        for (const Expr& item : expr.args) items.push_back(TRY(branch(expr, item)));
        return fmt::format("coalesce({})", joined(items));
      }
      case Op::kCall: {
        Strings items;
        for (std::size_t i = 0; i < expr.args.size(); ++i)
          items.push_back(is_number(expr.args[i].type) ? TRY(branch(expr, expr.args[i]))
                                                       : TRY(as_read(expr, i)));
        return dialect_.call(expr, items);
      }
      case Op::kShift:
        return dialect_.shifted(expr, TRY(print(expr.args[0])));
    }
    return fail(Code::kFailure, "an expression of no known kind");
  }

 private:
  // An argument as the operation reads it: of a text that may be long its beginning.
  Result<string> as_read(const Expr& operation, std::size_t i) const {
    string text = TRY(print(operation.args[i]));
    if (!reads_beginning(operation, i)) return text;
    const Expr cut = short_name(column(0, Type::kText));  // LEFT
    string letters = TRY(print(cut.args[1]));
    return dialect_.call(cut, {std::move(text), std::move(letters)});
  }
  // A text beside literals: one letter more than the longest of them has decides, and a server
  // needn't fetch the rest.
  Result<string> as_decides(const Expr& expr, string text, std::span<const Expr> others) const {
    if (expr.type != Type::kText || !may_be_long(expr) ||
        !std::all_of(others.begin(), others.end(),
                     [](const Expr& other) { return other.op == Op::kLiteral; }))
      return text;
    std::size_t most = 0;
    for (const Expr& other : others) most = std::max(most, characters(other.literal.string));
    Expr cut = short_name(column(0, Type::kText));  // LEFT
    cut.args[1].literal = Value::integer(static_cast<std::int64_t>(most) + 1);
    string letters = TRY(print(cut.args[1]));
    return dialect_.call(cut, {std::move(text), std::move(letters)});
  }
  static std::span<const Expr> others(const Expr& expr) { return std::span(expr.args).subspan(1); }
  // As a double: whole numbers are cast, literals written so.
  Result<string> real(const Expr& expr) const {
    if (expr.op == Op::kLiteral && !expr.literal.null)
      return dialect_.literal(Value::number(expr.literal.as_number()));
    const string text = TRY(print(expr));
    if (expr.type == Type::kDouble) return text;
    return fmt::format("CAST({} AS {})", text, dialect_.type(Type::kDouble));
  }
  // … where the whole expression is one.
  Result<string> branch(const Expr& whole, const Expr& part) const {
    return whole.type == Type::kDouble ? real(part) : print(part);
  }
  Result<Strings> all(const std::vector<Expr>& exprs) const {
    Strings out;
    for (const Expr& one : exprs) out.push_back(TRY(print(one)));
    return out;
  }
  // Values to be compared, and the type they have then: numbers of different types are doubles.
  struct Alike {
    Type type;
    Strings items;
  };
  Result<Alike> alike(const std::vector<Expr>& exprs) const {
    const bool mixed = std::any_of(exprs.begin(), exprs.end(), [&](const Expr& one) {
      return is_number(one.type) && one.type != exprs[0].type;
    });
    Alike out{mixed ? Type::kDouble : exprs[0].type, {}};
    for (const Expr& one : exprs) out.items.push_back(mixed ? TRY(real(one)) : TRY(print(one)));
    return out;
  }

  const Strings& columns_;
  const Dialect& dialect_;
};

// Columns that stand for themselves, whatever they are made from.
std::vector<double> by_name(std::size_t count) { return std::vector<double>(count, 4); }

Result<Printed> print_join(const Relation& relation, const Dialect& dialect) {
  const Relation& left = *relation.inputs[0];
  const Relation& right = *relation.inputs[1];
  Strings columns = names(left.columns.size(), "l.c");
  for (string& name : names(right.columns.size(), "r.c")) columns.push_back(std::move(name));
  Strings items, conditions;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    items.push_back(fmt::format("{} AS c{}", columns[i], i));
  if (left.has_unit && right.has_unit) {
    conditions.emplace_back("l.u = r.u");
    items.emplace_back(relation.join == JoinKind::kFull    ? "coalesce(l.u, r.u) AS u"
                       : relation.join == JoinKind::kRight ? "r.u AS u"
                                                           : "l.u AS u");
  } else if (left.has_unit || right.has_unit) {
    items.emplace_back(left.has_unit ? "l.u AS u" : "r.u AS u");
  }
  const Printed from = TRY(print(left, dialect)), beside = TRY(print(right, dialect));
  Printed out;
  out.size = from.size + beside.size;
  out.columns = from.columns;
  out.columns.insert(out.columns.end(), beside.columns.begin(), beside.columns.end());
  out.columns.resize(relation.columns.size());
  if (relation.condition) {
    conditions.push_back(TRY(print(*relation.condition, columns, dialect)));
    out.size += merged_size(conditions.back(), from.columns, beside.columns);
  }
  if (items.empty()) items.emplace_back("1 AS one");
  const string on = conditions.empty() ? "TRUE" : joined(conditions, " AND ");
  switch (relation.join) {
    case JoinKind::kSemi:
    case JoinKind::kAnti:
      out.text =
          fmt::format("SELECT {} FROM ({}) AS l WHERE {}EXISTS (SELECT 1 FROM ({}) AS r WHERE {})",
                      joined(items), from.text, relation.join == JoinKind::kSemi ? "" : "NOT ",
                      beside.text, on);
      return out;
    case JoinKind::kInner:
    case JoinKind::kLeft:
    case JoinKind::kRight:
    case JoinKind::kFull:
      break;
  }
  constexpr const char* kWords[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
  out.text = fmt::format("SELECT {} FROM ({}) AS l {} ({}) AS r ON {}", joined(items), from.text,
                         kWords[static_cast<std::size_t>(relation.join)], beside.text, on);
  return out;
}

// The keys and what is aggregated are columns first: some engines group by no expression that
// stands in two places.
Result<Printed> print_fold(const Relation& relation, const Dialect& dialect) {
  const Strings columns = names(relation.inputs[0]->columns.size());
  const Printed input = TRY(print(*relation.inputs[0], dialect));
  Printed out{"", by_name(relation.columns.size()), input.size};
  Strings inner, groups, items;
  if (relation.has_unit) {
    inner.emplace_back("u");
    groups.emplace_back("u");
  }
  for (std::size_t i = 0; i < relation.exprs.size(); ++i) {
    const string key = TRY(print(grouped_by(relation, i), columns, dialect));
    out.size += merged_size(key, input.columns);
    inner.push_back(fmt::format("{} AS k{}", key, i));
    groups.push_back(fmt::format("k{}", i));
    items.push_back(fmt::format("k{} AS c{}", i, i));
  }
  Strings values;  // each is calculated once
  for (std::size_t i = 0; i < relation.folds.size(); ++i) {
    const Folded& folded = relation.folds[i];
    string arg, value;
    if (folded.fold != Fold::kCountRows) {
      value = TRY(print(folded.arg, columns, dialect));
      const auto known = std::find(values.begin(), values.end(), value);
      arg = fmt::format("a{}", known - values.begin());
      if (known == values.end()) {
        inner.push_back(fmt::format("{} AS {}", value, arg));
        values.push_back(value);
      }
    }
    const string fold = TRY(dialect.folded(folded, arg));
    if (!arg.empty())
      out.size += merged_size(value, input.columns) * std::max(1.0, places_in(fold, arg));
    items.push_back(fmt::format("{} AS c{}", fold, relation.exprs.size() + i));
  }
  if (relation.has_unit) items.emplace_back("u");
  if (inner.empty()) inner.emplace_back("1 AS one");
  out.text =
      fmt::format("SELECT {} FROM (SELECT {} FROM ({}) AS t) AS t{}", joined(items), joined(inner),
                  input.text, groups.empty() ? "" : " GROUP BY " + joined(groups));
  return out;
}

Result<Printed> print_project(const Relation& relation, const Dialect& dialect) {
  const Strings columns = names(relation.inputs[0]->columns.size());
  const Printed input = TRY(print(*relation.inputs[0], dialect));
  Printed out{"", {}, input.size};
  Strings items;
  double largest = 0;
  for (std::size_t i = 0; i < relation.exprs.size(); ++i) {
    const string value = TRY(print(relation.exprs[i], columns, dialect));
    out.columns.push_back(merged_size(value, input.columns));
    out.size += out.columns.back();
    largest = std::max(largest, out.columns.back());
    items.push_back(fmt::format("{} AS c{}", value, i));
  }
  if (relation.has_unit) items.emplace_back("u");
  if (items.empty()) items.emplace_back("1 AS one");
  const bool apart = largest > kLargestMerged && !dialect.kept_apart().empty();
  if (apart || dialect.kept_apart().empty()) out.columns = by_name(out.columns.size());
  out.text = fmt::format("SELECT {} FROM ({}) AS t{}", joined(items), input.text,
                         apart ? dialect.kept_apart() : "");
  return out;
}

Result<Printed> print_union(const Relation& relation, const Dialect& dialect) {
  Strings list = names(relation.columns.size()), items;
  if (const auto rows = literal_rows(relation); !rows.empty()) {
    for (const std::vector<Expr>* row : rows) {
      Strings values;
      for (const Expr& value : *row) values.push_back(TRY(dialect.literal(value.literal)));
      items.push_back("(" + joined(values) + ")");
    }
    const string all = joined(items);
    return Printed{fmt::format("SELECT * FROM (VALUES {}) AS t({})", all, joined(list)),
                   by_name(list.size()), static_cast<double>(all.size())};
  }
  if (relation.has_unit) list.emplace_back("u");
  Printed out{"", std::vector<double>(relation.columns.size()), 0};
  for (const RelationPtr& one : relation.inputs) {
    const Printed input = TRY(print(*one, dialect));
    items.push_back(fmt::format("(SELECT {} FROM ({}) AS t)", joined(list), input.text));
    out.size += input.size;
    // What is said of the union's rows is said of each side's.
    for (std::size_t i = 0; i < out.columns.size(); ++i) out.columns[i] += input.columns[i];
  }
  if (relation.operation != SetOperation::kUnionAll) out.columns = by_name(out.columns.size());
  constexpr const char* kWords[] = {" UNION ALL ",  " UNION ",     " EXCEPT ",
                                    " EXCEPT ALL ", " INTERSECT ", " INTERSECT ALL "};
  out.text = joined(items, kWords[static_cast<std::size_t>(relation.operation)]);
  return out;
}

Result<Printed> print_top(const Relation& relation, const Dialect& dialect) {
  // Rows that the user's order leaves equal are ordered by all their columns: which rows a
  // LIMIT takes must not depend on the run.
  const Relation& rows = *relation.inputs[0];
  const Printed input = TRY(print(rows, dialect));
  const auto ordered = [&](std::size_t column) {
    return dialect.ordered(fmt::format("c{}", column), rows.columns[column].type);
  };
  Strings items;
  for (const Sort& sort : relation.sort)
    items.push_back(fmt::format("{}{}{}", ordered(sort.column), sort.descending ? " DESC" : "",
                                sort.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
  for (std::size_t i = 0; i < rows.columns.size(); ++i) items.push_back(ordered(i));
  const string order = joined(items);
  Printed out{"", by_name(relation.columns.size()), input.size};
  out.size += merged_size(order, input.columns);
  out.text = fmt::format("SELECT {} FROM ({}) AS t ORDER BY {}{}{}",
                         joined(names(relation.columns.size())), input.text, order,
                         // in the order that the standard has, and Trino insists on
                         relation.offset ? fmt::format(" OFFSET {}", *relation.offset) : "",
                         relation.limit ? fmt::format(" LIMIT {}", *relation.limit) : "");
  return out;
}

Result<Printed> print_any(const Relation& relation, const Dialect& dialect) {
  switch (relation.kind) {
    case Relation::Kind::kScan: {
      string text = TRY(dialect.scan(relation));
      const std::size_t count = relation.columns.size();
      const double each = static_cast<double>(text.size()) / static_cast<double>(count + 1);
      return Printed{std::move(text), std::vector<double>(count, each), 0};
    }
    case Relation::Kind::kFilter: {
      Printed out = TRY(print(*relation.inputs[0], dialect));
      const string condition =
          TRY(print(*relation.condition, names(relation.columns.size()), dialect));
      out.size += merged_size(condition, out.columns);
      out.text = fmt::format("SELECT * FROM ({}) AS t WHERE {}", out.text, condition);
      return out;
    }
    case Relation::Kind::kProject:
      return print_project(relation, dialect);
    case Relation::Kind::kJoin:
      return print_join(relation, dialect);
    case Relation::Kind::kUnion:
      return print_union(relation, dialect);
    case Relation::Kind::kOne:
      return Printed{"SELECT 1 AS one", {}, 0};
    case Relation::Kind::kTop:
      return print_top(relation, dialect);
    case Relation::Kind::kFold:
      return print_fold(relation, dialect);
  }
  return fail(Code::kFailure, "a relation of no known kind");
}

}  // namespace

std::size_t size_of(const Expr& expr, std::size_t columns, const Dialect& dialect) {
  const auto text = print(expr, names(columns), dialect);
  return text ? text->size() : 0;
}

std::size_t size_of(const Relation& relation, const Dialect& dialect) {
  std::size_t out = 0, columns = 0;
  for (const RelationPtr& input : relation.inputs) {
    out += size_of(*input, dialect);
    columns += input->columns.size();
  }
  if (relation.condition) out += size_of(*relation.condition, columns, dialect);
  for (const Expr& expr : relation.exprs) out += size_of(expr, columns, dialect);
  for (const Folded& folded : relation.folds)
    if (folded.fold != Fold::kCountRows) out += size_of(folded.arg, columns, dialect);
  return out;
}

string quote_text(std::string_view text) { return quoted(text, '\''); }
string quote_name(std::string_view name) { return quoted(name, '"'); }

Result<string> print(const Expr& expr, const Strings& columns, const Dialect& dialect) {
  return Printer(columns, dialect).print(expr);
}

Result<Printed> print(const Relation& relation, const Dialect& dialect) {
  Printed out = TRY(print_any(relation, dialect));
  TRY(check_merged(out.size));
  return out;
}

}  // namespace discreet::engine::pushdown
