// Questions of random pieces, each written twice: as a user writes it, and as DuckDB says what
// docs/sql.md promises (arithmetic in doubles, x/0 is NULL, NaN is NULL in aggregates, values are
// clamped to their range, empty groups give zeros).
//
//   Draw draw(1);
//   const Text sum = Questions(draw, "t.").aggregate(2).text;  // sum.ours, sum.oracle
#pragma once

#include <fmt/format.h>

#include <string>
#include <type_traits>
#include <vector>

#include "discreet/service/testing/questions/draw.h"

namespace discreet::service::testing::twice {

using questions::Draw;
using std::string;

// A question's piece, as a user writes it and as the oracle reads it.
struct Text {
  string ours, oracle;
};
inline Text same(const string& text) { return {text, text}; }
template <class... Args>
Text make(const char* ours, const char* oracle, const Args&... args) {
  return {fmt::format(fmt::runtime(ours), args.ours...),
          fmt::format(fmt::runtime(oracle), args.oracle...)};
}
template <class... Args>
Text make(const char* both, const Args&... args) requires(std::is_same_v<Args, Text>&&...) {
  return make(both, both, args...);
}

// The tables: t (private), s (private, fewer rows), l (linked to t), p (public).
inline const std::vector<string> kReals = {"0",      "1.5",   "-2.25",  "'nan'", "'inf'",
                                           "'-inf'", "1e300", "-1e300", "1e-9",  "33",
                                           "NULL",   "7",     "-0.0",   "49.5"};
inline const std::vector<string> kWholes = {
    "0", "1", "-1", "5", "NULL", "4611686018427387904", "-4611686018427387904", "12", "900", "33"};
inline const std::vector<string> kTexts = {"'a'",
                                           "'b'",
                                           "'Ωmega'",
                                           "'日本'",
                                           "'''; DROP TABLE t; --'",
                                           "'say \"hi\"'",
                                           "'a,b'",
                                           "NULL",
                                           "'NULL'",
                                           "' a '",
                                           "'12'",
                                           "'2.5e3'",
                                           "'x\ny'",
                                           "'ÀÉ'",
                                           "'ß'",
                                           "'%_'",
                                           "'a much longer text than sixteen bytes'"};
inline const std::vector<string> kDates = {"'2020-02-29'", "'2021-12-31'", "'1969-07-20'",
                                           "NULL",         "'2024-01-01'", "'0044-03-15'",
                                           "'infinity'",   "'2020-03-01'"};
inline const std::vector<string> kTimes = {"'2020-02-29 23:59:59.5'", "'1969-07-20 20:17:40'",
                                           "NULL", "'2024-01-01 00:00:00'", "'-infinity'"};
inline const std::vector<string> kTruths = {"TRUE", "FALSE", "NULL"};
inline const std::vector<string> kWards = {"'A'", "'B'", "'C'", "NULL", "'other'"};

class Questions {
 public:
  Questions(Draw& draw, string prefix) : draw_(draw), prefix_(std::move(prefix)) {}

  Text number(int depth) {
    if (depth == 0 || draw_.one_in(4)) {
      switch (draw_.below(5)) {
        case 0:
          return column("y");
        case 1:
          return make("{}", "CAST({} AS DOUBLE)", column("j"));
        case 2:
          return make("{}", "CAST({} AS DOUBLE)", column("m"));
        case 3:
          return make("{}", "CAST({} AS DOUBLE)", same(draw_.from(kLiterals)));
        default:
          return make("length({})", "CAST(length({}) AS DOUBLE)", column("k"));
      }
    }
    const auto inner = [&] { return number(depth - 1); };
    switch (draw_.below(17)) {
      case 0:
        return make("({} + {})", inner(), inner());
      case 1:
        return make("({} - {})", inner(), inner());
      case 2:
        return make("({} * {})", inner(), inner());
      case 3:
        return make("({} / {})", "({} / nullif({}, 0::DOUBLE))", inner(), inner());
      case 4:
        return make("({} % {})", "({} % nullif({}, 0::DOUBLE))", inner(), inner());
      case 5:
        return make("(-{})", inner());
      case 6:
        return make("abs({})", inner());
      case 7:
        return make("floor({})", inner());
      case 8: {
        const Text a = inner();
        return make("sqrt({0})", "CASE WHEN {0} >= 0 THEN sqrt({0}) END", a);
      }
      case 9: {
        const Text a = inner();
        return make("ln({0})", "CASE WHEN {0} > 0 THEN ln({0}) END", a);
      }
      case 10:
        return make("CASE WHEN {} THEN {} ELSE {} END", truth(depth - 1), inner(), inner());
      case 11:
        return make("COALESCE({}, {})", inner(), inner());
      case 12:
        return make("LEAST({}, {})", inner(), inner());
      case 13:
        return make("NULLIF({}, {})", inner(), inner());
      case 14:
        return make("CAST({} AS DOUBLE)", "TRY_CAST({} AS DOUBLE)", text(depth - 1));
      case 15:
        return make("year({})", "CAST(year({}) AS DOUBLE)", column("d"));
      default:
        return make("GREATEST({}, {})", inner(), inner());
    }
  }

  Text text(int depth) {
    if (depth == 0 || draw_.one_in(2)) return column(draw_.one_in(3) ? "w" : "k");
    switch (draw_.below(6)) {
      case 0:
        return make("upper({})", text(depth - 1));
      case 1:
        return make("substr({}, 1, 2)", text(depth - 1));
      case 2:
        return make("({} || {})", text(depth - 1), text(depth - 1));
      case 3:
        return make("trim({})", text(depth - 1));
      case 4:
        return make("COALESCE({}, 'none')", text(depth - 1));
      default:
        return make("CASE WHEN {} THEN {} ELSE 'else' END", truth(depth - 1), text(depth - 1));
    }
  }

  Text truth(int depth) {
    switch (depth == 0 ? draw_.below(4) : draw_.below(15)) {
      case 0:
        return column("b");
      case 1:
        return make("({} = 'a')", column("k"));
      case 2:
        return make("({} >= DATE '2020-03-01')", column("d"));
      case 3:
        return make("({} IS NULL)", column(draw_.from(kColumns)));
      case 4:
        return make("({} < {})", number(depth - 1), number(depth - 1));
      case 5:
        return make("({} = {})", number(depth - 1), number(depth - 1));
      case 6:
        return make("({} BETWEEN -10 AND 40)", number(depth - 1));
      case 7:
        return make("({} AND {})", truth(depth - 1), truth(depth - 1));
      case 8:
        return make("({} OR {})", truth(depth - 1), truth(depth - 1));
      case 9:
        return make("(NOT {})", truth(depth - 1));
      case 10:
        return make("({} IN ('a', '日本', 'it''s', 'ÀÉ'))", text(depth - 1));
      case 11:
        return make("({} LIKE '%a%')", text(depth - 1));
      case 12:
        return make("({} IS DISTINCT FROM {})", text(depth - 1), text(depth - 1));
      case 13:
        return make("({} IS NOT NULL)", number(depth - 1));
      default:
        return make("({} > {})", text(depth - 1), text(depth - 1));
    }
  }

  // A grouping key, and all that it can be where that is public.
  struct Key {
    Text text;
    std::vector<string> values;  // empty: chosen privately
  };
  Key key() {
    switch (draw_.below(9)) {
      case 0:
        return {column("w"), {"A", "B", "C"}};
      case 1:
        return {column("b"), {"false", "true"}};
      case 2:
        return {make("CASE WHEN {} THEN 'yes' ELSE 'no' END", truth(1)), {"yes", "no"}};
      case 3:
        return {make("month({})", column("d")),
                {"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}};
      case 4:
        return {column("d"), {}};
      case 5:
        return {column("i"), {}};
      case 6:
        return {
            make("date_trunc('month', {})", "CAST(date_trunc('month', {}) AS DATE)", column("d")),
            {}};
      case 7:
        for (;;)  // what is made of w alone is public
          if (Text made = text(2); made.ours.find("w") == string::npos) return {made, {}};
      default:
        return {column("k"), {}};
    }
  }

  // An aggregate, what it is where nothing is there (by the clamp), and how near the answer must
  // be.
  struct Aggregated {
    Text text;
    double near = 1e-6;
    bool mean = false;
  };
  Aggregated aggregate(int depth) {
    const Text when = draw_.one_in(3) ? make(" FILTER (WHERE {})", truth(depth)) : same("");
    const auto bounded = [&]() -> Text {
      switch (draw_.below(5)) {
        case 0:  // a declared range: NaN is nothing, the rest is clamped
          return make("{0}", "(CASE WHEN NOT isnan({0}) THEN greatest(least({0}, 50), -50) END)",
                      column("x"));
        case 1:
          return make("{0}",
                      "(CASE WHEN {0} IS NOT NULL THEN CAST(greatest(least({0}, 100), -100) AS "
                      "DOUBLE) END)",
                      column("i"));
        default:
          return make("LEAST(GREATEST({}, -20), 30)",
                      "LEAST(GREATEST({}, -20::DOUBLE), 30::DOUBLE)", number(depth));
      }
    };
    switch (draw_.below(9)) {
      case 0:
        return {make("COUNT(*){}", when)};
      case 1: {
        const Text a = number(depth);
        return {make("COUNT({0}){1}", "COUNT(CASE WHEN NOT isnan({0}) THEN 1 END){1}", a, when)};
      }
      case 2: {
        const Text a = text(depth);
        return {make("COUNT(DISTINCT {}){}", a, when)};
      }
      case 3: {
        const Text a = number(depth);
        return {make("COUNT(DISTINCT {0}){1}",
                     "COUNT(DISTINCT CASE WHEN NOT isnan({0}) THEN {0} + 0 END){1}", a, when)};
      }
      case 4:
        return {make("COUNT(DISTINCT {}){}", column("u"), when)};
      case 5: {
        const Text a = bounded();
        return {make("SUM({}){}", "COALESCE(SUM({}){}, 0)", a, when), 1e-2};
      }
      case 6: {
        const Text a = bounded();
        return {make("AVG({0}){1}", "AVG({0}){1}", a, when), 1e-2, true};
      }
      case 7: {
        const Text a = bounded();
        return {make("VAR_POP({}){}", "COALESCE(VAR_POP({}){}, 0)", a, when), 0.5};
      }
      default: {
        const Text a = bounded();
        return {make("STDDEV({0}){1}", "COALESCE(STDDEV_SAMP({0}){1}, 0)", a, when), 0.5};
      }
    }
  }

 private:
  Text column(const string& name) { return {prefix_ + name, prefix_ + name}; }
  Draw& draw_;
  string prefix_;
  const std::vector<string> kLiterals = {"0", "1", "2.5", "33", "(-7)", "1e3"};
  const std::vector<string> kColumns = {"x", "y", "i", "j", "k", "d", "b", "w", "m"};
};

}  // namespace discreet::service::testing::twice
