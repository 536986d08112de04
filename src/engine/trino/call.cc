// How Trino calculates each function.
#include <fmt/format.h>

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/trino/dialect.h"
#include "discreet/sql/functions.h"

namespace discreet::engine::trino {

using policy::Type;
using sql::Function;
using std::string;
using Strings = std::vector<string>;

namespace {

// Letters of which Java (17, with Unicode 13) has no other case and DuckDB has: ß, whose capital is
// never made, and those that came with Unicode 14. They are changed before; a later Java leaves
// what is changed already. All others were compared (service/letters_test.cc).
constexpr const char* kSmall =
    "ⱟꟁꟑꟗꟙ𐖗𐖘𐖙𐖚𐖛𐖜𐖝𐖞𐖟𐖠𐖡𐖣𐖤𐖥𐖦𐖧𐖨𐖩𐖪"
    "𐖫𐖬𐖭𐖮𐖯𐖰𐖱𐖳𐖴𐖵𐖶𐖷𐖸𐖹𐖻𐖼";
constexpr const char* kCapital =
    "ⰯꟀꟐꟖꟘ𐕰𐕱𐕲𐕳𐕴𐕵𐕶𐕷𐕸𐕹𐕺𐕼𐕽𐕾𐕿𐖀𐖁𐖂𐖃"
    "𐖄𐖅𐖆𐖇𐖈𐖉𐖊𐖌𐖍𐖎𐖏𐖐𐖑𐖒𐖔𐖕";

}  // namespace

string lowered(const string& text) {
  return fmt::format("lower(translate({}, '{}', '{}'))", text, kCapital, kSmall);
}

string raised(const string& text) {
  return fmt::format("upper(translate({}, '{}ß', '{}ẞ'))", text, kSmall, kCapital);
}

namespace {

// {0}, {1}, … are the arguments. Nothing: it is put together below.
const char* pattern_of(Function function) {
  switch (function) {
    case Function::kAbs:
      return "abs({0})";
    case Function::kCeil:
      return "ceil({0})";
    case Function::kFloor:
      return "floor({0})";
    case Function::kTrunc:
      return "truncate({0})";
    case Function::kSign:
      return "CASE WHEN {0} > 0 THEN DOUBLE '1' WHEN {0} < 0 THEN DOUBLE '-1' WHEN {0} IS NOT NULL "
             "THEN DOUBLE '0' END";
    case Function::kSqrt:
      return "CASE WHEN NOT {0} < 0 THEN sqrt({0}) END";
    case Function::kExp:
      return "exp({0})";
    case Function::kLn:
      return "CASE WHEN NOT {0} <= 0 THEN ln({0}) END";
    case Function::kLog10:
      return "CASE WHEN NOT {0} <= 0 THEN log10({0}) END";
    case Function::kLog2:
      return "CASE WHEN NOT {0} <= 0 THEN log2({0}) END";
    case Function::kSin:
      return "CASE WHEN abs({0}) < DOUBLE '1e15' THEN sin({0}) END";
    case Function::kCos:
      return "CASE WHEN abs({0}) < DOUBLE '1e15' THEN cos({0}) END";
    case Function::kPower:
      return "power({0} + DOUBLE '0', {1})";  // one zero
    case Function::kNullIf:
      return "CASE WHEN {0} IS DISTINCT FROM {1} THEN {0} END";
    case Function::kLength:
      return "length({0})";
    case Function::kContains:
      return "strpos({0}, {1}) > 0";
    case Function::kStartsWith:
      return "starts_with({0}, {1})";
    case Function::kEndsWith:
      return "starts_with(reverse({0}), reverse({1}))";
    case Function::kFind:
      return "strpos({0}, {1})";
    case Function::kYear:
      return "year({0})";
    case Function::kQuarter:
      return "quarter({0})";
    case Function::kMonth:
      return "month({0})";
    case Function::kWeek:
      return "week({0})";
    case Function::kDay:
      return "day({0})";
    case Function::kDayOfWeek:
      return "day_of_week({0}) % 7";
    case Function::kIsoDay:
      return "day_of_week({0})";
    case Function::kDayOfYear:
      return "day_of_year({0})";
    case Function::kHour:
      return "hour(CAST({0} AS TIMESTAMP(6)))";
    case Function::kMinute:
      return "minute(CAST({0} AS TIMESTAMP(6)))";
    case Function::kSecond:
      return "second(CAST({0} AS TIMESTAMP(6)))";
    case Function::kDayName:
      return "date_format(CAST(date_trunc('second', CAST({0} AS TIMESTAMP(6))) AS TIMESTAMP(3)), "
             "'%W')";
    case Function::kMonthName:
      return "date_format(CAST(date_trunc('second', CAST({0} AS TIMESTAMP(6))) AS TIMESTAMP(3)), "
             "'%M')";
    case Function::kNone:
    case Function::kLower:
    case Function::kUpper:
    case Function::kRound:
    case Function::kLeast:
    case Function::kGreatest:
    case Function::kTrim:
    case Function::kTrimLeft:
    case Function::kTrimRight:
    case Function::kReverse:
    case Function::kConcat:
    case Function::kSubstring:
    case Function::kLeft:
    case Function::kRight:
    case Function::kReplace:
    case Function::kSplit:
    case Function::kPadLeft:
    case Function::kPadRight:
    case Function::kMatches:
    case Function::kFullMatch:
    case Function::kFormatTime:
    case Function::kStartOf:
    case Function::kUnitsBetween:
      break;
  }
  return nullptr;
}

std::int64_t whole(const sql::Expr& call, std::size_t arg) { return call.args[arg].literal.whole; }

// Halves away from zero, at so many digits; where the factor would overflow the number stays.
string rounded(const sql::Expr& call, const string& value) {
  const std::int64_t digits = call.args.size() > 1 ? whole(call, 1) : 0;
  const string factor = real(std::pow(10.0, static_cast<double>(std::abs(digits))));
  const auto away = [](const string& scaled) {
    return fmt::format(
        "(truncate({0}) + CASE WHEN abs({0} - truncate({0})) >= DOUBLE '0.5' THEN sign({0}) ELSE "
        "DOUBLE '0' END)",
        scaled);
  };
  if (digits == 0) return let({value}, away("{0}"));
  if (digits > 0)
    return let({value},
               fmt::format("CASE WHEN abs({{0}}) < DOUBLE '1e292' THEN {0} / {1} ELSE {{0}} END",
                           away(fmt::format("({{0}} * {})", factor)), factor));
  // To tens and more an infinity is 0, as DuckDB has it.
  return let({value},
             fmt::format("CASE WHEN is_finite({{0}}) THEN {0} * {1} WHEN {{0}} IS NOT NULL THEN "
                         "DOUBLE '0' END",
                         away(fmt::format("({{0}} / {})", factor)), factor));
}

// NULLs are passed over, NaN is the largest.
string extreme(bool least, const Strings& args, const Dialect& dialect) {
  const string a = fmt::format("v{}_", lambdas_in(args)), b = "next_" + a;
  return fmt::format(
      "reduce(ARRAY[{0}], CAST(NULL AS DOUBLE), ({1}, {2}) -> CASE WHEN {1} IS NULL THEN {2} WHEN "
      "{2} IS NULL THEN {1} WHEN {3} THEN {1} ELSE {2} END, {1} -> {1})",
      pushdown::joined(args), a, b, dialect.compared(least ? "<" : ">", Type::kDouble, a, b));
}

// Only the first characters of each side, which the arguments are already: texts can't be made to
// grow.
string concatenated(const Strings& args) {
  string out = args[0];
  for (std::size_t i = 1; i < args.size(); ++i)
    out = i == 1 ? fmt::format("({} || {})", out, args[i])
                 : fmt::format("(substr({}, 1, {}) || {})", out, sql::kLongestName, args[i]);
  return out;
}

string first(const string& text, std::int64_t length) {
  return fmt::format("substr({}, 1, {})", text, length);
}
// reverse() is by characters, twice it is nothing.
string last(const string& text, std::int64_t length) {
  return fmt::format("reverse(substr(reverse({}), 1, {}))", text, length);
}

Result<string> piece(const sql::Expr& call, const string& text) {
  const std::int64_t place = whole(call, 1);
  if (place < 1 || (call.args.size() > 2 && whole(call, 2) < 0))
    return not_here("a piece of a text from a place below 1", "RIGHT takes one from the end");
  if (call.args.size() == 2) return fmt::format("substr({}, {})", text, place);
  return fmt::format("substr({}, {}, {})", text, place, whole(call, 2));
}

Result<string> split(const sql::Expr& call, const Strings& args) {
  const std::int64_t place = whole(call, 2);
  if (place < 1 || call.args[1].literal.string.empty())
    return not_here("SPLIT_PART with a place below 1 or without a separator");
  return let({args[0], args[1]},
             fmt::format("coalesce(split_part({{0}}, {{1}}, {}), substr({{0}}, 1, 0))", place));
}

Result<string> padded(const char* name, const sql::Expr& call, const Strings& args) {
  if (whole(call, 1) < 0) return not_here("a negative length");
  return fmt::format("{}({}, {}, {})", name, args[0], whole(call, 1), args[2]);
}

// The blanks of Unicode, which DuckDB trims: Zs.
string trimmed(const char* which, const string& text) {
  string blanks = "U&' \\00A0\\1680\\202F\\205F\\3000";
  for (int i = 0x2000; i <= 0x200A; ++i) blanks += fmt::format("\\{:04X}", i);
  return fmt::format("trim({} {}' FROM {})", which, blanks, text);
}

// The letters of a format that mean the same everywhere.
Result<string> formatted(const sql::Expr& call, const string& moment) {
  constexpr std::pair<char, const char*> kKnown[] = {
      {'Y', "%Y"}, {'m', "%m"}, {'d', "%d"}, {'H', "%H"}, {'M', "%i"}, {'S', "%s"}, {'y', "%y"},
      {'j', "%j"}, {'B', "%M"}, {'b', "%b"}, {'A', "%W"}, {'a', "%a"}, {'p', "%p"}, {'I', "%I"}};
  const string& format = call.args[1].literal.string;
  string out;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      out += format[i];
      continue;
    }
    const char letter = ++i < format.size() ? format[i] : '\0';
    const char* found = letter == '%' ? "%%" : nullptr;
    for (const auto& [known, word] : kKnown)
      if (known == letter) found = word;
    if (!found)
      return not_here(fmt::format("'%{}' in a format of dates", letter),
                      "accepted are %Y %m %d %H %M %S %y %j %B %b %A %a %p %I");
    out += found;
  }
  if (out.empty()) return let({moment}, "CASE WHEN {0} IS NOT NULL THEN '' END");
  // date_format knows milliseconds and rounds to them, perhaps into the next year.
  return fmt::format(
      "date_format(CAST(date_trunc('second', CAST({} AS TIMESTAMP(6))) AS TIMESTAMP(3)), {})",
      moment, pushdown::quote_text(out));
}

}  // namespace

Result<string> Dialect::call(const sql::Expr& call, const Strings& args) const {
  if (const char* pattern = pattern_of(call.function)) return let(args, pattern);
  const Function f = call.function;
  if (f == Function::kLeast || f == Function::kGreatest)
    return extreme(f == Function::kLeast, args, *this);
  if (f == Function::kRound) return rounded(call, args[0]);
  if (f == Function::kLower) return lowered(args[0]);
  if (f == Function::kUpper) return raised(args[0]);
  if (f == Function::kTrim) return trimmed("BOTH", args[0]);
  if (f == Function::kTrimLeft) return trimmed("LEADING", args[0]);
  if (f == Function::kTrimRight) return trimmed("TRAILING", args[0]);
  if (f == Function::kConcat) return concatenated(args);
  if (f == Function::kSubstring) return piece(call, args[0]);
  if (f == Function::kLeft || f == Function::kRight) {
    if (whole(call, 1) < 0) return not_here("a negative length");
    return f == Function::kLeft ? first(args[0], whole(call, 1)) : last(args[0], whole(call, 1));
  }
  // Trino puts the other text between all characters where there is nothing to replace.
  if (f == Function::kReplace)
    return call.args[1].literal.string.empty()
               ? args[0]
               : fmt::format("replace({}, {}, {})", args[0], args[1], args[2]);
  if (f == Function::kSplit) return split(call, args);
  if (f == Function::kPadLeft) return padded("lpad", call, args);
  if (f == Function::kPadRight) return padded("rpad", call, args);
  if (f == Function::kFormatTime) return formatted(call, args[0]);
  const auto start = [&](const string& text) {
    return fmt::format("date_trunc({}, CAST({} AS TIMESTAMP(6)))", args[0], text);
  };
  if (f == Function::kStartOf)
    return fmt::format("CAST({} AS {})", start(args[1]), type(call.type));
  // Borders, not whole units: of the starts of both.
  if (f == Function::kUnitsBetween)
    return fmt::format("date_diff({}, {}, {})", args[0], start(args[1]), start(args[2]));
  return not_here(fmt::format("the function {}", sql::name_of(call.function)));
}

Result<string> Dialect::folded(const sql::Folded& folded, const string& arg) const {
  using sql::Fold;
  const bool is_real = folded.arg.type == Type::kDouble;
  switch (folded.fold) {
    case Fold::kCountRows:
      return string("count(*)");
    case Fold::kCount:
      return fmt::format("count({})", arg);
    case Fold::kCountDistinct:
      return fmt::format("count(DISTINCT {})", arg);
    // Trino's own come out by the order of rows where there is a NaN.
    case Fold::kMin:
      return is_real ? fmt::format(
                           "coalesce(min({0}) FILTER (WHERE NOT is_nan({0})), CASE WHEN "
                           "count({0}) > 0 THEN nan() END)",
                           arg)
                     : fmt::format("min({})", arg);
    case Fold::kMax:
      return is_real ? fmt::format(
                           "CASE WHEN count_if(is_nan({0})) > 0 THEN nan() ELSE max({0}) "
                           "FILTER (WHERE NOT is_nan({0})) END",
                           arg)
                     : fmt::format("max({})", arg);
    case Fold::kSum:
    case Fold::kMean: {
      // Whole numbers on a fixed grid, as engine/duckdb/print.cc has it: the order in which they
      // are added must not show.
      const auto divided = [&](const string& sum, const string& count) {
        return fmt::format("({} / nullif(CAST({} AS DOUBLE), DOUBLE '0'))", sum, count);
      };
      const auto total = [&](const string& points) {
        return fmt::format("CAST(sum({}) AS DOUBLE)", wide(points));
      };
      const string count = fmt::format("count({})", arg);
      if (folded.arg.type == Type::kInt)
        return folded.fold == Fold::kSum ? total(arg) : divided(total(arg), count);
      double step = 0x1p-20;
      if (folded.arg.range) {
        const double most = std::max({std::abs(to_double(folded.arg.range->low)),
                                      std::abs(to_double(folded.arg.range->high)), 1e-30});
        step = std::ldexp(1.0, std::ilogb(most) - 44);
      }
      bound::Slot grid;
      grid.exponent = std::ilogb(step);
      grid.low = -4'000'000'000'000'000'000;
      grid.high = 4'000'000'000'000'000'000;
      const string points = on_grid(arg, grid);
      const string sum = fmt::format("({} * {})", total(points), real(step));
      return folded.fold == Fold::kSum ? sum : divided(sum, fmt::format("count({})", points));
    }
    case Fold::kQuantile:
      return not_here("a quantile of a unit's own rows", "MIN, MAX, SUM and AVG of them can be");
    case Fold::kVarPop:
    case Fold::kVarSamp:
    case Fold::kStddevPop:
    case Fold::kStddevSamp:
      break;
  }
  return not_here("a variance of public rows");
}

}  // namespace discreet::engine::trino
