#include "discreet/sql/spelling.h"

#include <algorithm>
#include <array>
#include <map>

namespace discreet::sql {

namespace {

using std::string;

const std::map<string, string>& aliases() {
  static const std::map<string, string> known = {
      {"**", "pow"},
      {"^", "pow"},
      {"^@", "starts_with"},
      {"char_length", "length"},
      {"character_length", "length"},
      {"len", "length"},
      {"log", "log10"},
      {"position", "strpos"},
      {"instr", "strpos"},
      {"regexp_contains", "regexp_matches"},
      {"safe_divide", "/"},
      {"div", "//"},
      {"approx_quantile", "quantile"},
      {"var", "variance"},
      {"dayofmonth", "day"},
      {"weekday", "dayofweek"},
      {"weekofyear", "week"},
      {"datetrunc", "date_trunc"},
      {"timestamp_trunc", "date_trunc"},
      {"datetime_trunc", "date_trunc"},
      {"datediff", "date_diff"},
      {"timestamp_diff", "date_diff"},
      {"datetime_diff", "date_diff"},
      {"timestamp_add", "date_add"},
      {"datetime_add", "date_add"},
      {"timestamp_sub", "date_sub"},
      {"datetime_sub", "date_sub"},
      {"format_timestamp", "format_date"},
      {"format_datetime", "format_date"},
  };
  return known;
}

// MONTH, as a word that is not in quotes.
bool is_unit(const Term& term) {
  constexpr std::array kUnits = {"year", "quarter", "month",  "week",
                                 "day",  "hour",    "minute", "second"};
  if (term.kind != Term::Kind::kColumn || term.names.size() != 1) return false;
  return std::any_of(kUnits.begin(), kUnits.end(),
                     [&](const char* unit) { return same_name(unit, term.names[0]); });
}

Term text_literal(const Term& unit) {
  Term out;
  out.place = unit.place;
  out.literal = Value::text(lower(unit.names[0]));
  return out;
}

bool is_literal(const Term& term) { return term.kind == Term::Kind::kLiteral; }

}  // namespace

void respell(Term& call) {
  string name = lower(call.name);
  if (const auto other = aliases().find(name); other != aliases().end()) name = other->second;
  std::vector<Term>& args = call.args;
  if ((name == "countif" || name == "count_if") && args.size() == 1 && call.filter.empty()) {
    name = "count";
    call.filter = std::move(args);
    args.clear();
  } else if (name == "approx_count_distinct" && args.size() == 1) {
    name = "count";
    call.distinct = true;
  } else if ((name == "date_add" || name == "date_sub") && args.size() == 2) {
    name = name == "date_add" ? "+" : "-";
  } else if (name == "date_trunc" && args.size() == 2 && is_unit(args[1]) && !is_literal(args[0])) {
    args[1] = text_literal(args[1]);
    std::swap(args[0], args[1]);
  } else if (name == "date_diff" && args.size() == 3 && is_unit(args[2]) && !is_literal(args[0])) {
    args[2] = text_literal(args[2]);
    std::swap(args[0], args[2]);  // BigQuery: the first less the second
  } else if (name == "format_date" && args.size() == 2) {
    name = "strftime";
    std::swap(args[0], args[1]);
  }
  call.name = name;
}

}  // namespace discreet::sql
