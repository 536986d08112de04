#include "discreet/engine/duckdb/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/sql/literal_rows.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/row_cost.h"

namespace discreet::engine::duckdb {

using namespace sql;

namespace {

using std::string;

string join(const std::vector<string>& parts, const char* between) {
  string out;
  for (std::size_t i = 0; i < parts.size(); ++i) out += (i ? between : "") + parts[i];
  return out;
}

string cast(const string& inner, Type from, Type to) {
  if (from == to) return inner;
  // 0 and -0 are equal, and one text: which of them stands for a group depends on threads.
  if (from == Type::kDouble && to == Type::kText)
    return fmt::format("CAST({} + 0 AS VARCHAR)", inner);
  const string plain = fmt::format("TRY_CAST({} AS {})", inner, engine_type(to));
  if (to == Type::kDate) return fmt::format("discreet_date({})", plain);
  return to == Type::kTimestamp ? fmt::format("discreet_timestamp({})", plain) : plain;
}

std::string_view symbol(Op op) {
  constexpr std::pair<Op, std::string_view> kSymbols[] = {
      {Op::kAdd, "+"},
      {Op::kSubtract, "-"},
      {Op::kMultiply, "*"},
      {Op::kEqual, "="},
      {Op::kNotEqual, "<>"},
      {Op::kLess, "<"},
      {Op::kLessEqual, "<="},
      {Op::kGreater, ">"},
      {Op::kGreaterEqual, ">="},
      {Op::kDistinct, "IS DISTINCT FROM"},
      {Op::kAnd, "AND"},
      {Op::kNotDistinct, "IS NOT DISTINCT FROM"},
      {Op::kOr, "OR"}};
  for (const auto& [known, text] : kSymbols)
    if (known == op) return text;
  return "?";
}

std::string_view unit_name(Unit unit) {
  switch (unit) {
    case Unit::kDays:
      return "days";
    case Unit::kMonths:
      return "months";
    case Unit::kSeconds:
      break;
  }
  return "seconds";
}

// As a double: whole numbers are cast, literals written so.
string real(const Expr& expr, const std::vector<string>& columns) {
  if (expr.op == Op::kLiteral && !expr.literal.null)
    return print(Value::number(expr.literal.as_number()));
  const string text = print(expr, columns);
  return expr.type == Type::kDouble ? text : fmt::format("CAST({} AS DOUBLE)", text);
}

// An argument as the operation reads it: of a text that may be long its beginning.
string as_read(const Expr& operation, std::size_t i, const std::vector<string>& columns) {
  const string text = print(operation.args[i], columns);
  return reads_beginning(operation, i) ? fmt::format("discreet_text({})", text) : text;
}

// A beginning, or a whole text, is looked for by DuckDB itself, which then skips rows by what it
// knows of their least and greatest values; it is within what is read of a text in any case.
// Everything else is our own, which reads the beginning of a text itself.
string like(const Expr& expr, const std::vector<string>& columns) {
  const string text = print(expr.args[0], columns);
  const std::string_view pattern = expr.args[1].literal.string;
  const std::size_t percent = pattern.find('%');
  const bool plain = pattern.find('_') == std::string_view::npos && !pattern.empty() &&
                     pattern.size() < static_cast<std::size_t>(kLongestName);
  if (plain && percent == std::string_view::npos)
    return fmt::format("({} = {})", text, quote_text(pattern));
  if (plain && percent > 0 && percent + 1 == pattern.size())
    return fmt::format("prefix({}, {})", text, quote_text(pattern.substr(0, percent)));
  return fmt::format("discreet_like({}, {})", text, quote_text(pattern));
}

// Values to be compared: numbers of different types as doubles.
std::vector<string> alike(const std::vector<Expr>& exprs, const std::vector<string>& columns) {
  const bool mixed = std::any_of(exprs.begin(), exprs.end(), [&](const Expr& one) {
    return is_number(one.type) && one.type != exprs[0].type;
  });
  std::vector<string> out;
  out.reserve(exprs.size());
  for (const Expr& one : exprs) out.push_back(mixed ? real(one, columns) : print(one, columns));
  return out;
}

// Numbers whose squares can be added up; others are NULL.
string moderate(const Expr& expr, const std::vector<string>& columns) {
  return fmt::format("discreet_moderate({})", real(expr, columns));
}

string print_fold(const Folded& folded, const std::vector<string>& columns) {
  if (folded.fold == Fold::kCountRows) return "count(*)";
  const string arg = print(folded.arg, columns);
  switch (folded.fold) {
    case Fold::kCountRows:
    case Fold::kCount:
      return fmt::format("count({})", arg);
    case Fold::kCountDistinct:
      return fmt::format("count(DISTINCT {})", arg);
    case Fold::kMin:
      return fmt::format("min({})", arg);
    case Fold::kMax:
      return fmt::format("max({})", arg);
    case Fold::kQuantile:
      return fmt::format("quantile_cont({}, {})", moderate(folded.arg, columns),
                         to_decimal(folded.quantile));
    case Fold::kVarPop:
    case Fold::kVarSamp:
    case Fold::kStddevPop:
    case Fold::kStddevSamp: {
      // Always in the same order, since their last bit depends on it.
      constexpr std::string_view kNames[] = {"var_pop", "var_samp", "stddev_pop", "stddev_samp"};
      return fmt::format(
          "{0}({1} ORDER BY {1})",
          kNames[static_cast<std::size_t>(folded.fold) - static_cast<std::size_t>(Fold::kVarPop)],
          moderate(folded.arg, columns));
    }
    case Fold::kSum:
    case Fold::kMean: {
      // Whole numbers on a fixed grid: the order in which threads add must not show, not even in
      // the last bit.
      if (folded.arg.type == Type::kInt)
        return folded.fold == Fold::kSum
                   ? fmt::format("discreet_wide_real(sum({}))", arg)
                   : fmt::format("discreet_divide(discreet_wide_real(sum({0})), count({0}))", arg);
      double step = 0x1p-20;
      if (folded.arg.range) {
        const double most = std::max({std::abs(to_double(folded.arg.range->low)),
                                      std::abs(to_double(folded.arg.range->high)), 1e-30});
        step = std::ldexp(1.0, std::ilogb(most) - 44);
      }
      const string whole =
          fmt::format("discreet_grid({}, {})", arg, print(Value::number(1 / step)));
      const string sum =
          fmt::format("discreet_wide_real(sum({})) * {}", whole, print(Value::number(step)));
      return folded.fold == Fold::kSum ? sum
                                       : fmt::format("discreet_divide({}, count({}))", sum, whole);
    }
  }
  return {};
}

std::vector<string> names(std::size_t count, const char* prefix = "c") {
  std::vector<string> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(fmt::format("{}{}", prefix, i));
  return out;
}

string print_join(const Relation& relation, const Scans& scans) {
  const Relation& left = *relation.inputs[0];
  const Relation& right = *relation.inputs[1];
  std::vector<string> columns = names(left.columns.size(), "l.c");
  for (string& name : names(right.columns.size(), "r.c")) columns.push_back(std::move(name));
  std::vector<string> items, conditions;
  for (std::size_t i = 0; i < relation.columns.size(); ++i)
    items.push_back(fmt::format("{} AS c{}", columns[i], i));
  if (left.has_unit && right.has_unit) {
    conditions.push_back("l.u = r.u");
    items.push_back(relation.join == JoinKind::kFull    ? "coalesce(l.u, r.u) AS u"
                    : relation.join == JoinKind::kRight ? "r.u AS u"
                                                        : "l.u AS u");
  } else if (left.has_unit || right.has_unit) {
    items.push_back(left.has_unit ? "l.u AS u" : "r.u AS u");
  }
  if (relation.condition) conditions.push_back(print(*relation.condition, columns));
  if (relation.join == JoinKind::kSemi || relation.join == JoinKind::kAnti)
    return fmt::format(
        "SELECT {} FROM ({}) AS l WHERE {} (SELECT 1 FROM ({}) AS r WHERE {})", join(items, ", "),
        print(left, scans), relation.join == JoinKind::kSemi ? "EXISTS" : "NOT EXISTS",
        print(right, scans), conditions.empty() ? "TRUE" : join(conditions, " AND "));
  constexpr const char* kWords[] = {"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"};
  return fmt::format("SELECT {} FROM ({}) AS l {} ({}) AS r ON {}", join(items, ", "),
                     print(left, scans), kWords[static_cast<std::size_t>(relation.join)],
                     print(right, scans), conditions.empty() ? "TRUE" : join(conditions, " AND "));
}

}  // namespace

std::string_view engine_type(Type type) {
  constexpr std::string_view kNames[] = {"BOOLEAN", "BIGINT", "DOUBLE",
                                         "VARCHAR", "DATE",   "TIMESTAMP"};
  return kNames[static_cast<std::size_t>(type)];
}

string quote_text(std::string_view text) {
  string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  out += "'";
  // A statement reaches the engine as a C string, which ends at a NUL.
  if (text.find('\0') == std::string_view::npos) return out;
  string parts;
  for (const char c : out) parts += c == '\0' ? "' || chr(0) || '" : string(1, c);
  return "(" + parts + ")";
}

string quote_name(std::string_view name) {
  string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

string print(const Value& value) {
  if (value.null) return fmt::format("CAST(NULL AS {})", engine_type(value.type));
  switch (value.type) {
    case Type::kBool:
      return value.whole != 0 ? "TRUE" : "FALSE";
    case Type::kInt:
      return fmt::format("CAST({} AS BIGINT)", value.whole);
    case Type::kDouble:
      return fmt::format("CAST('{}' AS DOUBLE)", to_text(value.real));
    case Type::kText:
      return quote_text(value.string);
    case Type::kDate:
      return fmt::format("DATE '{}'", value.show());
    case Type::kTimestamp:
      return fmt::format("TIMESTAMP '{}'", value.show());
  }
  return "NULL";
}

string print(const Expr& expr, const std::vector<string>& columns) {
  const auto arg = [&](std::size_t i) { return print(expr.args[i], columns); };
  switch (expr.op) {
    case Op::kColumn:
      return columns[expr.column];
    case Op::kLiteral:
      return print(expr.literal);
    case Op::kAdd:
    case Op::kSubtract:
    case Op::kMultiply:
      return fmt::format("({} {} {})", real(expr.args[0], columns), symbol(expr.op),
                         real(expr.args[1], columns));
    case Op::kDivide:
      return fmt::format("discreet_divide({}, {})", real(expr.args[0], columns),
                         real(expr.args[1], columns));
    case Op::kModulo:
      return fmt::format("discreet_modulo({}, {})", real(expr.args[0], columns),
                         real(expr.args[1], columns));
    case Op::kNegate:
      return fmt::format("(-{})", real(expr.args[0], columns));
    case Op::kEqual:
    case Op::kNotEqual:
    case Op::kLess:
    case Op::kLessEqual:
    case Op::kGreater:
    case Op::kGreaterEqual:
    case Op::kDistinct:
    case Op::kNotDistinct: {
      const auto sides = alike(expr.args, columns);
      return fmt::format("({} {} {})", sides[0], symbol(expr.op), sides[1]);
    }
    case Op::kAnd:
    case Op::kOr: {
      string out = "(" + arg(0);
      for (std::size_t i = 1; i < expr.args.size(); ++i)
        out += fmt::format(" {} {}", symbol(expr.op), arg(i));
      return out + ")";
    }
    case Op::kNot:
      return fmt::format("(NOT {})", arg(0));
    case Op::kIsNull:
      return fmt::format("({} IS NULL)", arg(0));
    case Op::kIsNotNull:
      return fmt::format("({} IS NOT NULL)", arg(0));
    case Op::kIn: {
      auto items = alike(expr.args, columns);
      const string first = std::move(items.front());
      items.erase(items.begin());
      return fmt::format("({} IN ({}))", first, join(items, ", "));
    }
    case Op::kBetween: {
      const auto items = alike(expr.args, columns);
      // DuckDB plans joins better with this than with BETWEEN; Expr::weight counts both.
      return fmt::format("({0} >= {1} AND {0} <= {2})", items[0], items[1], items[2]);
    }
    case Op::kLike:
      return like(expr, columns);
    case Op::kILike:
      return fmt::format("discreet_like(lower({}), lower({}))", as_read(expr, 0, columns), arg(1));
    case Op::kCase: {
      const auto branch = [&](const Expr& value) {
        return expr.type == Type::kDouble ? real(value, columns) : print(value, columns);
      };
      string out = "(CASE";
      for (std::size_t i = 0; i + 1 < expr.args.size(); i += 2)
        out += fmt::format(" WHEN {} THEN {}", arg(i), branch(expr.args[i + 1]));
      return out + fmt::format(" ELSE {} END)", branch(expr.args.back()));
    }
    case Op::kCast:
      return cast(as_read(expr, 0, columns), expr.args[0].type, expr.type);
    case Op::kCoalesce: {
      std::vector<string> items;
      for (const Expr& item : expr.args)
        items.push_back(expr.type == Type::kDouble ? real(item, columns) : print(item, columns));
      return fmt::format("coalesce({})", join(items, ", "));
    }
    case Op::kCall: {
      std::vector<string> items;
      for (std::size_t i = 0; i < expr.args.size(); ++i)
        items.push_back(expr.type == Type::kDouble && is_number(expr.args[i].type)
                            ? real(expr.args[i], columns)
                            : as_read(expr, i, columns));
      return print_call(expr, items);
    }
    case Op::kShift:  // discreet_date_months(c0, 3)
      return fmt::format("discreet_{}_{}({}, {})", name_of(expr.type), unit_name(expr.unit), arg(0),
                         print(expr.literal));
  }
  return {};
}

string print(const Relation& relation, const Scans& scans) {
  std::vector<string> items;
  const string unit = relation.has_unit ? ", u" : "";
  switch (relation.kind) {
    case Relation::Kind::kScan:
      return scans.scan(relation);
    case Relation::Kind::kFilter:
      return fmt::format("SELECT * FROM ({}) WHERE {}", print(*relation.inputs[0], scans),
                         print(*relation.condition, names(relation.columns.size())));
    case Relation::Kind::kProject: {
      const auto columns = names(relation.inputs[0]->columns.size());
      for (std::size_t i = 0; i < relation.exprs.size(); ++i)
        items.push_back(fmt::format("{} AS c{}", print(relation.exprs[i], columns), i));
      if (relation.has_unit) items.push_back("u");
      return fmt::format("SELECT {} FROM ({})", join(items, ", "),
                         print(*relation.inputs[0], scans));
    }
    case Relation::Kind::kJoin:
      return print_join(relation, scans);
    case Relation::Kind::kUnion: {
      const string list = join(names(relation.columns.size()), ", ");
      std::vector<string> parts;
      if (const auto rows = sql::literal_rows(relation); !rows.empty()) {
        for (const std::vector<Expr>* row : rows) {
          std::vector<string> values;
          for (const Expr& value : *row) values.push_back(print(value.literal));
          parts.push_back("(" + join(values, ", ") + ")");
        }
        return fmt::format("SELECT * FROM (VALUES {}) AS t({})", join(parts, ", "), list);
      }
      for (const RelationPtr& input : relation.inputs)
        parts.push_back(fmt::format("SELECT {}{} FROM ({})", list, unit, print(*input, scans)));
      constexpr const char* kWords[] = {" UNION ALL ",  " UNION ",     " EXCEPT ",
                                        " EXCEPT ALL ", " INTERSECT ", " INTERSECT ALL "};
      return join(parts, kWords[static_cast<std::size_t>(relation.operation)]);
    }
    case Relation::Kind::kOne:
      return "SELECT 1 AS one";
    case Relation::Kind::kTop: {
      // Rows that the user's order leaves equal are ordered by all their columns: which rows a
      // LIMIT takes must not depend on threads.
      for (const Sort& sort : relation.sort)
        items.push_back(fmt::format("c{}{}{}", sort.column, sort.descending ? " DESC" : "",
                                    sort.nulls_first ? " NULLS FIRST" : " NULLS LAST"));
      for (string& name : names(relation.inputs[0]->columns.size()))
        items.push_back(std::move(name));
      return fmt::format("SELECT {} FROM ({}) ORDER BY {}{}{}",
                         join(names(relation.columns.size()), ", "),
                         print(*relation.inputs[0], scans), join(items, ", "),
                         relation.limit ? fmt::format(" LIMIT {}", *relation.limit) : "",
                         relation.offset ? fmt::format(" OFFSET {}", *relation.offset) : "");
    }
    case Relation::Kind::kFold: {
      const auto columns = names(relation.inputs[0]->columns.size());
      std::vector<string> groups;
      if (relation.has_unit) groups.push_back("u");
      for (std::size_t i = 0; i < relation.exprs.size(); ++i) {
        groups.push_back(print(grouped_by(relation, i), columns));
        items.push_back(fmt::format("{} AS c{}", groups.back(), i));
      }
      for (std::size_t i = 0; i < relation.folds.size(); ++i)
        items.push_back(fmt::format("{} AS c{}", print_fold(relation.folds[i], columns),
                                    relation.exprs.size() + i));
      if (relation.has_unit) items.push_back("u");
      return fmt::format("SELECT {} FROM ({}){}", join(items, ", "),
                         print(*relation.inputs[0], scans),
                         groups.empty() ? "" : " GROUP BY " + join(groups, ", "));
    }
  }
  return {};
}

}  // namespace discreet::engine::duckdb
