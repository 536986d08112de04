// Casts that have a value or are NULL, as DuckDB's TRY_CAST.
#include <fmt/format.h>

#include "discreet/base/number.h"
#include "discreet/base/try.h"
#include "discreet/engine/postgres/dialect.h"

namespace discreet::engine::postgres {

using policy::Type;
using std::string;

namespace {

// Digits may have single underscores between them; blanks around are passed over.
constexpr const char* kNumber =
    R"(^[ \t\n\v\f\r]*[+-]?([0-9]+(_[0-9]+)*\.?|[0-9]+(_[0-9]+)*\.[0-9]+(_[0-9]+)*|\.[0-9]+(_[0-9]+)*))"
    R"(([eE][+-]?[0-9]+(_[0-9]+)*)?[ \t\n\v\f\r]*$)";
// Longer ones are not read: a numeric has room for so many digits and no more.
constexpr int kLongestNumber = 1000;

// The text as a numeric, where its exponent has at most four digits.
string as_numeric(const string& text) {
  return let(
      {text},
      fmt::format(
          "CASE WHEN length({{0}}) <= {} AND {{0}} ~ '{}' AND {{0}} !~ '[eE][+-]?[0_]*[1-9]"
          "_?[0-9]_?[0-9]_?[0-9]_?[0-9]' THEN CAST(translate({{0}}, E'_ \\t\\n\\v\\f\\r', '') "
          "AS numeric) END",
          kLongestNumber, kNumber));
}

// From half a place beyond the largest double on a number is infinite, and up to half of the least
// one it is 0: PostgreSQL raises an error there.
// Both ends are calculated, to the last digit: 2^1024 − 2^970, and 2^-1075 = 5^1075·10^-1075.
string nearest_real() {
  const Integer beyond = (Integer(1) << 1024) - (Integer(1) << 970);
  Integer least;
  mpz_ui_pow_ui(least.get_mpz_t(), 5, 1075);
  return fmt::format(
      "CASE WHEN {{0}} >= {0} THEN 'Infinity'::float8 WHEN {{0}} <= -{0} THEN '-Infinity'::float8 "
      "WHEN abs({{0}}) <= {1}e-1075 THEN '0'::float8 ELSE CAST({{0}} AS float8) END",
      beyond.get_str(), least.get_str());
}

string real_of_text(const string& text) {
  const string blanks = R"([ \t\n\v\f\r]*)";
  const auto word = [&](const char* sign, const char* what) {
    return fmt::format("lower({{0}} COLLATE \"C\") ~ '^{}{}{}{}$'", blanks, sign, what, blanks);
  };
  // A huge exponent of a number that isn't 0 makes it infinite, or 0.
  const string huge = fmt::format(
      "WHEN length({{0}}) <= {} AND {{0}} ~ '{}' THEN CASE WHEN {{0}} !~ '[1-9].*[eE]' OR {{0}} ~ "
      "'[eE]-' THEN "
      "'0'::float8 WHEN {{0}} ~ '-.*[eE]' THEN '-Infinity'::float8 ELSE 'Infinity'::float8 END ",
      kLongestNumber, kNumber);
  const string moderate = let({as_numeric("{0}")}, nearest_real());
  return let({text},
             fmt::format("CASE WHEN {} THEN 'NaN'::float8 WHEN {} THEN 'Infinity'::float8 WHEN {} "
                         "THEN '-Infinity'::float8 WHEN {} IS NOT NULL THEN {} {}END",
                         word("[+-]?", "nan"), word("[+]?", "(inf|infinity)"),
                         word("-", "(inf|infinity)"), as_numeric("{0}"), moderate, huge));
}

}  // namespace

// DuckDB's shortest text: 0.1, 100.0, 1e+16, 1.5e-07. PostgreSQL's has the same digits; from 10^15
// on it writes exponents, and no point after a whole number.
string Dialect::real_text(const string& value) const {
  return let(
      {fmt::format("({} + '0'::float8)", value)},
      "CASE WHEN {0} = 'NaN' THEN 'nan' WHEN {0} = 'Infinity' THEN 'inf' WHEN {0} = '-Infinity' "
      "THEN "
      "'-inf' WHEN abs({0}) < 1e16 AND {0} = trunc({0}) THEN CAST({0} AS bigint)::text || '.0' "
      "WHEN abs({0}) >= 1e15 AND abs({0}) < 1e16 THEN CASE WHEN {0} < 0 THEN '-' ELSE '' END || "
      "left(translate(split_part({0}::text, 'e', 1), '-.', ''), 16) || '.' || "
      "substr(translate(split_part({0}::text, 'e', 1), '-.', ''), 17) ELSE {0}::text END");
}

Result<string> Dialect::cast(const string& inner, Type from, Type to) const {
  if (from == to) return inner;
  const auto pattern = [&](std::string_view body) -> Result<string> { return let({inner}, body); };
  switch (to) {
    case Type::kBool:
      if (sql::is_number(from)) return fmt::format("({} <> 0)", inner);
      return pattern(
          "CASE WHEN lower({0} COLLATE \"C\") IN ('true', 't', '1', 'yes', 'y') THEN TRUE WHEN "
          "lower({0} "
          "COLLATE \"C\") IN ('false', 'f', '0', 'no', 'n') THEN FALSE END");
    case Type::kInt:
      if (from == Type::kBool) return fmt::format("CAST(CAST({} AS integer) AS bigint)", inner);
      if (from == Type::kDouble)
        return pattern(
            "CASE WHEN {0} >= '-9223372036854775808'::float8 AND {0} < "
            "'9223372036854775808'::float8 THEN "
            "CAST({0} AS bigint) END");
      return let({fmt::format("round({})", as_numeric(inner))},
                 "CASE WHEN {0} BETWEEN -9223372036854775808 AND 9223372036854775807 THEN CAST({0} "
                 "AS bigint) "
                 "END");
    case Type::kDouble:
      if (from == Type::kBool) return fmt::format("CAST(CAST({} AS integer) AS float8)", inner);
      if (from == Type::kInt) return fmt::format("CAST({} AS float8)", inner);
      return real_of_text(inner);
    case Type::kText:
      if (from == Type::kDouble) return real_text(inner);
      if (from == Type::kDate) return fmt::format("to_char({}, 'YYYY-MM-DD')", inner);
      if (from == Type::kTimestamp)
        return pattern(
            "to_char({0}, 'YYYY-MM-DD HH24:MI:SS') || rtrim(rtrim(to_char({0}, '.US'), '0'), '.')");
      return fmt::format("CAST({} AS text)", inner);
    case Type::kDate:
    case Type::kTimestamp:
      if (sql::is_time(from)) return fmt::format("CAST({} AS {})", inner, type(to));
      return not_here(fmt::format("a text as {}", with_article(to)),
                      "store it in a column of that type");
  }
  return not_here("this cast");
}

}  // namespace discreet::engine::postgres
