#include "discreet/sql/spelling.h"

#include <array>
#include <map>

#include "discreet/policy/names.h"

namespace discreet::sql {

using policy::lower;
using policy::same_name;
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
bool is_unit(const Json& node) {
  constexpr std::array kUnits = {"year", "quarter", "month",  "week",
                                 "day",  "hour",    "minute", "second"};
  if (node.value("class", "") != "COLUMN_REF" || node["column_names"].size() != 1) return false;
  const string name = node["column_names"][0].get<string>();
  return std::any_of(kUnits.begin(), kUnits.end(),
                     [&](const char* unit) { return same_name(unit, name); });
}

Json text_literal(const Json& unit) {
  return Json{{"class", "CONSTANT"},
              {"type", "VALUE_CONSTANT"},
              {"alias", ""},
              {"query_location", unit["query_location"]},
              {"value",
               {{"type", {{"id", "VARCHAR"}, {"type_info", nullptr}}},
                {"is_null", false},
                {"value", lower(unit["column_names"][0].get<string>())}}}};
}

void respell_function(Json& node) {
  string name = lower(node["function_name"].get<string>());
  if (const auto other = aliases().find(name); other != aliases().end()) name = other->second;
  Json& args = node["children"];
  if ((name == "countif" || name == "count_if") && args.size() == 1 && node["filter"].is_null()) {
    name = "count";
    node["filter"] = args[0];
    args = Json::array();
  } else if (name == "approx_count_distinct" && args.size() == 1) {
    name = "count";
    node["distinct"] = true;
  } else if ((name == "date_add" || name == "date_sub") && args.size() == 2) {
    name = name == "date_add" ? "+" : "-";
  } else if (name == "date_trunc" && args.size() == 2 && is_unit(args[1]) &&
             args[0].value("class", "") != "CONSTANT") {
    args = Json::array({text_literal(args[1]), args[0]});
  } else if (name == "date_diff" && args.size() == 3 && is_unit(args[2]) &&
             args[0].value("class", "") != "CONSTANT") {
    args = Json::array(
        {text_literal(args[2]), args[1], args[0]});  // BigQuery: the first less the second
  } else if (name == "format_date" && args.size() == 2) {
    name = "strftime";
    args = Json::array({args[1], args[0]});
  }
  node["function_name"] = name;
}

}  // namespace

void respell(Json& tree) {
  if (!tree.is_structured()) return;
  for (Json& part : tree) respell(part);
  if (tree.is_object() && tree.value("class", "") == "FUNCTION") respell_function(tree);
}

}  // namespace discreet::sql
