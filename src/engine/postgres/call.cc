// How PostgreSQL calculates each function.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

#include "discreet/base/try.h"
#include "discreet/engine/postgres/dialect.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/sql/functions.h"

namespace discreet::engine::postgres {

using policy::Type;
using sql::Function;
using std::string;
using Strings = std::vector<string>;

namespace {

// ICU's letters, whatever the database's locale: pinned, or lower('I') would be another letter in
// Turkey. It maps some letters to several, or by their neighbours; DuckDB maps each to one.
constexpr const char* kLetters = "COLLATE \"und-x-icu\"";

}  // namespace

string lowered(const string& text) {
  return fmt::format("(lower(translate({}, 'İΣ', 'iσ') {}) COLLATE \"C\")", text, kLetters);
}

string raised(const string& text) {
  // Letters that ICU makes several letters of. DuckDB has one other letter for some of them, and
  // leaves the rest. (Two are escaped: they look like letters that stand there already, and editors
  // make those of them.)
  constexpr const char* kSeveral =
      "ßŉǰΐΰևẖẗẘẙẚὐὒὔὖᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩᾪᾫᾬᾭᾮᾯᾲᾳᾴᾶᾷᾼῂῃῄῆῇῌῒ\u1FD3ῖῗῢ\u1FE3ῤ"
      "ῦῧῲῳῴῶῷῼﬀﬁ"
      "ﬂﬃﬄﬅﬆﬓﬔﬕﬖﬗ";
  constexpr std::pair<const char*, const char*> kOne[] = {
      {"ß", "ẞ"}, {"ᾀ", "ᾈ"}, {"ᾁ", "ᾉ"}, {"ᾂ", "ᾊ"}, {"ᾃ", "ᾋ"}, {"ᾄ", "ᾌ"}, {"ᾅ", "ᾍ"},
      {"ᾆ", "ᾎ"}, {"ᾇ", "ᾏ"}, {"ᾐ", "ᾘ"}, {"ᾑ", "ᾙ"}, {"ᾒ", "ᾚ"}, {"ᾓ", "ᾛ"}, {"ᾔ", "ᾜ"},
      {"ᾕ", "ᾝ"}, {"ᾖ", "ᾞ"}, {"ᾗ", "ᾟ"}, {"ᾠ", "ᾨ"}, {"ᾡ", "ᾩ"}, {"ᾢ", "ᾪ"}, {"ᾣ", "ᾫ"},
      {"ᾤ", "ᾬ"}, {"ᾥ", "ᾭ"}, {"ᾦ", "ᾮ"}, {"ᾧ", "ᾯ"}, {"ᾳ", "ᾼ"}, {"ῃ", "ῌ"}, {"ῳ", "ῼ"}};
  string replaced = "{0}";
  for (const auto& [letter, other] : kOne)
    replaced = fmt::format("replace({}, '{}', '{}')", replaced, letter, other);
  // All letters go to ICU at once, with two characters between them that have no case: each is
  // followed by both, in this order, also where it is one of them. What comes back as several
  // letters stays as it was. One call a letter would take four times as long.
  return let({text},
             fmt::format(
                 "CASE WHEN {{0}} !~ '[{0}]' THEN upper({{0}} {1}) ELSE (SELECT string_agg("
                 "CASE WHEN char_length(u) = 1 THEN u ELSE l END, '') FROM (SELECT "
                 "string_to_array({2}, NULL) AS all_l OFFSET 0) AS w, unnest(w.all_l, "
                 "string_to_array(upper(array_to_string(w.all_l, {3}) {1}), {3})) AS s(l, u)) "
                 "END",
                 kSeveral, kLetters, replaced, "U&'\\0001\\0002'")) +
         " COLLATE \"C\"";
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
      return "trunc({0})";
    case Function::kSign:
      return "sign({0})";
    case Function::kSqrt:
      return "CASE WHEN {0} >= 0 THEN sqrt({0}) END";
    case Function::kExp:
      // The last before infinity is 200 units in the last place away from it. The last before 0
      // would be up to the server's C library, so what is nearest to the smallest double is said.
      return "CASE WHEN {0} = 'NaN' THEN {0} WHEN {0} > '709.782712893384'::float8 THEN "
             "'Infinity'::float8 WHEN {0} < '-745.1332191019411'::float8 THEN '0'::float8 "
             "WHEN {0} < '-744.0346068132731'::float8 THEN '5e-324'::float8 ELSE exp({0}) END";
    case Function::kLn:
      return "CASE WHEN {0} > 0 THEN ln({0}) END";
    case Function::kLog10:
      return "CASE WHEN {0} > 0 THEN log({0}) END";
    case Function::kSin:
      return "CASE WHEN abs({0}) < '1e15'::float8 THEN sin({0}) END";
    case Function::kCos:
      return "CASE WHEN abs({0}) < '1e15'::float8 THEN cos({0}) END";
    case Function::kLength:
      return "CAST(char_length({0}) AS bigint)";
    case Function::kContains:
      return "(strpos({0}, {1}) > 0)";
    case Function::kStartsWith:
      return "starts_with({0}, {1})";
    case Function::kEndsWith:
      return "(right({0}, char_length({1})) = {1})";
    case Function::kFind:
      return "CAST(strpos({0}, {1}) AS bigint)";
    case Function::kReplace:
      return "replace({0}, {1}, {2})";
    case Function::kYear:
      return "CAST(extract(year FROM {0}) AS bigint)";
    case Function::kQuarter:
      return "CAST(extract(quarter FROM {0}) AS bigint)";
    case Function::kMonth:
      return "CAST(extract(month FROM {0}) AS bigint)";
    case Function::kWeek:
      return "CAST(extract(week FROM {0}) AS bigint)";
    case Function::kDay:
      return "CAST(extract(day FROM {0}) AS bigint)";
    case Function::kDayOfWeek:
      return "CAST(extract(dow FROM {0}) AS bigint)";
    case Function::kIsoDay:
      return "CAST(extract(isodow FROM {0}) AS bigint)";
    case Function::kDayOfYear:
      return "CAST(extract(doy FROM {0}) AS bigint)";
    case Function::kHour:
      return "CAST(extract(hour FROM CAST({0} AS timestamp)) AS bigint)";
    case Function::kMinute:
      return "CAST(extract(minute FROM CAST({0} AS timestamp)) AS bigint)";
    case Function::kSecond:
      return "CAST(floor(extract(second FROM CAST({0} AS timestamp))) AS bigint)";
    case Function::kDayName:
      return "to_char({0}, 'FMDay')";
    case Function::kMonthName:
      return "to_char({0}, 'FMMonth')";
    case Function::kNullIf:
      return "nullif({0}, {1})";
    case Function::kNone:
    case Function::kRound:
    case Function::kLog2:
    case Function::kPower:
    case Function::kLeast:
    case Function::kGreatest:
    case Function::kLower:
    case Function::kUpper:
    case Function::kTrim:
    case Function::kTrimLeft:
    case Function::kTrimRight:
    case Function::kReverse:
    case Function::kConcat:
    case Function::kSubstring:
    case Function::kLeft:
    case Function::kRight:
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
  const double factor = std::pow(10.0, static_cast<double>(std::abs(digits)));
  constexpr const char* kAway =
      "trunc({0}) + CASE WHEN abs({0} - trunc({0})) >= 0.5 THEN sign({0}) ELSE 0 END";
  if (digits >= 0) {
    const string scaled = let({fmt::format("({{0}} * {})", real(factor))}, kAway);
    return let({value}, fmt::format("CASE WHEN abs({{0}}) < {} THEN {} / {} ELSE {{0}} END",
                                    real(1e292), scaled, real(factor)));
  }
  const string scaled = let({fmt::format("({{0}} / {})", real(factor))}, kAway);
  // To tens and more an infinity is 0, as DuckDB has it.
  return let(
      {value},
      fmt::format("CASE WHEN abs({{0}}) < {0} THEN '0'::float8 WHEN abs({{0}}) < {1} THEN {2} * "
                  "{3} WHEN abs({{0}}) < 'Infinity' THEN {{0}} WHEN {{0}} IS NOT NULL THEN "
                  "'0'::float8 END",
                  real(factor / 4), real(1e300), scaled, real(factor)));
}

// The farthest number, by its bits, that still has the property, from one that has it on.
template <class Has>
double farthest(double from, double to, Has&& has) {
  auto good = std::bit_cast<std::int64_t>(from), bad = std::bit_cast<std::int64_t>(to);
  while (std::abs(good - bad) > 1) {
    const std::int64_t middle = good + (bad - good) / 2;
    (has(std::bit_cast<double>(middle)) ? good : bad) = middle;
  }
  return std::bit_cast<double>(good);
}

// To a literal exponent: sizes whose power would overflow or vanish are known beforehand. They are
// known by this machine's C library, and the server has its own: powers next to the ends of the
// doubles, which a unit in the last place would carry over, are said and not calculated.
string power(const string& value, double to) {
  if (to == 0) return let({value}, "CASE WHEN {0} IS NOT NULL THEN '1'::float8 END");
  if (to == 1) return value;
  if (std::isnan(to))
    return let({value}, "CASE WHEN {0} = 1 THEN {0} WHEN {0} IS NOT NULL THEN 'NaN'::float8 END");
  constexpr double kMost = std::numeric_limits<double>::max(),
                   kLeast = std::numeric_limits<double>::denorm_min();
  // Within the doubles, and well within them: two units in the last place away from their ends.
  const double near = std::nextafter(std::nextafter(kMost, 0), 0);
  const auto within = [&](double x) {
    const double there = std::pow(x, to);
    return there >= kLeast && there <= kMost;
  };
  const auto well_within = [&](double x) {
    const double there = std::pow(x, to);
    return there > kLeast && there <= near;
  };
  const auto last = [](double end, auto&& has) { return has(end) ? end : farthest(1, end, has); };
  const double high = last(kMost, within), low = last(kLeast, within);
  const double calm_high = last(kMost, well_within), calm_low = last(kLeast, well_within);
  const bool is_whole = std::trunc(to) == to, odd = is_whole && std::abs(std::fmod(to, 2)) == 1;
  const string infinite =
      odd ? "CASE WHEN {0} < 0 THEN '-Infinity'::float8 ELSE 'Infinity'::float8 END"
          : "'Infinity'::float8";
  const string zero = "'0'::float8";
  const auto said = [&](double x) {
    const double there = std::pow(x, to);
    return odd ? fmt::format("CASE WHEN {{0}} < 0 THEN {} ELSE {} END", real(-there), real(there))
               : real(there);
  };
  string ends;
  if (calm_high < high)
    ends += fmt::format(" WHEN abs({{0}}) > {} THEN {}", real(calm_high), said(high));
  if (calm_low > low)
    ends += fmt::format(" WHEN abs({{0}}) < {} THEN {}", real(calm_low), said(low));
  return let(
      {value},
      fmt::format(
          "CASE WHEN {{0}} = 'NaN' THEN {{0}} WHEN {{0}} < 0 AND {{0}} > '-Infinity' AND {0} THEN "
          "'NaN'::float8 WHEN {{0}} = 0 THEN {1} WHEN abs({{0}}) > {2} THEN {3} WHEN abs({{0}}) < "
          "{4} THEN {5}{7} ELSE power({{0}}, {6}) END",
          is_whole ? "FALSE" : "TRUE", to > 0 ? zero : "'Infinity'::float8", real(high),
          to > 0 ? infinite : zero, real(low), to > 0 ? zero : infinite, real(to), ends));
}

// Only the first characters of each side, which the arguments are already: texts can't be made to
// grow.
string concatenated(const Strings& args) {
  string out = args[0];
  for (std::size_t i = 1; i < args.size(); ++i)
    out = i == 1 ? fmt::format("({} || {})", out, args[i])
                 : fmt::format("(left({}, {}) || {})", out, sql::kLongestName, args[i]);
  return out;
}

// A negative place counts from the end, a negative length goes backwards.
string piece(const sql::Expr& call, const string& text) {
  const std::int64_t place = whole(call, 1);
  const auto start = [&](std::int64_t offset) {
    return place < 0 ? fmt::format("(char_length({{0}}) + ({}))", place + 1 + offset)
                     : fmt::format("({})", place + offset);
  };
  if (call.args.size() == 2) return let({text}, fmt::format("substr({{0}}, {})", start(0)));
  const std::int64_t length = whole(call, 2);
  return let({text}, fmt::format("substr({{0}}, {}, {})", start(std::min<std::int64_t>(length, 0)),
                                 std::abs(length)));
}

string split(const sql::Expr& call, const Strings& args) {
  const std::int64_t place = whole(call, 2);
  if (place == 0) return let({args[0]}, "CASE WHEN {0} IS NOT NULL THEN '' END");
  if (!call.args[1].literal.string.empty())
    return fmt::format("split_part({}, {}, {})", args[0], args[1], place);
  return let({args[0]},
             place > 0 ? fmt::format("substr({{0}}, {}, 1)", place)
                       : fmt::format("substr({{0}}, char_length({{0}}) + ({}), 1)", place + 1));
}

// The blanks of Unicode, which DuckDB trims: Zs.
string trimmed(const char* name, const string& text) {
  string blanks = "' ' || U&'\\00A0\\1680\\202F\\205F\\3000";
  for (int i = 0x2000; i <= 0x200A; ++i) blanks += fmt::format("\\{:04X}", i);
  return fmt::format("{}({}, {}')", name, text, blanks);
}

// The letters of a format that mean the same everywhere.
Result<string> formatted(const sql::Expr& call, const string& moment) {
  constexpr std::pair<char, const char*> kKnown[] = {
      {'Y', "YYYY"},  {'m', "MM"}, {'d', "DD"},  {'H', "HH24"},    {'M', "MI"},
      {'S', "SS"},    {'y', "YY"}, {'j', "DDD"}, {'B', "FMMonth"}, {'b', "Mon"},
      {'A', "FMDay"}, {'a', "Dy"}, {'p', "AM"},  {'I', "HH12"},    {'f', "US"}};
  const string& format = call.args[1].literal.string;
  Strings parts;
  string plain;
  const auto flush = [&] {
    if (!plain.empty()) parts.push_back(pushdown::quote_text(plain));
    plain.clear();
  };
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      plain += format[i];
      continue;
    }
    const char letter = ++i < format.size() ? format[i] : '\0';
    if (letter == '%') {
      plain += '%';
      continue;
    }
    const char* found = nullptr;
    for (const auto& [known, word] : kKnown)
      if (known == letter) found = word;
    if (!found)
      return not_here(fmt::format("'%{}' in a format of dates", letter),
                      "accepted are %Y %m %d %H %M %S %y %j %B %b %A %a %p %I %f");
    flush();
    parts.push_back(fmt::format("to_char(CAST({{0}} AS timestamp), '{}')", found));
  }
  flush();
  if (parts.empty()) parts.emplace_back("''");
  // Text of the user's stands in it: only {0} is ours.
  string body;
  for (const string& part : parts) {
    if (!body.empty()) body += " || ";
    if (part.starts_with("to_char")) {
      body += part;
      continue;
    }
    for (const char c : part) body += c == '{' || c == '}' ? string(2, c) : string(1, c);
  }
  return let({moment}, "CASE WHEN {0} IS NOT NULL THEN " + body + " END");
}

Result<string> between(const sql::Expr& call, const Strings& args) {
  const string& unit = call.args[0].literal.string;
  const auto difference = [&](const char* count) -> Result<string> {
    return fmt::format("CAST({} - {} AS bigint)", fmt::format(fmt::runtime(count), args[2]),
                       fmt::format(fmt::runtime(count), args[1]));
  };
  if (unit == "year") return difference("extract(year FROM {0})");
  if (unit == "quarter")
    return difference("(extract(year FROM {0}) * 4 + extract(quarter FROM {0}))");
  if (unit == "month") return difference("(extract(year FROM {0}) * 12 + extract(month FROM {0}))");
  if (unit == "day") return difference("CAST({0} AS date)");
  if (unit == "hour") return difference("floor(extract(epoch FROM CAST({0} AS timestamp)) / 3600)");
  if (unit == "minute") return difference("floor(extract(epoch FROM CAST({0} AS timestamp)) / 60)");
  if (unit == "second") return difference("floor(extract(epoch FROM CAST({0} AS timestamp)))");
  return not_here(fmt::format("DATE_DIFF of {}s", unit),
                  "DATE_DIFF of days divided by 7 counts weeks");
}

}  // namespace

Result<string> Dialect::call(const sql::Expr& call, const Strings& args) const {
  if (const char* pattern = pattern_of(call.function)) return let(args, pattern);
  const Function f = call.function;
  if (f == Function::kLeast) return fmt::format("least({})", pushdown::joined(args));
  if (f == Function::kGreatest) return fmt::format("greatest({})", pushdown::joined(args));
  if (f == Function::kRound) return rounded(call, args[0]);
  if (f == Function::kPower) return power(args[0], call.args[1].literal.as_number());
  if (f == Function::kLower) return lowered(args[0]);
  if (f == Function::kUpper) return "(" + raised(args[0]) + ")";
  if (f == Function::kTrim) return trimmed("btrim", args[0]);
  if (f == Function::kTrimLeft) return trimmed("ltrim", args[0]);
  if (f == Function::kTrimRight) return trimmed("rtrim", args[0]);
  if (f == Function::kConcat) return concatenated(args);
  if (f == Function::kSubstring) return piece(call, args[0]);
  if (f == Function::kLeft) return fmt::format("left({}, {})", args[0], whole(call, 1));
  if (f == Function::kRight) return fmt::format("right({}, {})", args[0], whole(call, 1));
  if (f == Function::kSplit) return split(call, args);
  if (f == Function::kPadLeft)
    return fmt::format("lpad({}, {}, {})", args[0], whole(call, 1), args[2]);
  if (f == Function::kPadRight)
    return fmt::format("rpad({}, {}, {})", args[0], whole(call, 1), args[2]);
  if (f == Function::kMatches || f == Function::kFullMatch) {
    const auto pattern =
        translated(call.args[1].literal.string, call.function == Function::kFullMatch);
    if (!pattern)
      return not_here(
          "this regular expression",
          "accepted are letters, ., [a-z], \\d \\w \\s, ^ $, ( | ), * + ? {2,3}, at most "
          "200 in all");
    return fmt::format("({} ~ {})", ordered(args[0], Type::kText), pushdown::quote_text(*pattern));
  }
  if (f == Function::kFormatTime) return formatted(call, args[0]);
  if (f == Function::kStartOf)
    return fmt::format("CAST(date_trunc({}, CAST({} AS timestamp)) AS {})", args[0], args[1],
                       type(call.type));
  if (f == Function::kUnitsBetween) return between(call, args);
  return not_here(fmt::format("the function {}", sql::name_of(call.function)));
}

namespace {

// What squares can be made of, as a double; the rest is NULL. (A whole number's own abs raises an
// error at −2^63.)
string moderate(const string& number) {
  return fmt::format(
      "CASE WHEN abs(CAST({0} AS float8)) <= '1e140'::float8 THEN CAST({0} AS float8) END", number);
}

}  // namespace

Result<string> Dialect::folded(const sql::Folded& folded, const string& arg) const {
  using sql::Fold;
  const bool text = folded.arg.type == Type::kText, truth = folded.arg.type == Type::kBool;
  switch (folded.fold) {
    case Fold::kCountRows:
      return string("count(*)");
    case Fold::kCount:
      return fmt::format("count({})", arg);
    case Fold::kCountDistinct:
      return fmt::format("count(DISTINCT {})", arg);
    case Fold::kMin:
      return truth ? fmt::format("bool_and({})", arg)
                   : fmt::format("min({})", text ? ordered(arg, Type::kText) : arg);
    case Fold::kMax:
      return truth ? fmt::format("bool_or({})", arg)
                   : fmt::format("max({})", text ? ordered(arg, Type::kText) : arg);
    case Fold::kSum:
    case Fold::kMean: {
      // Whole numbers on a fixed grid, as engine/duckdb/print.cc has it: the order in which they
      // are added must not show.
      const auto divided = [&](const string& sum, const string& count) {
        return fmt::format("(CAST({} AS float8) / nullif({}, 0))", sum, count);
      };
      if (folded.arg.type == Type::kInt)
        return folded.fold == Fold::kSum
                   ? fmt::format("CAST(sum({}) AS float8)", arg)
                   : divided(fmt::format("sum({})", arg), fmt::format("count({})", arg));
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
      const string sum = fmt::format("(CAST(sum({}) AS float8) * {})", points, real(step));
      return folded.fold == Fold::kSum ? sum : divided(sum, fmt::format("count({})", points));
    }
    case Fold::kQuantile:
      return fmt::format("percentile_cont({}) WITHIN GROUP (ORDER BY {})",
                         to_decimal(folded.quantile), moderate(arg));
    case Fold::kVarPop:
    case Fold::kVarSamp:
    case Fold::kStddevPop:
    case Fold::kStddevSamp: {
      constexpr std::string_view kNames[] = {"var_pop", "var_samp", "stddev_pop", "stddev_samp"};
      return fmt::format(
          "{}({} ORDER BY {})",
          kNames[static_cast<std::size_t>(folded.fold) - static_cast<std::size_t>(Fold::kVarPop)],
          moderate(arg), arg);
    }
  }
  return not_here("this aggregate");
}

}  // namespace discreet::engine::postgres
