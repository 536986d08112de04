#include "discreet/service/testing/questions/sources.h"

#include <fmt/ranges.h>

namespace discreet::service::testing::questions {
namespace {

using policy::Type;
using std::string;

constexpr const char* kColumns = "u, id, x, y, i, j, m, k, w, v, d, z, b";

Piece brought(const string& name, Type type) {
  Piece out;
  out.ours = out.oracle = name;
  out.type = type;
  out.columns = {name};
  return out;
}

// A VALUES list under an alias, with its column a: public, and perhaps with fewer different values
// than it has rows.
struct List {
  string ours, oracle;  // with the alias
  Type type = Type::kText;
  std::vector<string> values;  // without NULL, as the oracle's literals
};

struct Literal {
  const char *ours, *oracle;
};

List values_list(Draw& draw, const string& alias, Type type, const std::vector<Literal>& pool,
                 const char* cast) {
  List out;
  out.type = type;
  std::vector<string> ours, oracle;
  for (std::size_t i = 1 + draw.below(5); i > 0; --i) {
    const Literal one = draw.from(pool);
    ours.emplace_back(one.ours);
    oracle.push_back(fmt::format("CAST({} AS {})", one.oracle, cast));
    if (string(one.oracle) != "NULL") out.values.push_back(oracle.back());
  }
  out.ours = fmt::format("(VALUES ({})) AS {}(a)", fmt::join(ours, "), ("), alias);
  out.oracle = fmt::format("(VALUES ({})) AS {}(a)", fmt::join(oracle, "), ("), alias);
  return out;
}

List random_list(Draw& draw, const string& alias) {
  switch (draw.below(8)) {
    case 0:
    case 1: {  // one literal with a point makes a column of doubles
      List out = values_list(draw, alias, Type::kDouble,
                             {{"0.0", "0"},
                              {"-0.0", "0"},
                              {"0e0", "0"},
                              {"1.5", "1.5"},
                              {"1e308", "1e308"},
                              {"-1.0", "-1"},
                              {"9007199254740992.0", "9007199254740992"}},
                             "DOUBLE");
      return out;
    }
    case 2:
      return values_list(draw, alias, Type::kInt,
                         {{"0", "0"},
                          {"-1", "-1"},
                          {"9223372036854775807", "9223372036854775807"},
                          {"9007199254740992", "9007199254740992"},
                          {"9007199254740993", "9007199254740993"},
                          {"7", "7"}},
                         "BIGINT");
    case 3:
      return values_list(draw, alias, Type::kText,
                         {{"'nan'", "'nan'"},
                          {"'-nan'", "'-nan'"},
                          {"'NaN'", "'NaN'"},
                          {"'0'", "'0'"},
                          {"'-0'", "'-0'"},
                          {"'7'", "'7'"},
                          {"'007'", "'007'"},
                          {"'7.4'", "'7.4'"},
                          {"'inf'", "'inf'"},
                          {"'1e400'", "'1e400'"},
                          {"'no number'", "'no number'"},
                          {"''", "''"},
                          {"'a'", "'a'"},
                          {"NULL", "NULL"}},
                         "VARCHAR");
    case 4:
      return values_list(draw, alias, Type::kDate,
                         {{"DATE '2020-02-29'", "'2020-02-29'"},
                          {"DATE '0001-01-01'", "'0001-01-01'"},
                          {"DATE '9999-12-31'", "'9999-12-31'"}},
                         "DATE");
    case 5: {  // two columns that are one only as doubles
      List whole = values_list(draw, alias, Type::kDouble,
                               {{"9007199254740992", "9007199254740992::BIGINT"},
                                {"9007199254740993", "9007199254740993::BIGINT"},
                                {"9007199254740994", "9007199254740994::BIGINT"},
                                {"0", "0"}},
                               "DOUBLE");
      const List half = values_list(
          draw, alias, Type::kDouble,
          {{"0.5", "0.5"}, {"-0.0", "0"}, {"9007199254740992.0", "9007199254740992"}}, "DOUBLE");
      whole.ours = fmt::format("(SELECT a FROM {} UNION ALL SELECT a FROM {}) AS {}", whole.ours,
                               half.ours, alias);
      whole.oracle = fmt::format("(SELECT a FROM {} UNION ALL SELECT a FROM {}) AS {}",
                                 whole.oracle, half.oracle, alias);
      whole.values.insert(whole.values.end(), half.values.begin(), half.values.end());
      return whole;
    }
    case 6: {  // no row at all
      List out = values_list(draw, alias, Type::kInt, {{"1", "1"}, {"2", "2"}}, "BIGINT");
      out.ours = fmt::format("(SELECT a FROM {} WHERE a > 5) AS {}", out.ours, alias);
      out.oracle = fmt::format("(SELECT a FROM {} WHERE a > 5) AS {}", out.oracle, alias);
      return out;
    }
    default:  // nothing but NULL
      return values_list(draw, alias, Type::kText, {{"NULL", "NULL"}}, "VARCHAR");
  }
}

// Keys made of a list's column.
void add_keys(Draw& draw, const List& list, const string& name, Source& out) {
  const Piece a = brought(name, list.type);
  if (!list.values.empty()) out.declared[name] = list.values;
  out.keys.push_back(a);
  if (list.type == Type::kText && !list.values.empty()) {
    out.keys.push_back(write(Type::kDouble, "CAST({} AS DOUBLE)", "TRY_CAST({} AS DOUBLE)", {a}));
    out.keys.push_back(write(Type::kInt, "CAST({} AS BIGINT)", "TRY_CAST({} AS BIGINT)", {a}));
    out.keys.push_back(write(Type::kText, "upper({})", {a}));
  }
  if (policy::is_number(list.type)) {
    out.keys.push_back(write(Type::kDouble, "({} * -1)", {real(a)}));
    out.keys.push_back(write(Type::kDouble, "({} * 0)", {real(a)}));
    out.keys.push_back(write(Type::kBool, "({} > 0)", {real(a)}));
    out.numbers.push_back(a);
  }
  if (draw.one_in(4)) out.keys.push_back(write(Type::kBool, "({} IS NULL)", {a}));
}

// On everything, or on a column of t's of its type.
Piece condition(Draw& draw, const List& list, const string& name) {
  const Piece a = brought(name, list.type);
  const char* column = list.type == Type::kInt      ? "t.j"
                       : list.type == Type::kDouble ? "t.y"
                       : list.type == Type::kDate   ? "t.d"
                                                    : "t.k";
  if (list.values.empty() || draw.one_in(2)) return write(Type::kBool, "TRUE", {});
  return write(Type::kBool, fmt::format("{} {} {{}}", column, draw.word({"=", "=", "<="})), {a});
}

}  // namespace

Source random_source(Draw& draw, const World& world) {
  Source out;
  out.declared = world.declared();
  Expressions inner(draw, world, "");
  const auto from = [&](const string& both) { out.from = write(Type::kText, both, {}); };
  switch (draw.below(20)) {
    case 0:
      from("t JOIN s ON t.u = s.u");
      out.numbers = {brought("s.y", Type::kInt)};
      return out;
    case 1:
      from("t LEFT JOIN s ON t.u = s.u");
      out.numbers = {brought("s.y", Type::kInt)};
      out.keys = {brought("s.y", Type::kInt)};
      return out;
    case 2:
      from(draw.word({"t LEFT JOIN p ON t.k = p.k", "t JOIN p ON t.k = p.k"}));
      out.numbers = {brought("p.r", Type::kDouble)};
      out.keys = {brought("p.q", Type::kInt), brought("p.e", Type::kDate)};
      return out;
    case 3:
      out.from = write(Type::kText, "l JOIN t ON l.tid = t.id",
                       "l JOIN t ON l.tid = t.id AND l.u = t.u", {});
      out.numbers = {brought("l.n", Type::kInt)};
      return out;
    case 4:
      out.from = write(Type::kText, "(SELECT * FROM t WHERE {}) AS t", {inner.truth(2)});
      return out;
    case 5: {
      const Piece where = inner.truth(1);
      out.with = fmt::format("WITH c AS (SELECT {} FROM t WHERE {}) ", kColumns, where.ours);
      out.oracle_with =
          fmt::format("WITH c AS (SELECT {} FROM t WHERE {}) ", kColumns, where.oracle);
      from("c AS t");
      return out;
    }
    case 6:
      out.from = write(Type::kText,
                       "(SELECT u, id, x, y, i, j, m, k, w, v, d, z, b FROM t UNION ALL SELECT u, "
                       "id, x, y, i, j, m, upper(k), w, v, d, z, NOT b FROM t WHERE {}) AS t",
                       {inner.truth(1)});
      out.declared.erase("t.b");
      return out;
    case 7:
      out.from = write(
          Type::kText,
          "(SELECT u, w, k, v, d, MAX(x) AS x, MIN(y) AS y, MAX(i) AS i, COUNT(*) AS j, SUM(m) AS "
          "m, MAX(z) AS z, MIN(id) AS id, COUNT(DISTINCT j) > 1 AS b FROM t WHERE {} GROUP BY u, "
          "w, "
          "k, v, d) AS t",
          {inner.truth(1)});
      out.declared.erase("t.b");
      return out;
    case 8:
      from(fmt::format("(SELECT DISTINCT {} FROM t) AS t", kColumns));
      return out;
    case 9:
      from(draw.word({"t SEMI JOIN s ON t.u = s.u", "t ANTI JOIN s ON t.u = s.u"}));
      return out;
    case 10:
      out.from = write(
          Type::kText,
          "t JOIN (SELECT u, COUNT(*) AS n, SUM(y) AS y FROM s GROUP BY u) AS g ON t.u = g.u",
          "t JOIN (SELECT u, COUNT(*) AS n, CAST(SUM(y) AS DOUBLE) AS y FROM s GROUP BY u) AS g ON "
          "t.u = g.u",
          {});
      out.numbers = {brought("g.n", Type::kInt), brought("g.y", Type::kDouble)};
      out.keys = {brought("g.n", Type::kInt)};
      return out;
    case 11:
    case 12:
    case 13:
    case 14:
    case 15: {  // lists of values, one or two
      const List one = random_list(draw, "v1");
      const Piece on = condition(draw, one, "v1.a");
      const string join = draw.word({"JOIN", "JOIN", "LEFT JOIN"});
      out.from.ours = fmt::format("t {} {} ON {}", join, one.ours, on.ours);
      out.from.oracle = fmt::format("t {} {} ON {}", join, one.oracle, on.oracle);
      add_keys(draw, one, "v1.a", out);
      if (draw.one_in(2)) return out;
      const List two = random_list(draw, "v2");
      out.from.ours += fmt::format(" JOIN {} ON TRUE", two.ours);
      out.from.oracle += fmt::format(" JOIN {} ON TRUE", two.oracle);
      add_keys(draw, two, "v2.a", out);
      if (policy::is_number(one.type) && policy::is_number(two.type))
        for (int i = 0; i < 3; ++i)  // often: it is where fewer come out than went in
          out.keys.push_back(
              write(Type::kDouble, "({} * {})",
                    {real(brought("v1.a", one.type)), real(brought("v2.a", two.type))}));
      return out;
    }
    default:
      from("t");
      return out;
  }
}

}  // namespace discreet::service::testing::questions
