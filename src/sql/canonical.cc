#include "discreet/sql/canonical.h"

#include <fmt/format.h>

#include "discreet/sql/functions.h"
#include "discreet/sql/relation.h"

namespace discreet::sql {
namespace {

using std::string;
using Texts = std::vector<string>;

string joined(const Texts& parts, std::string_view between = ", ") {
  return fmt::format("{}", fmt::join(parts, between));
}

string quoted(std::string_view text, char mark) {
  string out(1, mark);
  for (const char c : text) {
    if (c == mark) out += mark;
    out += c;
  }
  return out + mark;
}

// A sign between the arguments; nothing where the operation is written otherwise.
std::string_view sign_of(Op op) {
  switch (op) {
    case Op::kAdd:
      return "+";
    case Op::kSubtract:
      return "-";
    case Op::kMultiply:
      return "*";
    case Op::kDivide:
      return "/";
    case Op::kModulo:
      return "%";
    case Op::kEqual:
      return "=";
    case Op::kNotEqual:
      return "<>";
    case Op::kLess:
      return "<";
    case Op::kLessEqual:
      return "<=";
    case Op::kGreater:
      return ">";
    case Op::kGreaterEqual:
      return ">=";
    case Op::kDistinct:
      return "IS DISTINCT FROM";
    case Op::kNotDistinct:
      return "IS NOT DISTINCT FROM";
    case Op::kAnd:
      return "AND";
    case Op::kOr:
      return "OR";
    case Op::kLike:
      return "LIKE";
    case Op::kILike:
      return "ILIKE";
    case Op::kColumn:
    case Op::kLiteral:
    case Op::kNegate:
    case Op::kNot:
    case Op::kIsNull:
    case Op::kIsNotNull:
    case Op::kIn:
    case Op::kBetween:
    case Op::kCase:
    case Op::kCast:
    case Op::kCoalesce:
    case Op::kCall:
    case Op::kShift:
      break;
  }
  return {};
}

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::kDays:
      return "DAYS";
    case Unit::kMonths:
      return "MONTHS";
    case Unit::kSeconds:
      break;
  }
  return "SECONDS";
}

string cases(const Texts& args) {
  string out = "(CASE";
  for (std::size_t i = 0; i + 1 < args.size(); i += 2)
    out += fmt::format(" WHEN {} THEN {}", args[i], args[i + 1]);
  return out + fmt::format(" ELSE {} END)", args.back());
}

string fold_text(const Folded& folded, const Texts& columns) {
  constexpr std::string_view kNames[] = {
      "COUNT(*", "COUNT(",    "COUNT(DISTINCT ", "SUM(",      "AVG(",        "MIN(",
      "MAX(",    "QUANTILE(", "VAR_POP(",        "VAR_SAMP(", "STDDEV_POP(", "STDDEV_SAMP("};
  string out(kNames[static_cast<std::size_t>(folded.fold)]);
  if (folded.fold != Fold::kCountRows) out += canonical(folded.arg, columns);
  if (folded.fold == Fold::kQuantile) out += ", " + to_decimal(folded.quantile);
  return out + ")";
}

string join_text(const Relation& relation) {
  constexpr std::string_view kWords[] = {"JOIN",      "LEFT JOIN", "RIGHT JOIN",
                                         "FULL JOIN", "SEMI JOIN", "ANTI JOIN"};
  const Relation &left = *relation.inputs[0], &right = *relation.inputs[1];
  Texts columns = places_of(left, "l.c"), conditions;
  for (string& place : places_of(right, "r.c")) columns.push_back(std::move(place));
  if (left.has_unit && right.has_unit) conditions.push_back("l.u = r.u");
  if (relation.condition) conditions.push_back(canonical(*relation.condition, columns));
  return fmt::format("({}) AS l {} ({}) AS r ON {}", canonical(left),
                     kWords[static_cast<std::size_t>(relation.join)], canonical(right),
                     conditions.empty() ? "TRUE" : joined(conditions, " AND "));
}

string scan_text(const Relation& relation) {
  Texts items;
  for (const Column& column : relation.columns) {
    items.push_back(quoted_name(column.name));
    if (relation.has_unit && column.is_key) items.back() += " AS u";
  }
  return fmt::format("SELECT {} FROM {}", joined(items), quoted_name(relation.table));
}

string top_text(const Relation& relation) {
  Texts items;
  for (const Sort& sort : relation.sort)
    items.push_back(fmt::format("c{}{}{}", sort.column, sort.descending ? " DESC" : "",
                                sort.nulls_first ? " NULLS FIRST" : ""));
  return fmt::format("SELECT {} FROM ({}){}{}{}", joined(places_of(relation)),
                     canonical(*relation.inputs[0]),
                     items.empty() ? "" : " ORDER BY " + joined(items),
                     relation.limit ? fmt::format(" LIMIT {}", *relation.limit) : "",
                     relation.offset ? fmt::format(" OFFSET {}", *relation.offset) : "");
}

string union_text(const Relation& relation) {
  constexpr std::string_view kWords[] = {" UNION ALL ",  " UNION ",     " EXCEPT ",
                                         " EXCEPT ALL ", " INTERSECT ", " INTERSECT ALL "};
  Texts parts;
  for (const RelationPtr& input : relation.inputs) parts.push_back("(" + canonical(*input) + ")");
  return joined(parts, kWords[static_cast<std::size_t>(relation.operation)]);
}

// SELECT the expressions, then what is folded, of the input.
string select_text(const Relation& relation) {
  const Texts columns = places_of(*relation.inputs[0]);
  Texts items, groups;
  for (const Expr& expr : relation.exprs) items.push_back(canonical(expr, columns));
  groups = items;
  for (const Folded& folded : relation.folds) items.push_back(fold_text(folded, columns));
  if (relation.has_unit) {
    items.push_back("u");
    groups.push_back("u");
  }
  string out = fmt::format("SELECT {} FROM ({})", joined(items), canonical(*relation.inputs[0]));
  if (relation.kind == Relation::Kind::kFold) out += " GROUP BY " + joined(groups);
  return out;
}

}  // namespace

string quoted_text(std::string_view text) { return quoted(text, '\''); }
string quoted_name(std::string_view name) { return quoted(name, '"'); }

string canonical(const Value& value) {
  if (value.null) return fmt::format("NULL::{}", name_of(value.type));
  switch (value.type) {
    case Type::kBool:
      return value.whole != 0 ? "TRUE" : "FALSE";
    case Type::kInt:
      return fmt::format("{}", value.whole);
    case Type::kDouble:  // 2 is whole, 2.0 isn't
      return fmt::format("{}::double", to_text(value.real));
    case Type::kText:
      return quoted_text(value.string);
    case Type::kDate:
      return fmt::format("DATE '{}'", value.show());
    case Type::kTimestamp:
      return fmt::format("TIMESTAMP '{}'", value.show());
  }
  return {};
}

string canonical(const Expr& expr, const Texts& columns) {
  if (expr.op == Op::kColumn) return columns[expr.column];
  if (expr.op == Op::kLiteral) return canonical(expr.literal);
  Texts args;
  args.reserve(expr.args.size());
  for (const Expr& arg : expr.args) args.push_back(canonical(arg, columns));
  if (const std::string_view sign = sign_of(expr.op); !sign.empty())
    return fmt::format("({})", joined(args, fmt::format(" {} ", sign)));
  switch (expr.op) {
    case Op::kNegate:
      return fmt::format("(-{})", args[0]);
    case Op::kNot:
      return fmt::format("(NOT {})", args[0]);
    case Op::kIsNull:
      return fmt::format("({} IS NULL)", args[0]);
    case Op::kIsNotNull:
      return fmt::format("({} IS NOT NULL)", args[0]);
    case Op::kIn:
      return fmt::format("({} IN ({}))", args[0], joined({args.begin() + 1, args.end()}));
    case Op::kBetween:
      return fmt::format("({} BETWEEN {} AND {})", args[0], args[1], args[2]);
    case Op::kCase:
      return cases(args);
    case Op::kCast:
      return fmt::format("{}::{}", args[0], name_of(expr.type));
    case Op::kCoalesce:
      return fmt::format("coalesce({})", joined(args));
    case Op::kCall:
      return expr.function == Function::kConcat
                 ? fmt::format("({})", joined(args, " || "))
                 : fmt::format("{}({})", name_of(expr.function), joined(args));
    case Op::kShift:
      return fmt::format("({} + {} {})", args[0], expr.literal.whole, name_of(expr.unit));
    case Op::kColumn:
    case Op::kLiteral:
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
    case Op::kDivide:
    case Op::kModulo:
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
    case Op::kLike:
    case Op::kILike:
      break;
  }
  return {};
}

string canonical(const Relation& relation) {
  switch (relation.kind) {
    case Relation::Kind::kScan:
      return scan_text(relation);
    case Relation::Kind::kFilter:
      return fmt::format("SELECT * FROM ({}) WHERE {}", canonical(*relation.inputs[0]),
                         canonical(*relation.condition, places_of(relation)));
    case Relation::Kind::kProject:
    case Relation::Kind::kFold:
      return select_text(relation);
    case Relation::Kind::kJoin:
      return fmt::format("SELECT {} FROM {}", joined(places_of(relation)), join_text(relation));
    case Relation::Kind::kUnion:
      return union_text(relation);
    case Relation::Kind::kOne:
      return "SELECT";
    case Relation::Kind::kTop:
      return top_text(relation);
  }
  return {};
}

}  // namespace discreet::sql
