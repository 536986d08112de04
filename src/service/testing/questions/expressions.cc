#include "discreet/service/testing/questions/expressions.h"

namespace discreet::service::testing::questions {
namespace {

using policy::Type;
using std::string;

// A moment outside of the years 1 to 9999 is NULL.
string within_years(const string& moment, Type type) {
  return type == Type::kDate
             ? fmt::format(
                   "(CASE WHEN {0} BETWEEN '0001-01-01'::DATE AND '9999-12-31'::DATE THEN "
                   "{0} END)",
                   moment)
             : fmt::format(
                   "(CASE WHEN {0} BETWEEN '0001-01-01'::TIMESTAMP AND '9999-12-31 "
                   "23:59:59.999999'::TIMESTAMP THEN {0} END)",
                   moment);
}

}  // namespace

Piece Expressions::column(const string& name) const {
  Piece out;
  out.ours = out.oracle = prefix_ + name;
  out.type = world_.columns().at(name);
  out.columns = {prefix_ + name};
  return out;
}

Piece Expressions::literal_number() {
  Piece out;
  out.literal = true;
  if (draw_.one_in(3)) {
    out.ours = draw_.word({"2.5", "1e3", "0.1", "0.0", "1e-3", "1e300"});
    out.oracle = fmt::format("CAST('{}' AS DOUBLE)", out.ours);
    out.type = Type::kDouble;
  } else {
    out.ours = draw_.word({"0", "1", "2", "33", "(-7)", "9007199254740993", "9223372036854775807"});
    out.oracle = fmt::format("CAST({} AS BIGINT)", out.ours);
    out.type = Type::kInt;
  }
  return out;
}

// Both branches of one type; where both are literals they are all that it can be.
Piece Expressions::choice(const Piece& when, Piece one, Piece other) {
  if (one.type != other.type) {
    one = real(std::move(one));
    other = real(std::move(other));
  }
  Piece out = write(one.type, "CASE WHEN {} THEN {} ELSE {} END", {when, one, other});
  if (one.literal && other.literal) out.listed = {one.oracle, other.oracle};
  return out;
}

Piece Expressions::calendar_part() {
  struct Part {
    const char* name;
    int low, high;
    bool needs_time;
  };
  const Part part = draw_.from<Part>({{"month", 1, 12, false},
                                      {"quarter", 1, 4, false},
                                      {"day", 1, 31, false},
                                      {"isodow", 1, 7, false},
                                      {"dayofweek", 0, 6, false},
                                      {"week", 1, 53, false},
                                      {"hour", 0, 23, true},
                                      {"minute", 0, 59, true},
                                      {"second", 0, 59, true}});
  Piece out = write(Type::kInt, fmt::format("{}({{}})", part.name),
                    {part.needs_time ? column("z") : moment(0)});
  for (int i = part.low; i <= part.high; ++i)
    out.listed.push_back(fmt::format("CAST({} AS BIGINT)", i));
  if (!draw_.one_in(4)) return out;
  out = write(Type::kText, "dayname({})", {moment(0)});
  out.listed = {"'Monday'", "'Tuesday'",  "'Wednesday'", "'Thursday'",
                "'Friday'", "'Saturday'", "'Sunday'"};
  return out;
}

Piece Expressions::number(int depth) {
  if (depth == 0 || draw_.one_in(4)) {
    if (!others_.empty() && draw_.one_in(3)) return draw_.from(others_);
    if (draw_.one_in(4)) return literal_number();
    return column(draw_.word({"x", "y", "i", "j", "m"}));
  }
  const auto inner = [&] { return number(depth - 1); };
  const auto reals = [&](const char* both) {
    return write(Type::kDouble, both, {real(inner()), real(inner())});
  };
  const auto one = [&](const char* both) { return write(Type::kDouble, both, {real(inner())}); };
  // `oracle` says where it has a value.
  const auto guarded = [&](const char* ours, const char* oracle) {
    return write(Type::kDouble, ours, oracle, {real(inner())});
  };
  switch (draw_.below(33)) {
    case 0:
      return reals("({} + {})");
    case 1:
      return reals("({} - {})");
    case 2:
      return reals("({} * {})");
    case 3:
      return write(Type::kDouble, "({} / {})", "({} / nullif({}, 0::DOUBLE))",
                   {real(inner()), real(inner())});
    case 4:
      return write(Type::kDouble, "({} % {})", "({} % nullif({}, 0::DOUBLE))",
                   {real(inner()), real(inner())});
    case 5:
      return write(Type::kDouble, "({} // {})", "trunc({} / nullif({}, 0::DOUBLE))",
                   {real(inner()), real(inner())});
    case 6:
      return one("(-({}))");
    case 7:
      return one("abs({})");
    case 8:
      return one("floor({})");
    case 9:
      return one("ceil({})");
    case 10:
      return one("trunc({})");
    case 11:
      return one("round({}, 2)");
    case 12:
      return write(Type::kDouble, "sign({})", "CAST(sign({}) AS DOUBLE)", {real(inner())});
    case 13:
      return guarded("sqrt({0})", "(CASE WHEN {0} >= 0 THEN sqrt({0}) END)");
    case 14:
      return guarded("ln({0})", "(CASE WHEN {0} > 0 THEN ln({0}) END)");
    case 15:
      return guarded("log10({0})", "(CASE WHEN {0} > 0 THEN log10({0}) END)");
    case 16:
      return guarded("sin({0})", "(CASE WHEN abs({0}) < 1e15 THEN sin({0}) END)");
    case 17:
      return one("exp({})");
    case 18:
      return one("power({}, 2)");
    case 19:
      return choice(truth(depth - 1), inner(), inner());
    case 20: {
      Piece a = inner(), b = inner();
      if (a.type != b.type) a = real(std::move(a)), b = real(std::move(b));
      return write(a.type, "COALESCE({}, {})", {a, b});
    }
    case 21:
      return reals("LEAST({}, {})");
    case 22:
      return reals("GREATEST({}, {})");
    case 23: {
      Piece a = inner(), b = inner();
      if (a.type != b.type) b = real(std::move(b));
      return write(a.type, "NULLIF({}, {})", {a, b});
    }
    case 24:
      return write(Type::kDouble, "CAST({} AS DOUBLE)", "TRY_CAST({} AS DOUBLE)",
                   {beginning(text(depth - 1))});
    case 25:
      return write(Type::kInt, "CAST({} AS BIGINT)", "TRY_CAST({} AS BIGINT)",
                   {beginning(text(depth - 1))});
    case 26:
      return write(Type::kInt, "CAST(({} + 0) AS BIGINT)", "TRY_CAST({} + 0 AS BIGINT)",
                   {real(inner())});
    case 27:
      return write(Type::kInt, "CAST({} AS INTEGER)", "CAST({} AS BIGINT)", {column("b")});
    case 28:
      return write(Type::kInt, "length({})", {beginning(text(depth - 1))});
    case 29:
      return write(Type::kInt, "strpos({}, {})", {beginning(text(depth - 1)), beginning(text(0))});
    case 30:
      return write(Type::kInt, draw_.word({"year({})", "dayofyear({})"}), {moment(depth - 1)});
    case 31:
      return write(Type::kInt, "date_diff('day', {}, DATE '2020-03-01')",
                   "date_diff('day', CAST({} AS TIMESTAMP), TIMESTAMP '2020-03-01')",
                   {moment(depth - 1)});
    default: {
      Piece part = calendar_part();
      return part.type == Type::kInt ? part : column("m");
    }
  }
}

Piece Expressions::text(int depth) {
  if (depth == 0 || draw_.one_in(3)) return column(draw_.one_in(3) ? "w" : "k");
  const auto inner = [&] { return text(depth - 1); };
  const auto one = [&](const char* both) { return write(Type::kText, both, {beginning(inner())}); };
  switch (draw_.below(18)) {
    case 0:
      return one("upper({})");
    case 1:
      return one("lower({})");
    case 2:
      return one("substr({}, 1, 2)");
    case 3:
      return one("substr({}, -3, 2)");
    case 4:
      return one("left({}, 3)");
    case 5:
      return one("right({}, -1)");
    case 6:
      return write(Type::kText, "({} || {})", {beginning(inner()), beginning(inner())});
    case 7:
      return one("trim({})");
    case 8:
      return one("reverse({})");
    case 9:
      return one("replace({}, 'aa', 'a')");
    case 10:
      return one("lpad({}, 5, 'Ω')");
    case 11:
      return one("split_part({}, 'a', 1)");
    case 12:
      return write(Type::kText, "COALESCE({}, 'none')", {inner()});
    case 13:
      return write(Type::kText, "NULLIF({}, {})", {inner(), inner()});
    case 14:
      return write(Type::kText, "CAST({} AS VARCHAR)", {column("j")});
    case 15:
      return write(Type::kText, "strftime({}, '%Y/%m')", {column("d")});
    case 16:
      return write(Type::kText, "CAST({} AS VARCHAR)", {column(draw_.word({"d", "b"}))});
    default:
      return write(Type::kText, "CASE WHEN {} THEN {} ELSE 'else' END",
                   {truth(depth - 1), inner()});
  }
}

Piece Expressions::moment(int depth) {
  if (depth == 0 || draw_.one_in(2)) return column(draw_.one_in(3) ? "z" : "d");
  Piece inner = moment(depth - 1);
  const char* name = inner.type == Type::kDate ? "DATE" : "TIMESTAMP";
  switch (draw_.below(4)) {
    case 0: {
      const string unit = draw_.word({"month", "year", "week", "quarter", "day"});
      return write(inner.type, fmt::format("date_trunc('{}', {{}})", unit),
                   fmt::format("CAST(date_trunc('{}', {{}}) AS {})", unit, name), {inner});
    }
    case 1: {
      const string moved = draw_.word(
          {"+ INTERVAL 1 MONTH", "- INTERVAL 400 DAY", "+ INTERVAL 100 YEAR", "- INTERVAL 1 WEEK"});
      return write(inner.type, fmt::format("({{}} {})", moved),
                   within_years(fmt::format("CAST(({{0}} {}) AS {})", moved, name), inner.type),
                   {inner});
    }
    case 2:
      return write(Type::kDate, "CAST({} AS DATE)",
                   within_years("TRY_CAST({0} AS DATE)", Type::kDate), {column("z")});
    default:
      return write(inner.type, "CASE WHEN {} THEN {} END", {truth(0), inner});
  }
}

Piece Expressions::truth(int depth) {
  const auto compared = [&](const char* both) {
    Piece a = number(depth - 1), b = number(depth - 1);
    if (a.type != b.type) a = real(std::move(a)), b = real(std::move(b));
    return write(Type::kBool, both, {a, b});
  };
  switch (depth == 0 ? draw_.below(5) : draw_.below(22)) {
    case 0:
      return column("b");
    case 1:
      return write(Type::kBool, "({} = 'a')", {column("k")});
    case 2:
      return write(Type::kBool, "({} >= DATE '2020-03-01')", {column("d")});
    case 3:
      return write(Type::kBool, "({} IS NULL)",
                   {column(draw_.word({"x", "y", "i", "j", "k", "d", "b", "w", "v", "z"}))});
    case 4:
      return write(Type::kBool, "({} <= TIMESTAMP '2020-02-29 23:59:59.5')", {column("z")});
    case 5:
      return compared("({} < {})");
    case 6:
      return compared("({} = {})");
    case 7:
      return compared("({} <> {})");
    case 8:
      return compared("({} IS DISTINCT FROM {})");
    case 9:
      return write(Type::kBool, "({} BETWEEN -10 AND 40)", {real(number(depth - 1))});
    case 10:
      return write(Type::kBool, "({} AND {})", {truth(depth - 1), truth(depth - 1)});
    case 11:
      return write(Type::kBool, "({} OR {})", {truth(depth - 1), truth(depth - 1)});
    case 12:
      return write(Type::kBool, "(NOT {})", {truth(depth - 1)});
    case 13:
      return write(Type::kBool, "({} IN ('a', '日本', 'it''s', 'ÀÉ'))", {text(depth - 1)});
    case 14:
      return write(Type::kBool, draw_.word({"({} LIKE '%a%')", "({} ILIKE '_A%')"}),
                   {beginning(text(depth - 1))});
    case 15:
      return write(Type::kBool, "({} IS DISTINCT FROM {})", {text(depth - 1), text(depth - 1)});
    case 16:
      return write(Type::kBool, "({} IS NOT NULL)", {number(depth - 1)});
    case 17:
      return write(Type::kBool, "({} > {})", {text(depth - 1), text(depth - 1)});
    case 18:
      return write(Type::kBool,
                   draw_.word({"contains({}, {})", "starts_with({}, {})", "ends_with({}, {})"}),
                   {beginning(text(depth - 1)), beginning(text(0))});
    case 19:
      return write(Type::kBool, "regexp_matches({}, '^[a-z]+$')", {beginning(text(depth - 1))});
    case 20:
      return write(Type::kBool, "({} IN (1, 33, 9007199254740993))", {column("j")});
    default: {
      const Piece a = moment(depth - 1), b = moment(depth - 1);
      return write(Type::kBool, "({} < {})", {a, b});
    }
  }
}

Piece Expressions::about_public() {
  const Piece k = column("k"), j = column("j");
  switch (draw_.below(6)) {
    case 0:
      return write(Type::kBool, "({} IN (SELECT p.k FROM p))", {k});
    case 1:
      return write(Type::kBool, "({} NOT IN (SELECT p.k FROM p WHERE p.k IS NOT NULL))", {k});
    case 2:
      return write(Type::kBool, "(EXISTS (SELECT 1 FROM p WHERE p.k = {}))", {k});
    case 3:
      return write(Type::kBool, "(NOT EXISTS (SELECT 1 FROM p WHERE p.q = {} AND p.r > 0))", {j});
    case 4:
      return write(Type::kBool, "({} > (SELECT MIN(p.q) FROM p))", {j});
    default:
      return write(Type::kBool, "({} <= (SELECT COUNT(*) FROM p WHERE p.k = {}))", {j, k});
  }
}

}  // namespace discreet::service::testing::questions
