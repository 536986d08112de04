#include "discreet/service/testing/questions/keys.h"

#include <fmt/ranges.h>

#include <cmath>
#include <set>

namespace discreet::service::testing::questions {
namespace {

using policy::Type;
using std::string;

constexpr const char* kNul = "␀";  // what the oracle's C strings can't hold

// Declared columns through an expression.
Piece of_declared(Draw& draw, Expressions& expressions, const World& world) {
  const Piece w = expressions.column("w"), v = expressions.column("v"), b = expressions.column("b");
  if (policy::is_number(v.type) && draw.one_in(2)) switch (draw.below(8)) {
      case 0:
        return write(Type::kDouble, "(-({}))", {real(v)});
      case 1:
        return write(Type::kDouble, "({} * -1)", {real(v)});
      case 2:
        return write(Type::kDouble, "({} % 2)", {real(v)});
      case 3:
        return write(Type::kDouble, "({} // 2)", "trunc({} / 2)", {real(v)});
      case 4:
        return write(Type::kInt, "CAST(({} + 0) AS BIGINT)", "TRY_CAST({} + 0 AS BIGINT)",
                     {real(v)});
      case 5:
        return write(Type::kDouble, "(0 * {})", {real(v)});
      case 6:
        return write(Type::kDouble, "(1 / {})", "(1 / nullif({}, 0::DOUBLE))", {real(v)});
      default:
        return write(v.type, "COALESCE({}, 0)", {v});
    }
  (void)world;
  switch (draw.below(8)) {
    case 0:
      return write(Type::kText, "COALESCE({}, 'none')", {w});
    case 1:
      return write(Type::kText, "NULLIF({}, 'A')", {w});
    case 2:
      return write(Type::kText, "lower({})", {w});
    case 3:
      return write(Type::kText, "({} || CASE WHEN {} THEN 'u' ELSE 'n' END)", {w, b});
    case 4:
      return write(Type::kText, "left({}, 0)", {w});
    case 5:
      return write(v.type, "CASE WHEN {} THEN {} END", {b, v});
    case 6:
      return write(Type::kInt, "length({})", {w});
    default:
      return write(v.type, "NULLIF({}, {})", {v, v});
  }
}

}  // namespace

Piece random_key(Draw& draw, Expressions& expressions, const World& world) {
  switch (draw.below(16)) {
    case 0:
      return expressions.column("w");
    case 1:
      return expressions.column("b");
    case 2:
    case 3:
      return expressions.column("v");
    case 4: {
      Piece out =
          write(Type::kText, "CASE WHEN {} THEN 'yes' ELSE 'no' END", {expressions.truth(1)});
      out.listed = {"'yes'", "'no'"};
      return out;
    }
    case 5: {
      Piece out = write(Type::kText, "CASE WHEN {} THEN 'yes' WHEN {} THEN 'yes' END",
                        {expressions.truth(1), expressions.truth(1)});
      out.listed = {"'yes'", "NULL"};
      return out;
    }
    case 6: {  // fewer than they look
      Piece out = write(Type::kDouble, "CASE WHEN {} THEN 0.0 WHEN {} THEN -0.0 ELSE 7 END",
                        "CASE WHEN {} THEN 0::DOUBLE WHEN {} THEN 0::DOUBLE ELSE 7::DOUBLE END",
                        {expressions.truth(1), expressions.truth(1)});
      out.listed = {"0::DOUBLE", "7::DOUBLE"};
      return out;
    }
    case 7:
      return expressions.calendar_part();
    case 8:
      return expressions.truth(2);
    case 9:
    case 10:
      return of_declared(draw, expressions, world);
    case 11:
      return expressions.moment(1);
    case 12:
      return expressions.number(1);
    case 13:
      return beginning(expressions.text(2));
    default:
      return beginning(expressions.column(draw.word({"k", "j", "y", "i", "d", "z"})));
  }
}

std::optional<string> public_values(const Piece& key, const Declared& declared) {
  const auto list = [](const std::vector<string>& values) {
    return fmt::format("SELECT DISTINCT v FROM (VALUES ({})) q(v)", fmt::join(values, "), ("));
  };
  if (!key.listed.empty()) return list(key.listed);
  if (key.columns.size() == 1 && key.ours == key.columns[0] && declared.contains(key.ours))
    return list(declared.at(key.ours));
  if (key.type == Type::kBool) return list({"FALSE", "TRUE"});
  // Each relation with its columns' values and NULL, side by side.
  std::map<string, std::set<string>> tables;
  for (const string& column : key.columns) {
    if (!declared.contains(column)) return std::nullopt;
    const auto dot = column.find('.');
    tables[column.substr(0, dot)].insert(column.substr(dot + 1));
  }
  std::vector<string> from, known = {"TRUE"};
  for (const auto& [table, columns] : tables) {
    std::vector<string> lists;
    for (const string& column : columns) {
      lists.push_back(fmt::format("(VALUES ({}), (NULL)) q{}({})",
                                  fmt::join(declared.at(table + "." + column), "), ("),
                                  lists.size(), column));
      known.push_back(fmt::format("{}.{} IS NOT NULL", table, column));
    }
    from.push_back(fmt::format("(SELECT * FROM {}) AS {}", fmt::join(lists, ", "), table));
  }
  return fmt::format("SELECT DISTINCT {0} AS v FROM {1} WHERE ({2}) OR {0} IS NOT NULL", key.oracle,
                     fmt::join(from, ", "), fmt::join(known, " AND "));
}

string canonical_sql(const Piece& value) {
  switch (value.type) {
    case Type::kText:
      return fmt::format("replace({}, chr(0), '{}')", value.oracle, kNul);
    case Type::kTimestamp:
      return fmt::format("epoch_us({})", value.oracle);
    case Type::kDouble:
      return fmt::format("CAST({} AS DOUBLE)", value.oracle);
    default:
      return fmt::format("CAST({} AS VARCHAR)", value.oracle);
  }
}

string canonical(const string& oracle_text, Type type) {
  if (type != Type::kDouble || oracle_text == kNull) return oracle_text;
  return canonical(policy::Value::number(std::strtod(oracle_text.c_str(), nullptr)), type);
}

string canonical(const policy::Value& value, Type type) {
  if (value.null) return kNull;
  if (type == Type::kDouble) {
    const double number = value.as_number();
    return std::isnan(number) ? "nan" : fmt::format("{:.17g}", number == 0 ? 0.0 : number);
  }
  if (type == Type::kTimestamp) return fmt::format("{}", value.whole);
  if (type != Type::kText) return value.show();
  string out;
  for (const char c : value.string) out += c == '\0' ? string(kNul) : string(1, c);
  return out;
}

}  // namespace discreet::service::testing::questions
