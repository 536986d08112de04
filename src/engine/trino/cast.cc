// Casts that have a value or are NULL, as DuckDB's TRY_CAST.
#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/engine/trino/dialect.h"

namespace discreet::engine::trino {

using policy::Type;
using std::string;

namespace {

constexpr const char* kBlanks = R"([ \t\n\v\f\r]*)";
// Longer texts are no numbers: one row could keep a query busy until its time is up.
constexpr int kLongestNumber = 1000;

// A decimal number with blanks around it, single underscores between its digits taken out; what
// else Java would read ("1f", "0x1p3") is none. No digit can belong to two runs: Java's regular
// expressions try all ways to share them out.
string number_in(const string& text) {
  constexpr const char* kDigits = "[0-9]+(?:_[0-9]+)*";
  const string number =
      fmt::format(R"([+-]?(?:{0}(?:\.(?:{0})?)?|\.{0})(?:[eE][+-]?{0})?)", kDigits);
  return let({text}, fmt::format("CASE WHEN length({{0}}) <= {} THEN replace(regexp_extract({{0}}, "
                                 R"('\A{}({}){}\z', 1), '_', '') END)",
                                 kLongestNumber, kBlanks, number, kBlanks));
}

string real_in(const string& text) {
  const auto word = [](const char* sign, const char* what) {
    return fmt::format(R"(regexp_like({{0}}, '\A{0}{1}{2}{0}\z'))", kBlanks, sign, what);
  };
  constexpr const char* kInfinity = "[iI][nN][fF](?:[iI][nN][iI][tT][yY])?";
  return let({text},
             fmt::format("CASE WHEN length({{0}}) > {} THEN NULL WHEN {} THEN nan() WHEN {} "
                         "THEN infinity() WHEN {} THEN -infinity() ELSE TRY_CAST({} AS "
                         "DOUBLE) + DOUBLE '0' END",
                         kLongestNumber, word("[+-]?", "[nN][aA][nN]"), word(R"(\+?)", kInfinity),
                         word("-", kInfinity), number_in("{0}")));
}

string whole_of_real(const string& value) {
  // Rounding comes before the range is looked at: what is rounded into it is in it.
  return fmt::format("TRY_CAST({} AS BIGINT)", let({value}, kNearest));
}

// 12:30:00.500000 as 12:30:00.5, and no point where nothing stands behind it.
string text_of_moment(const string& moment) {
  return fmt::format(R"(regexp_replace(CAST({} AS VARCHAR), '\.?0+\z', ''))", moment);
}

}  // namespace

// Java's text of a double: for telling numbers apart, and to be read back; not DuckDB's.
string Dialect::real_text(const string& value) const {
  return fmt::format("CAST({} + DOUBLE '0' AS VARCHAR)", value);
}

Result<string> Dialect::cast(const string& inner, Type from, Type to) const {
  if (from == to) return inner;
  switch (to) {
    case Type::kBool:
      if (sql::is_number(from)) return fmt::format("({} <> 0)", inner);
      return let({inner},
                 "CASE WHEN lower({0}) IN ('true', 't', '1', 'yes', 'y') THEN TRUE WHEN lower({0}) "
                 "IN ('false', 'f', '0', 'no', 'n') THEN FALSE END");
    case Type::kInt:
      if (from == Type::kBool) return fmt::format("CAST({} AS BIGINT)", inner);
      if (from == Type::kDouble) return whole_of_real(inner);
      // Halves away from zero; of more than ten digits behind the point the others are rounded
      // first. With an exponent of more than four digits it is no whole number, not even 0.
      return let({number_in(inner)},
                 "CASE WHEN NOT regexp_like({0}, '[eE][+-]?0*[1-9][0-9][0-9][0-9][0-9]') THEN "
                 "TRY_CAST(TRY_CAST({0} AS DECIMAL(38,10)) AS BIGINT) END");
    case Type::kDouble:
      if (from == Type::kBool || from == Type::kInt)
        return fmt::format("CAST({} AS DOUBLE)", inner);
      return real_in(inner);
    case Type::kText:
      if (from == Type::kDouble)
        return not_here("a number with a point as text", "CAST it to BIGINT first");
      if (from == Type::kTimestamp) return text_of_moment(inner);
      return fmt::format("CAST({} AS VARCHAR)", inner);
    case Type::kDate:
    case Type::kTimestamp:
      if (sql::is_time(from)) return fmt::format("CAST({} AS {})", inner, type(to));
      return not_here(fmt::format("a text as {}", with_article(to)),
                      "store it in a column of that type");
  }
  return not_here("this cast");
}

}  // namespace discreet::engine::trino
