#include "discreet/sql/functions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "discreet/base/suggest.h"
#include "discreet/sql/literals.h"
#include "discreet/sql/names.h"
#include "discreet/sql/parse.h"

namespace discreet::sql {
namespace {

using std::string;

constexpr std::int64_t kLongestText = 10'000;  // positions and lengths in texts

enum class Shape {
  kNumberToNumber,   // doubles in, double out
  kNumbersToNumber,  // least, greatest: two or more
  kTextToText,
  kTextToInt,
  kTextPiece,  // a text and one or two whole literals
  kTextsToText,
  kTextTest,    // two texts to a truth value
  kReplace,     // a text, two literal texts
  kFind,        // two texts to a place
  kPattern,     // a text and a literal regular expression
  kSplit,       // a text, a literal text and a whole literal
  kPad,         // a text, a whole literal and a literal text
  kFormat,      // a date or timestamp and a literal format
  kName,        // a date or timestamp to the name of its day or month
  kPart,        // a date or timestamp to a whole number
  kRound,       // a number and perhaps a literal count of digits
  kPower,       // a number and a literal
  kTrunc,       // a literal unit and a date
  kDifference,  // a literal unit and two dates
  kNullIf,
};

struct Function {
  Shape shape;
  const char* print;  // {0}, {1}, … are the arguments
};

const std::map<string, Function>& functions() {
  static const std::map<string, Function> known = {
      {"abs", {Shape::kNumberToNumber, "abs({0})"}},
      {"ceil", {Shape::kNumberToNumber, "ceil({0})"}},
      {"ceiling", {Shape::kNumberToNumber, "ceil({0})"}},
      {"floor", {Shape::kNumberToNumber, "floor({0})"}},
      {"sign", {Shape::kNumberToNumber, "CAST(sign({0}) AS DOUBLE)"}},
      {"sqrt", {Shape::kNumberToNumber, "discreet_sqrt({0})"}},
      {"ln", {Shape::kNumberToNumber, "discreet_ln({0})"}},
      {"log10", {Shape::kNumberToNumber, "discreet_log10({0})"}},
      {"log2", {Shape::kNumberToNumber, "discreet_log2({0})"}},
      {"trunc", {Shape::kNumberToNumber, "trunc({0})"}},
      {"sin", {Shape::kNumberToNumber, "discreet_sin({0})"}},
      {"cos", {Shape::kNumberToNumber, "discreet_cos({0})"}},
      {"exp", {Shape::kNumberToNumber, "exp({0})"}},
      {"least", {Shape::kNumbersToNumber, "least"}},
      {"greatest", {Shape::kNumbersToNumber, "greatest"}},
      {"round", {Shape::kRound, ""}},
      {"power", {Shape::kPower, "pow({0}, {1})"}},
      {"pow", {Shape::kPower, "pow({0}, {1})"}},
      {"lower", {Shape::kTextToText, "lower({0})"}},
      {"upper", {Shape::kTextToText, "upper({0})"}},
      {"trim", {Shape::kTextToText, "trim({0})"}},
      {"ltrim", {Shape::kTextToText, "ltrim({0})"}},
      {"rtrim", {Shape::kTextToText, "rtrim({0})"}},
      {"reverse", {Shape::kTextToText, "reverse({0})"}},
      {"strpos", {Shape::kFind, "strpos({0}, {1})"}},
      {"regexp_matches", {Shape::kPattern, "regexp_matches({0}, {1})"}},
      {"regexp_full_match", {Shape::kPattern, "regexp_full_match({0}, {1})"}},
      {"split_part", {Shape::kSplit, ""}},
      {"lpad", {Shape::kPad, "lpad"}},
      {"rpad", {Shape::kPad, "rpad"}},
      {"strftime", {Shape::kFormat, "strftime({0}, {1})"}},
      {"dayname", {Shape::kName, "dayname({0})"}},
      {"monthname", {Shape::kName, "monthname({0})"}},
      {"length", {Shape::kTextToInt, "length({0})"}},
      {"substr", {Shape::kTextPiece, "substr"}},
      {"substring", {Shape::kTextPiece, "substr"}},
      {"left", {Shape::kTextPiece, "left"}},
      {"right", {Shape::kTextPiece, "right"}},
      {"||", {Shape::kTextsToText, "||"}},
      {"contains", {Shape::kTextTest, "contains({0}, {1})"}},
      {"starts_with", {Shape::kTextTest, "starts_with({0}, {1})"}},
      {"prefix", {Shape::kTextTest, "starts_with({0}, {1})"}},
      {"suffix", {Shape::kTextTest, "suffix({0}, {1})"}},
      {"ends_with", {Shape::kTextTest, "suffix({0}, {1})"}},
      {"replace", {Shape::kReplace, "replace({0}, {1}, {2})"}},
      {"year", {Shape::kPart, "year({0})"}},
      {"quarter", {Shape::kPart, "quarter({0})"}},
      {"month", {Shape::kPart, "month({0})"}},
      {"week", {Shape::kPart, "week({0})"}},
      {"day", {Shape::kPart, "day({0})"}},
      {"dayofweek", {Shape::kPart, "dayofweek({0})"}},
      {"isodow", {Shape::kPart, "isodow({0})"}},
      {"second", {Shape::kPart, "second({0})"}},
      {"dayofyear", {Shape::kPart, "dayofyear({0})"}},
      {"hour", {Shape::kPart, "hour({0})"}},
      {"minute", {Shape::kPart, "minute({0})"}},
      {"date_trunc", {Shape::kTrunc, ""}},
      {"date_diff", {Shape::kDifference, "date_diff({0}, {1}, {2})"}},
      {"nullif", {Shape::kNullIf, ""}},
  };
  return known;
}

tl::unexpected<Error> refuse(string message, string hint = {}) {
  return fail(Code::kRefused, std::move(message), std::move(hint));
}

// The most, and the least, an expression can be, where something says so: LEAST(x, 5) is at most 5
// whatever x is.
std::optional<Rational> most(const Expr& expr);
std::optional<Rational> least(const Expr& expr);

bool never_null(const Expr& expr) {
  if (expr.op == Op::kLiteral) return !expr.literal.null;
  if (expr.op == Op::kCoalesce) return never_null(expr.args.back());
  return expr.op == Op::kCall && (expr.name == "least" || expr.name == "greatest") &&
         std::any_of(expr.args.begin(), expr.args.end(), never_null);
}

std::optional<Rational> end(const Expr& expr, bool upper) {
  if (expr.range) return upper ? expr.range->high : expr.range->low;
  if (expr.nonnegative && !upper) return Rational(0);
  if (expr.op == Op::kNegate) {
    auto inner = end(expr.args[0], !upper);
    return inner ? std::optional<Rational>(-*inner) : std::nullopt;
  }
  if (expr.op != Op::kCall || (expr.name != "least" && expr.name != "greatest"))
    return std::nullopt;
  // NULLs are passed over: only what is never NULL holds the result on the side that is chosen
  // from. Where there is no such thing, and on the other side, the farthest counts.
  const bool chosen_side = (expr.name == "least") == upper;
  if (chosen_side) {
    std::optional<Rational> out;
    for (const Expr& arg : expr.args)
      if (const auto one = end(arg, upper); one && never_null(arg))
        if (!out || (upper ? *one < *out : *one > *out)) out = one;
    if (out) return out;
  }
  std::optional<Rational> out;
  for (const Expr& arg : expr.args) {
    const auto one = end(arg, upper);
    if (!one) return std::nullopt;
    if (!out || (upper ? *one > *out : *one < *out)) out = one;
  }
  return out;
}
std::optional<Rational> most(const Expr& expr) { return end(expr, true); }
std::optional<Rational> least(const Expr& expr) { return end(expr, false); }

Rational rounded(double value) { return std::isfinite(value) ? Rational(value) : Rational(0); }

std::optional<Interval> monotone(const Interval& in, double (*f)(double)) {
  const double low = f(to_double(in.low)), high = f(to_double(in.high));
  if (!std::isfinite(low) || !std::isfinite(high) || std::abs(low) > 1e30 || std::abs(high) > 1e30)
    return std::nullopt;
  return Interval{rounded(low), rounded(high)};
}

std::optional<Interval> range_of(const string& name, const Expr& expr) {
  if (name == "least" || name == "greatest") {
    const auto low = least(expr), high = most(expr);
    if (low && high && *low <= *high) return Interval{*low, *high};
    return std::nullopt;
  }
  if (name == "sign" || name == "sin" || name == "cos") return Interval{-1, 1};
  if (expr.args.empty() || !expr.args[0].range) return std::nullopt;
  const Interval& in = *expr.args[0].range;
  if (name == "abs") {
    if (in.low >= 0) return in;
    if (in.high <= 0) return -in;
    return Interval{0, std::max<Rational>(-in.low, in.high)};
  }
  if (name == "trunc") return monotone(in, [](double x) { return std::trunc(x); });
  if (name == "floor") return monotone(in, [](double x) { return std::floor(x); });
  if (name == "ceil" || name == "ceiling")
    return monotone(in, [](double x) { return std::ceil(x); });
  if (name == "round") return Interval{in.low - 1, in.high + 1};
  if (name == "exp") return monotone(in, [](double x) { return std::exp(x); });
  if (name == "sqrt" && in.high >= 0)
    return monotone(in, [](double x) { return std::sqrt(std::max(0.0, x)); });
  if (name == "ln" && in.low > 0) return monotone(in, [](double x) { return std::log(x); });
  if (name == "log10" && in.low > 0) return monotone(in, [](double x) { return std::log10(x); });
  if (name == "log2" && in.low > 0) return monotone(in, [](double x) { return std::log2(x); });
  if (name == "pow" || name == "power") {
    const double n = expr.args[1].literal.as_number();
    if (n < 1 || n != std::floor(n) || n > 8) return std::nullopt;
    Interval out = in;
    for (int i = 1; i < static_cast<int>(n); ++i) out = out * in;
    if (static_cast<int>(n) % 2 == 0 && out.low < 0) out.low = 0;
    return out;
  }
  return std::nullopt;
}

std::optional<Interval> part_range(const string& name) {
  if (name == "quarter") return Interval{1, 4};
  if (name == "month") return Interval{1, 12};
  if (name == "week") return Interval{1, 53};
  if (name == "day") return Interval{1, 31};
  if (name == "dayofweek") return Interval{0, 6};
  if (name == "isodow") return Interval{1, 7};
  if (name == "second") return Interval{0, 59};
  if (name == "dayofyear") return Interval{1, 366};
  if (name == "hour") return Interval{0, 23};
  if (name == "minute") return Interval{0, 59};
  return std::nullopt;
}

// Small parts of a date are public by the calendar, the year is not.
std::optional<std::vector<Value>> part_domain(const string& name) {
  const auto range = part_range(name);
  if (!range || name == "dayofyear") return std::nullopt;
  std::vector<Value> out;
  for (long i = range->low.get_num().get_si(); i <= range->high.get_num().get_si(); ++i)
    out.push_back(Value::integer(i));
  return out;
}

// Names of days and months are public too, in the calendar's order.
std::vector<Value> calendar_names(const string& name) {
  const std::vector<const char*> words =
      name == "dayname" ? std::vector<const char*>{"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                   "Friday", "Saturday", "Sunday"}
                        : std::vector<const char*>{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};
  std::vector<Value> out;
  for (const char* word : words) out.push_back(Value::text(word));
  return out;
}

// How many units of time lie between two moments, from the moments' ranges; a unit is counted where
// its border is crossed, hence one more on each side of all but days between dates.
std::optional<Interval> difference_range(const string& unit, const Expr& from, const Expr& to) {
  if (!from.range || !to.range) return std::nullopt;
  const auto days = [](const Expr& expr) {
    return expr.type == Type::kDate ? *expr.range : *expr.range / Interval{86'400, 86'400};
  };
  const Interval between = days(to) - days(from);
  if (unit == "day" && from.type == Type::kDate && to.type == Type::kDate) return between;
  const std::map<string, Rational> a_day = {{"year", Rational(1, 365)},
                                            {"quarter", Rational(1, 90)},
                                            {"month", Rational(1, 28)},
                                            {"week", Rational(1, 7)},
                                            {"day", 1},
                                            {"hour", 24},
                                            {"minute", 1440},
                                            {"second", 86'400}};
  const Rational& times = a_day.at(unit);
  return between * Interval{times, times} + Interval{-1, 1};
}

bool is_whole_literal(const Expr& expr) {
  return expr.op == Op::kLiteral && expr.type == Type::kInt && !expr.literal.null &&
         std::abs(expr.literal.whole) <= kLongestText;
}

}  // namespace

const std::vector<string>& function_names() {
  static const std::vector<string> names = [] {
    std::vector<string> out;
    for (const auto& [name, function] : functions()) out.push_back(name);
    return out;
  }();
  return names;
}

Result<Expr> make_call(const string& written, std::vector<Expr> args) {
  string name = written;
  if (name == "pi" && args.empty()) return literal(Value::number(3.141592653589793));
  if (name == "date_part" || name == "datepart") {  // EXTRACT(year FROM d)
    if (args.size() != 2 || !is_text_literal(args[0]))
      return refuse("EXTRACT takes a literal part and a date");
    name = lower(args[0].literal.string);
    if (name == "dow") name = "dayofweek";
    if (name == "doy") name = "dayofyear";
    args.erase(args.begin());
    const auto known = functions().find(name);
    if (known == functions().end() || known->second.shape != Shape::kPart)
      return refuse(fmt::format("EXTRACT does not know the part '{}'", name),
                    "year, quarter, month, week, day, dow, isodow, doy, hour, minute, second");
  }
  if (name == "concat") name = "||";
  const auto found = functions().find(name);
  if (found == functions().end())
    return refuse(
        fmt::format("the function '{}' is not on the list of functions known to be safe", written),
        did_you_mean(written, function_names()));
  const auto wants = [&](const char* what) {
    return refuse(fmt::format("{} takes {}", written, what));
  };
  const auto all = [&](auto&& test) { return std::all_of(args.begin(), args.end(), test); };
  const auto number = [](const Expr& expr) { return is_number(expr.type); };
  const auto text = [](const Expr& expr) { return expr.type == Type::kText; };
  const auto moment = [](const Expr& expr) { return is_time(expr.type); };
  Type type = Type::kDouble;
  switch (found->second.shape) {
    case Shape::kNumberToNumber:
      if (args.size() != 1 || !all(number)) return wants("one number");
      break;
    case Shape::kNumbersToNumber:
      if (args.size() < 2 || !all(number)) return wants("two or more numbers");
      break;
    case Shape::kRound:
      if (args.empty() || args.size() > 2 || !number(args[0]) ||
          (args.size() == 2 && !is_whole_literal(args[1])) ||
          (args.size() == 2 && std::abs(args[1].literal.whole) > 15))
        return wants("a number and, perhaps, a literal count of digits up to 15");
      break;
    case Shape::kPower:
      if (args.size() != 2 || !all(number) || args[1].op != Op::kLiteral || args[1].literal.null)
        return wants("a number and a literal exponent");
      break;
    case Shape::kTextToText:
      if (args.size() != 1 || !all(text)) return wants("one text");
      type = Type::kText;
      break;
    case Shape::kTextToInt:
      if (args.size() != 1 || !all(text)) return wants("one text");
      type = Type::kInt;
      break;
    case Shape::kTextPiece: {
      const bool middle = string(found->second.print) == "substr";
      if (args.size() < 2 || args.size() > (middle ? 3u : 2u) || !text(args[0]) ||
          !std::all_of(args.begin() + 1, args.end(), is_whole_literal))
        return wants(middle ? "a text, a literal start and, perhaps, a literal length"
                            : "a text and a literal length");
      type = Type::kText;
      break;
    }
    case Shape::kTextsToText:
      if (args.size() < 2 || !all(text)) return wants("two or more texts");
      type = Type::kText;
      break;
    case Shape::kTextTest:
      if (args.size() != 2 || !all(text)) return wants("two texts");
      type = Type::kBool;
      break;
    case Shape::kReplace:
      if (args.size() != 3 || !text(args[0]) || !is_text_literal(args[1]) ||
          !is_text_literal(args[2]) ||
          args[2].literal.string.size() > args[1].literal.string.size())
        return wants("a text and two literal texts, the second no longer than the first");
      type = Type::kText;
      break;
    case Shape::kFind:
      if (args.size() != 2 || !all(text)) return wants("two texts");
      type = Type::kInt;
      break;
    case Shape::kPattern: {
      if (args.size() != 2 || !text(args[0]) || !is_text_literal(args[1]) ||
          args[1].literal.string.size() > 1000)
        return wants("a text and a literal regular expression");
      if (!calculate(fmt::format("SELECT regexp_matches('', {})", print(args[1].literal))))
        return refuse(fmt::format("'{}' is not a regular expression", args[1].literal.string));
      type = Type::kBool;
      break;
    }
    case Shape::kSplit:
      if (args.size() != 3 || !text(args[0]) || !is_text_literal(args[1]) ||
          !is_whole_literal(args[2]))
        return wants("a text, a literal separator and a literal place");
      type = Type::kText;
      break;
    case Shape::kPad:
      if (args.size() != 3 || !text(args[0]) || !is_whole_literal(args[1]) ||
          !is_text_literal(args[2]) || args[2].literal.string.empty())
        return wants("a text, a literal length and a literal text to fill with");
      type = Type::kText;
      break;
    case Shape::kFormat:
      if (args.size() != 2 || !moment(args[0]) || !is_text_literal(args[1]) ||
          args[1].literal.string.size() > 1000)
        return wants("a date or timestamp and a literal format, such as '%Y-%m'");
      if (!calculate(fmt::format("SELECT strftime(DATE '2020-01-01', {})", print(args[1].literal))))
        return refuse(fmt::format("'{}' is not a format of dates", args[1].literal.string),
                      "such as '%Y-%m'");
      type = Type::kText;
      break;
    case Shape::kName:
      if (args.size() != 1 || !all(moment)) return wants("a date or timestamp");
      type = Type::kText;
      break;
    case Shape::kPart:
      if (args.size() != 1 || !all(moment)) return wants("a date or timestamp");
      type = Type::kInt;
      break;
    case Shape::kTrunc: {
      const std::set<string> units = {"year", "quarter", "month",  "week",
                                      "day",  "hour",    "minute", "second"};
      if (args.size() != 2 || !is_text_literal(args[0]) ||
          !units.contains(args[0].literal.string) || !moment(args[1]))
        return wants(
            "a literal unit (year, quarter, month, week, day, hour, minute) and a date or "
            "timestamp");
      type = args[1].type;
      break;
    }
    case Shape::kDifference: {
      const std::set<string> units = {"year", "quarter", "month",  "week",
                                      "day",  "hour",    "minute", "second"};
      if (args.size() != 3 || !is_text_literal(args[0]) ||
          !units.contains(args[0].literal.string) || !moment(args[1]) || !moment(args[2]))
        return wants("a literal unit and two dates or timestamps");
      type = Type::kInt;
      break;
    }
    case Shape::kNullIf:
      if (args.size() != 2 ||
          (args[0].type != args[1].type && !(number(args[0]) && number(args[1]))))
        return wants("two values of one type");
      type = args[0].type == args[1].type ? args[0].type : Type::kDouble;
      break;
  }
  std::optional<Interval> between;
  if (found->second.shape == Shape::kDifference)
    between = difference_range(args[0].literal.string, args[1], args[2]);
  if (found->second.shape == Shape::kTrunc) between = args[1].range;  // at most a year below it
  Expr expr = call(Op::kCall, type, std::move(args));
  expr.name = name;
  if (is_number(type)) expr.range = range_of(name, expr);
  if (found->second.shape == Shape::kPart) {
    expr.range = part_range(name);
    expr.domain = part_domain(name);
    if (name == "year" && expr.args[0].range) {
      const long scale = expr.args[0].type == Type::kDate ? 1 : 86'400;
      const auto year = [&](const Rational& at) {
        return std::stol(
            show_date(static_cast<std::int64_t>(std::floor(to_double(Rational(at / scale)))))
                .substr(0, 4));
      };
      expr.range = Interval{year(expr.args[0].range->low), year(expr.args[0].range->high)};
    }
  }
  if (found->second.shape == Shape::kName) expr.domain = calendar_names(name);
  if (found->second.shape == Shape::kDifference) expr.range = between;
  if (found->second.shape == Shape::kTrunc && between) {
    const Rational year = type == Type::kDate ? Rational(366) : Rational(366 * 86'400);
    expr.range = Interval{between->low - year, between->high};
  }
  if (found->second.shape == Shape::kNullIf) expr.range = expr.args[0].range;
  if (found->second.shape == Shape::kTextToInt) expr.range = std::nullopt;
  return expr;
}

string print_call(const string& name, const std::vector<string>& args, const Expr& expr) {
  const Function& function = functions().at(name);
  const auto all = [&](const char* between) {
    string out;
    for (std::size_t i = 0; i < args.size(); ++i) out += (i ? between : "") + args[i];
    return out;
  };
  switch (function.shape) {
    case Shape::kNumbersToNumber:
      return fmt::format("{}({})", function.print, all(", "));
    case Shape::kTextsToText: {
      // Only the first characters of each side: else doubling a text again and again makes the
      // query run out of memory exactly where there is a row to double. (A guard that yields NULL
      // would have to print each side twice, and nested ones 2^n times.)
      const auto cut = [](const string& text) {
        return fmt::format("left({}, {})", text, kLongestText);
      };
      string out = cut(args[0]);
      for (std::size_t i = 1; i < args.size(); ++i)
        out = fmt::format("({} || {})", i == 1 ? out : cut(out), cut(args[i]));
      return out;
    }
    case Shape::kTextPiece: {
      string out = fmt::format("{}({}", function.print, args[0]);
      for (std::size_t i = 1; i < expr.args.size(); ++i)
        out += fmt::format(", {}", expr.args[i].literal.whole);
      return out + ")";
    }
    case Shape::kSplit:
      return fmt::format("split_part({}, {}, {})", args[0], args[1], expr.args[2].literal.whole);
    case Shape::kPad:
      return fmt::format("{}({}, {}, {})", function.print, args[0], expr.args[1].literal.whole,
                         args[2]);
    case Shape::kRound:
      return args.size() == 1 ? fmt::format("round({})", args[0])
                              : fmt::format("round({}, {})", args[0], expr.args[1].literal.whole);
    case Shape::kTrunc:
      return fmt::format("CAST(date_trunc({}, {}) AS {})", args[0], args[1],
                         engine_type(expr.type));
    case Shape::kDifference:
      return fmt::format("date_diff({}, CAST({} AS TIMESTAMP), CAST({} AS TIMESTAMP))", args[0],
                         args[1], args[2]);
    case Shape::kNullIf:
      return fmt::format("discreet_nullif_{}({}, {})", name_of(expr.type), args[0], args[1]);
    default:
      return fmt::format(fmt::runtime(function.print), args[0], args.size() > 1 ? args[1] : "",
                         args.size() > 2 ? args[2] : "");
  }
}

}  // namespace discreet::sql
