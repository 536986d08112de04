// How DuckDB calculates each function. Where its own could fail on a row, or give what depends on
// the run, one of ours (total.h) stands instead.
#include <fmt/format.h>

#include "discreet/engine/duckdb/print.h"

namespace discreet::engine::duckdb {
namespace {

using sql::Function;
using std::string;

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
      return "CAST(sign({0}) AS DOUBLE)";
    case Function::kSqrt:
      return "discreet_sqrt({0})";
    case Function::kExp:
      return "exp({0})";
    case Function::kLn:
      return "discreet_ln({0})";
    case Function::kLog10:
      return "discreet_log10({0})";
    case Function::kLog2:
      return "discreet_log2({0})";
    case Function::kSin:
      return "discreet_sin({0})";
    case Function::kCos:
      return "discreet_cos({0})";
    case Function::kPower:
      return "pow({0} + 0, {1})";  // one zero
    case Function::kLower:
      return "lower({0})";
    case Function::kUpper:
      return "upper({0})";
    case Function::kTrim:
      return "trim({0})";
    case Function::kTrimLeft:
      return "ltrim({0})";
    case Function::kTrimRight:
      return "rtrim({0})";
    case Function::kReverse:
      return "reverse({0})";
    case Function::kLength:
      return "length({0})";
    case Function::kContains:
      return "contains({0}, {1})";
    case Function::kStartsWith:
      return "starts_with({0}, {1})";
    case Function::kEndsWith:
      return "suffix({0}, {1})";
    case Function::kFind:
      return "strpos({0}, {1})";
    case Function::kReplace:
      return "replace({0}, {1}, {2})";
    case Function::kMatches:
      return "regexp_matches({0}, {1})";
    case Function::kFullMatch:
      return "regexp_full_match({0}, {1})";
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
      return "dayofweek({0})";
    case Function::kIsoDay:
      return "isodow({0})";
    case Function::kDayOfYear:
      return "dayofyear({0})";
    case Function::kHour:
      return "hour({0})";
    case Function::kMinute:
      return "minute({0})";
    case Function::kSecond:
      return "second({0})";
    case Function::kDayName:
      return "dayname({0})";
    case Function::kMonthName:
      return "monthname({0})";
    case Function::kFormatTime:
      return "strftime({0}, {1})";
    case Function::kUnitsBetween:
      return "date_diff({0}, CAST({1} AS TIMESTAMP), CAST({2} AS TIMESTAMP))";
    case Function::kNone:
    case Function::kRound:
    case Function::kLeast:
    case Function::kGreatest:
    case Function::kNullIf:
    case Function::kConcat:
    case Function::kSubstring:
    case Function::kLeft:
    case Function::kRight:
    case Function::kSplit:
    case Function::kPadLeft:
    case Function::kPadRight:
    case Function::kStartOf:
      break;
  }
  return nullptr;
}

// Only the first characters of each side, which the arguments are already: else doubling a text
// again and again makes the query run out of memory exactly where there is a row to double.
string concatenated(const std::vector<string>& args) {
  string out = args[0];
  for (std::size_t i = 1; i < args.size(); ++i)
    out = i == 1 ? fmt::format("({} || {})", out, args[i])
                 : fmt::format("(discreet_text({}) || {})", out, args[i]);
  return out;
}

// A function whose whole-number literals are written bare: DuckDB has no version of it for BIGINT.
string with_literals(const char* name, const sql::Expr& call, const std::vector<string>& args) {
  std::vector<string> items = args;
  for (std::size_t i = 1; i < items.size(); ++i)
    if (call.args[i].type == policy::Type::kInt)
      items[i] = fmt::format("{}", call.args[i].literal.whole);
  return fmt::format("{}({})", name, fmt::join(items, ", "));
}

}  // namespace

string print_call(const sql::Expr& call, const std::vector<string>& args) {
  if (const char* pattern = pattern_of(call.function))
    return fmt::format(fmt::runtime(pattern), args[0], args.size() > 1 ? args[1] : "",
                       args.size() > 2 ? args[2] : "");
  const Function f = call.function;
  if (f == Function::kLeast) return fmt::format("least({})", fmt::join(args, ", "));
  if (f == Function::kGreatest) return fmt::format("greatest({})", fmt::join(args, ", "));
  if (f == Function::kConcat) return concatenated(args);
  if (f == Function::kRound) return with_literals("round", call, args);
  if (f == Function::kSubstring) return with_literals("substr", call, args);
  if (f == Function::kLeft && call.args[1].literal.whole == sql::kLongestName)
    return fmt::format("discreet_text({})", args[0]);
  if (f == Function::kLeft) return with_literals("left", call, args);
  if (f == Function::kRight) return with_literals("right", call, args);
  if (f == Function::kSplit) return with_literals("split_part", call, args);
  if (f == Function::kPadLeft) return with_literals("lpad", call, args);
  if (f == Function::kPadRight) return with_literals("rpad", call, args);
  if (f == Function::kStartOf)
    return fmt::format("CAST(date_trunc({}, {}) AS {})", args[0], args[1], engine_type(call.type));
  if (f == Function::kNullIf)
    return fmt::format("discreet_nullif_{}({}, {})", name_of(call.type), args[0], args[1]);
  return {};  // kNone: DuckDB finds no such SQL, and nothing is run
}

}  // namespace discreet::engine::duckdb
