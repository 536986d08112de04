#include "discreet/service/stored.h"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace discreet::service {

using Json = nlohmann::json;
using std::string;

namespace {

// The types of a stored answer's cells, a letter each.
constexpr std::pair<policy::Type, char> kLetters[] = {
    {policy::Type::kBool, 'b'}, {policy::Type::kInt, 'i'},  {policy::Type::kDouble, 'd'},
    {policy::Type::kText, 't'}, {policy::Type::kDate, 'D'}, {policy::Type::kTimestamp, 'T'}};

// What policy::json_number writes, read back.
std::optional<double> number_of(const Json& json) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (json.is_number()) return json.get<double>();
  if (json == "inf") return kInfinity;
  if (json == "-inf") return -kInfinity;
  return json.is_null() ? std::optional(std::numeric_limits<double>::quiet_NaN()) : std::nullopt;
}

std::optional<policy::Value> value_of(const Json& json, policy::Type type) {
  if (json.is_null()) return policy::Value::none(type);
  switch (type) {
    case policy::Type::kBool:
      return json.is_boolean() ? std::optional(policy::Value::boolean(json.get<bool>()))
                               : std::nullopt;
    case policy::Type::kInt:
      if (!json.is_number_integer() || (json.is_number_unsigned() && json > INT64_MAX))
        return std::nullopt;
      return policy::Value::integer(json.get<std::int64_t>());
    case policy::Type::kDouble:
      if (const auto number = number_of(json)) return policy::Value::number(*number);
      return std::nullopt;
    case policy::Type::kText:
    case policy::Type::kDate:
    case policy::Type::kTimestamp:
      return json.is_string() ? policy::Value::read(json.get<string>(), type) : std::nullopt;
  }
  return std::nullopt;
}

using State = plan::LeftOut::State;
constexpr std::pair<State, const char*> kStates[] = {{State::kNothing, "nothing can be left out"},
                                                     {State::kNotMeasured, "not measured"},
                                                     {State::kMeasured, "measured"}};

nlohmann::ordered_json share_json(const plan::Share& share) {
  return {{"share", share.share}, {"lower", share.lower}, {"upper", share.upper}};
}

nlohmann::ordered_json left_out_json(const plan::LeftOut& one) {
  nlohmann::ordered_json out;
  for (const auto& [state, name] : kStates)
    if (state == one.state) out["state"] = name;
  const bool known = one.state != State::kNotMeasured;
  out["rows"] = known ? share_json(one.rows) : nlohmann::ordered_json();
  out["units"] = known ? share_json(one.units) : nlohmann::ordered_json();
  out["clamped"] = one.clamped ? share_json(*one.clamped) : nlohmann::ordered_json();
  if (one.enough) out["max_rows_for_99_percent"] = *one.enough;
  if (one.groups_from) out["groups_surely_shown_from"] = *one.groups_from;
  if (one.guessed) out["max_rows_is_a_guess"] = true;
  return out;
}

std::optional<plan::LeftOut> left_out_of(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  plan::LeftOut out;
  for (const auto& [state, name] : kStates)
    if (json.value("state", "") == name) out.state = state;
  const auto share = [&](const char* name) -> std::optional<plan::Share> {
    const Json one = json.value(name, Json());
    if (!one.is_object()) return std::nullopt;
    return plan::Share{one.value("share", 0.0), one.value("lower", 0.0), one.value("upper", 0.0)};
  };
  out.rows = share("rows").value_or(plan::Share{});
  out.units = share("units").value_or(plan::Share{});
  out.clamped = share("clamped");
  const auto whole = [&](const char* name) -> std::optional<std::int64_t> {
    const Json one = json.value(name, Json());
    return one.is_number_integer() ? std::optional(one.get<std::int64_t>()) : std::nullopt;
  };
  out.enough = whole("max_rows_for_99_percent");
  out.groups_from = whole("groups_surely_shown_from");
  const Json guessed = json.value("max_rows_is_a_guess", Json());
  out.guessed = guessed.is_boolean() && guessed.get<bool>();
  return out;
}

}  // namespace

string answer_json(const plan::Answer& answer) {
  string columns, rows, intervals;
  for (const string& column : answer.columns)
    columns += (columns.empty() ? "" : ",") + policy::json_text(column);
  for (const auto& row : answer.rows) {
    string values, ranges;
    for (const plan::Cell& cell : row) {
      values += (values.empty() ? "" : ",") + cell.value.json();
      ranges += (ranges.empty() ? "" : ",") +
                (cell.interval && !cell.value.null
                     ? fmt::format("[{},{}]", policy::json_number(cell.interval->first),
                                   policy::json_number(cell.interval->second))
                     : "null");
    }
    rows += fmt::format("{}[{}]", rows.empty() ? "" : ",", values);
    intervals += fmt::format("{}[{}]", intervals.empty() ? "" : ",", ranges);
  }
  return fmt::format(
      "{{\"columns\":[{}],\"rows\":[{}],\"intervals\":[{}]{}}}", columns, rows, intervals,
      answer.left_out ? ",\"left_out\":" + left_out_json(*answer.left_out).dump() : "");
}

string stored_json(const plan::Answer& answer, const plan::Profile& profile) {
  string out = answer_json(answer), types;
  out.pop_back();  // the closing brace
  for (const auto& row : answer.rows) {
    types += types.empty() ? "\"" : ",\"";
    for (const plan::Cell& cell : row)
      for (const auto& [type, letter] : kLetters)
        if (cell.value.type == type) types += letter;
    types += "\"";
  }
  return fmt::format("{},\"types\":[{}],\"profile\":{}}}", out, types, profile.json());
}

Result<plan::Profile> read_profile(const string& stored) {
  const Json json = Json::parse(stored, nullptr, false);
  if (!json.is_object() || !json.contains("profile")) return plan::Profile();
  return plan::Profile::read(json["profile"].dump());
}

Result<plan::Answer> read_answer(const string& stored, const plan::Plan& plan) {
  const auto broken = [] {
    return fail(Code::kFailure, "the recorded answer can't be read",
                "asking without " + named("reuse") + " spends budget on a new one");
  };
  const Json json = Json::parse(stored, nullptr, false);
  if (!json.is_object() || plan.parts.empty()) return broken();
  const Json rows = json.value("rows", Json()), intervals = json.value("intervals", Json()),
             types = json.value("types", Json::array());
  if (!rows.is_array() || !intervals.is_array() || !types.is_array() ||
      intervals.size() != rows.size())
    return broken();
  plan::Answer out;
  if (json.contains("left_out")) out.left_out = left_out_of(json["left_out"]);
  const auto& outputs = plan.parts[0].select.outputs;
  for (const sql::Output& output : outputs) {
    out.columns.push_back(output.name);
    out.types.push_back(output.expr.type);
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r].is_array() || rows[r].size() != outputs.size() || !intervals[r].is_array() ||
        intervals[r].size() != outputs.size())
      return broken();
    const string letters = r < types.size() && types[r].is_string() ? types[r].get<string>() : "";
    out.rows.emplace_back();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      policy::Type type = out.types[i];
      for (const auto& [known, letter] : kLetters)
        if (i < letters.size() && letters[i] == letter) type = known;
      auto value = value_of(rows[r][i], type);
      if (!value) return broken();
      plan::Cell cell{std::move(*value), {}};
      if (const Json& range = intervals[r][i]; range.is_array() && range.size() == 2) {
        const auto low = number_of(range[0]), high = number_of(range[1]);
        if (!low || !high) return broken();
        cell.interval = std::pair{*low, *high};
      }
      out.rows.back().push_back(std::move(cell));
    }
  }
  return out;
}

}  // namespace discreet::service
