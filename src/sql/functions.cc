#include "discreet/sql/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/sql/literals.h"
#include "discreet/sql/patterns.h"

namespace discreet::sql {
namespace {

using std::string;

// What a function takes, and gives.
enum class Takes {
  kNumber,       // a number: a number
  kNumbers,      // two or more
  kDigits,       // a number and perhaps a literal count of digits
  kExponent,     // a number and a literal
  kText,         // a text: a text
  kMeasured,     // a text: a whole number
  kTexts,        // two or more: a text
  kPiece,        // a text, a literal start and perhaps a literal length
  kEnd,          // a text and a literal length
  kTest,         // two texts: a truth value
  kPlace,        // two texts: a whole number
  kReplacement,  // a text and two literal texts
  kSeparator,    // a text, a literal separator and a literal place
  kFilling,      // a text, a literal length and a literal text
  kPattern,      // a text and a literal regular expression
  kPart,         // a date or timestamp: a whole number
  kName,         // a date or timestamp: a text
  kFormat,       // a date or timestamp and a literal format
  kStart,        // a literal unit and a date or timestamp
  kMoments,      // a literal unit and two dates or timestamps
  kTwo,          // two values of one type
};

struct Row {
  Function function;
  Takes takes;
  std::vector<const char*> names;  // the canonical one first
};

const std::vector<Row>& rows() {
  using F = Function;
  static const std::vector<Row> known = {
      {F::kAbs, Takes::kNumber, {"abs"}},
      {F::kCeil, Takes::kNumber, {"ceil", "ceiling"}},
      {F::kFloor, Takes::kNumber, {"floor"}},
      {F::kTrunc, Takes::kNumber, {"trunc"}},
      {F::kRound, Takes::kDigits, {"round"}},
      {F::kSign, Takes::kNumber, {"sign"}},
      {F::kSqrt, Takes::kNumber, {"sqrt"}},
      {F::kExp, Takes::kNumber, {"exp"}},
      {F::kLn, Takes::kNumber, {"ln"}},
      {F::kLog10, Takes::kNumber, {"log10"}},
      {F::kLog2, Takes::kNumber, {"log2"}},
      {F::kSin, Takes::kNumber, {"sin"}},
      {F::kCos, Takes::kNumber, {"cos"}},
      {F::kPower, Takes::kExponent, {"power", "pow"}},
      {F::kLeast, Takes::kNumbers, {"least"}},
      {F::kGreatest, Takes::kNumbers, {"greatest"}},
      {F::kNullIf, Takes::kTwo, {"nullif"}},
      {F::kLower, Takes::kText, {"lower"}},
      {F::kUpper, Takes::kText, {"upper"}},
      {F::kTrim, Takes::kText, {"trim"}},
      {F::kTrimLeft, Takes::kText, {"ltrim"}},
      {F::kTrimRight, Takes::kText, {"rtrim"}},
      {F::kReverse, Takes::kText, {"reverse"}},
      {F::kLength, Takes::kMeasured, {"length"}},
      {F::kConcat, Takes::kTexts, {"||", "concat"}},
      {F::kSubstring, Takes::kPiece, {"substr", "substring"}},
      {F::kLeft, Takes::kEnd, {"left"}},
      {F::kRight, Takes::kEnd, {"right"}},
      {F::kContains, Takes::kTest, {"contains"}},
      {F::kStartsWith, Takes::kTest, {"starts_with", "prefix"}},
      {F::kEndsWith, Takes::kTest, {"ends_with", "suffix"}},
      {F::kFind, Takes::kPlace, {"strpos"}},
      {F::kReplace, Takes::kReplacement, {"replace"}},
      {F::kSplit, Takes::kSeparator, {"split_part"}},
      {F::kPadLeft, Takes::kFilling, {"lpad"}},
      {F::kPadRight, Takes::kFilling, {"rpad"}},
      {F::kMatches, Takes::kPattern, {"regexp_matches"}},
      {F::kFullMatch, Takes::kPattern, {"regexp_full_match"}},
      {F::kYear, Takes::kPart, {"year"}},
      {F::kQuarter, Takes::kPart, {"quarter"}},
      {F::kMonth, Takes::kPart, {"month"}},
      {F::kWeek, Takes::kPart, {"week"}},
      {F::kDay, Takes::kPart, {"day"}},
      {F::kDayOfWeek, Takes::kPart, {"dayofweek"}},
      {F::kIsoDay, Takes::kPart, {"isodow"}},
      {F::kDayOfYear, Takes::kPart, {"dayofyear"}},
      {F::kHour, Takes::kPart, {"hour"}},
      {F::kMinute, Takes::kPart, {"minute"}},
      {F::kSecond, Takes::kPart, {"second"}},
      {F::kDayName, Takes::kName, {"dayname"}},
      {F::kMonthName, Takes::kName, {"monthname"}},
      {F::kFormatTime, Takes::kFormat, {"strftime"}},
      {F::kStartOf, Takes::kStart, {"date_trunc"}},
      {F::kUnitsBetween, Takes::kMoments, {"date_diff"}},
  };
  return known;
}

const Row* find(const string& name) {
  for (const Row& row : rows())
    for (const char* one : row.names)
      if (name == one) return &row;
  return nullptr;
}

tl::unexpected<Error> refuse(string message, string hint = {}) {
  return fail(Code::kRefused, std::move(message), std::move(hint));
}

// A position, a length or a count of digits.
bool is_whole_literal(const Expr& expr) {
  return expr.op == Op::kLiteral && expr.type == Type::kInt && !expr.literal.null &&
         std::abs(expr.literal.whole) <= kLongestText;
}
// Made no longer, in any way of counting: a replacement in bytes alone could be four letters for
// one.
bool is_no_longer(const string& text, const string& than) {
  return text.size() <= than.size() && characters(text) <= characters(than);
}
bool is_unit(const Expr& expr) {
  static const std::set<string> units = {"year", "quarter", "month",  "week",
                                         "day",  "hour",    "minute", "second"};
  return is_text_literal(expr) && units.contains(expr.literal.string);
}
bool is_format(const Expr& expr) {
  return is_text_literal(expr) && expr.literal.string.size() <= kLongestPattern;
}

// Whether the literal pattern or format in args[1] can be calculated with at all.
bool works(Function function, Type type, Value subject, const Expr& pattern,
           const Calculator& calculator) {
  Expr trial = call(Op::kCall, type, {literal(std::move(subject)), pattern});
  trial.function = function;
  return calculator.values(trial, {{}}).has_value();
}

// The type that it gives; nothing and what it takes, in words, where these aren't its arguments.
struct Fit {
  std::optional<Type> type;
  const char* words = "";
};

Fit fit_numbers(Takes takes, const std::vector<Expr>& args) {
  const bool numbers = !args.empty() && std::all_of(args.begin(), args.end(), [](const Expr& one) {
    return is_number(one.type);
  });
  const auto when = [](bool fits, const char* words) {
    return Fit{fits ? std::optional(Type::kDouble) : std::nullopt, words};
  };
  if (takes == Takes::kNumber) return when(numbers && args.size() == 1, "one number");
  if (takes == Takes::kNumbers) return when(numbers && args.size() >= 2, "two or more numbers");
  if (takes == Takes::kExponent)
    return when(numbers && args.size() == 2 && args[1].op == Op::kLiteral && !args[1].literal.null,
                "a number and a literal exponent");
  const bool digits = args.size() == 1 || (args.size() == 2 && is_whole_literal(args[1]) &&
                                           std::abs(args[1].literal.whole) <= 15);
  return when(numbers && digits, "a number and, perhaps, a literal count of digits up to 15");
}

Fit fit_texts(Takes takes, const std::vector<Expr>& args) {
  const std::size_t n = args.size();
  const bool texts = n > 0 && std::all_of(args.begin(), args.end(),
                                          [](const Expr& one) { return one.type == Type::kText; });
  const bool text = n > 0 && args[0].type == Type::kText;
  const auto when = [](bool fits, Type type, const char* words) {
    return Fit{fits ? std::optional(type) : std::nullopt, words};
  };
  if (takes == Takes::kText) return when(texts && n == 1, Type::kText, "one text");
  if (takes == Takes::kMeasured) return when(texts && n == 1, Type::kInt, "one text");
  if (takes == Takes::kTexts) return when(texts && n >= 2, Type::kText, "two or more texts");
  if (takes == Takes::kTest) return when(texts && n == 2, Type::kBool, "two texts");
  if (takes == Takes::kPlace) return when(texts && n == 2, Type::kInt, "two texts");
  if (takes == Takes::kPiece)
    return when(
        text && (n == 2 || n == 3) && std::all_of(args.begin() + 1, args.end(), is_whole_literal),
        Type::kText, "a text, a literal start and, perhaps, a literal length");
  if (takes == Takes::kEnd)
    return when(text && n == 2 && is_whole_literal(args[1]), Type::kText,
                "a text and a literal length");
  if (takes == Takes::kReplacement)
    return when(text && n == 3 && is_text_literal(args[1]) && is_text_literal(args[2]) &&
                    is_no_longer(args[2].literal.string, args[1].literal.string),
                Type::kText,
                "a text and two literal texts, the second no longer than the first, neither in "
                "characters nor in bytes");
  if (takes == Takes::kSeparator)
    return when(text && n == 3 && is_text_literal(args[1]) && is_whole_literal(args[2]),
                Type::kText, "a text, a literal separator and a literal place");
  if (takes == Takes::kFilling)
    return when(text && n == 3 && is_whole_literal(args[1]) &&
                    args[1].literal.whole <= kLongestName && is_text_literal(args[2]) &&
                    !args[2].literal.string.empty(),
                Type::kText, "a text, a literal length up to 1000 and a literal text to fill with");
  return when(text && n == 2 && is_text_literal(args[1]), Type::kBool,
              "a text and a literal regular expression");
}

Fit fit_moments(Takes takes, const std::vector<Expr>& args) {
  const auto moment = [&](std::size_t i) { return i < args.size() && is_time(args[i].type); };
  const auto when = [](bool fits, Type type, const char* words) {
    return Fit{fits ? std::optional(type) : std::nullopt, words};
  };
  const std::size_t n = args.size();
  if (takes == Takes::kPart) return when(n == 1 && moment(0), Type::kInt, "a date or timestamp");
  if (takes == Takes::kName) return when(n == 1 && moment(0), Type::kText, "a date or timestamp");
  if (takes == Takes::kFormat)
    return when(n == 2 && moment(0) && is_format(args[1]), Type::kText,
                "a date or timestamp and a literal format, such as '%Y-%m'");
  if (takes == Takes::kStart)
    return when(n == 2 && is_unit(args[0]) && moment(1), n == 2 ? args[1].type : Type::kDate,
                "a literal unit (year, quarter, month, week, day, hour, minute) and a date or "
                "timestamp");
  return when(n == 3 && is_unit(args[0]) && moment(1) && moment(2), Type::kInt,
              "a literal unit and two dates or timestamps");
}

Fit fit(Takes takes, const std::vector<Expr>& args) {
  switch (takes) {
    case Takes::kNumber:
    case Takes::kNumbers:
    case Takes::kDigits:
    case Takes::kExponent:
      return fit_numbers(takes, args);
    case Takes::kText:
    case Takes::kMeasured:
    case Takes::kTexts:
    case Takes::kPiece:
    case Takes::kEnd:
    case Takes::kTest:
    case Takes::kPlace:
    case Takes::kReplacement:
    case Takes::kSeparator:
    case Takes::kFilling:
    case Takes::kPattern:
      return fit_texts(takes, args);
    case Takes::kPart:
    case Takes::kName:
    case Takes::kFormat:
    case Takes::kStart:
    case Takes::kMoments:
      return fit_moments(takes, args);
    case Takes::kTwo:
      break;
  }
  if (args.size() == 2 && args[0].type == args[1].type) return {args[0].type};
  const bool numbers = args.size() == 2 && is_number(args[0].type) && is_number(args[1].type);
  return {numbers ? std::optional(Type::kDouble) : std::nullopt, "two values of one type"};
}

// EXTRACT(year FROM d) is YEAR(d).
Result<string> extracted(std::vector<Expr>& args) {
  if (args.size() != 2 || !is_text_literal(args[0]))
    return refuse("EXTRACT takes a literal part and a date");
  string name = lower(args[0].literal.string);
  if (name == "dow") name = "dayofweek";
  if (name == "doy") name = "dayofyear";
  args.erase(args.begin());
  const Row* known = find(name);
  if (!known || known->takes != Takes::kPart)
    return refuse(fmt::format("EXTRACT does not know the part '{}'", name),
                  "year, quarter, month, week, day, dow, isodow, doy, hour, minute, second");
  return name;
}

}  // namespace

const std::vector<string>& function_names() {
  static const std::vector<string> names = [] {
    std::vector<string> out;
    for (const Row& row : rows()) out.insert(out.end(), row.names.begin(), row.names.end());
    std::sort(out.begin(), out.end());
    return out;
  }();
  return names;
}

std::string_view name_of(Function function) {
  for (const Row& row : rows())
    if (row.function == function) return row.names.front();
  return "none";
}

Result<Expr> make_call(const string& written, std::vector<Expr> args,
                       const Calculator& calculator) {
  if (written == "pi" && args.empty()) return literal(Value::number(3.141592653589793));
  string name = written;
  if (name == "date_part" || name == "datepart") name = TRY(extracted(args));
  const Row* row = find(name);
  if (!row)
    return refuse(
        fmt::format("the function '{}' is not on the list of functions known to be safe", written),
        did_you_mean(written, function_names()));
  const Fit fits = fit(row->takes, args);
  if (!fits.type) return refuse(fmt::format("{} takes {}", written, fits.words));
  for (const Expr& arg : args)
    if (is_text_literal(arg) &&
        characters(arg.literal.string) > static_cast<std::size_t>(kLongestName))
      return refuse(fmt::format("{} reads texts up to {} characters, and this one has {}", written,
                                kLongestName, characters(arg.literal.string)),
                    "write a shorter text");
  if (row->takes == Takes::kPattern)
    if (auto problem = regex_problem(args[1].literal.string))
      return refuse(*problem, "write a shorter one, or repeat less");
  if (row->takes == Takes::kPattern &&
      !works(row->function, *fits.type, Value::text(""), args[1], calculator))
    return refuse(fmt::format("'{}' is not a regular expression", args[1].literal.string));
  if (row->takes == Takes::kFormat &&
      !works(row->function, *fits.type, Value::date(18'262), args[1], calculator))
    return refuse(fmt::format("'{}' is not a format of dates", args[1].literal.string),
                  "such as '%Y-%m'");
  Expr expr = call(Op::kCall, *fits.type, std::move(args));
  expr.function = row->function;
  know_values(expr);
  return expr;
}

}  // namespace discreet::sql
