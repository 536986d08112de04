#include "discreet/sql/select_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "discreet/base/try.h"
#include "discreet/policy/names.h"

namespace discreet::sql {

using std::string;

string text_field(const Json& node, const char* field) {
  return node.contains(field) && node[field].is_string() ? node[field].get<string>() : "";
}

std::optional<std::int64_t> position_of(const Json& node) {
  if (node.value("class", "") != "CONSTANT" || !node["value"].contains("value") ||
      !node["value"]["value"].is_number_integer())
    return std::nullopt;
  const string type = node["value"]["type"].value("id", "");
  if (type != "INTEGER" && type != "BIGINT") return std::nullopt;
  return node["value"]["value"].get<std::int64_t>();
}

bool nulls_first(const Json& order) { return text_field(order, "null_order") == "NULLS FIRST"; }

bool is_aggregate_name(const string& name) {
  static const std::set<string> names = {
      "count",           "count_star",      "sum",      "avg",           "mean",
      "var_pop",         "var_samp",        "variance", "stddev",        "stddev_pop",
      "stddev_samp",     "median",          "quantile", "quantile_cont", "quantile_disc",
      "percentile_cont", "percentile_disc", "min",      "max",           "mode"};
  return names.contains(name);
}

bool has_aggregate(const Json& node) {
  if (node.is_array()) return std::any_of(node.begin(), node.end(), has_aggregate);
  if (!node.is_object()) return false;
  if (node.value("class", "") == "FUNCTION" &&
      is_aggregate_name(lower(text_field(node, "function_name"))))
    return true;
  if (node.value("class", "") == "SUBQUERY" || node.value("class", "") == "LIFTED") return false;
  for (const auto& [key, value] : node.items())
    if (value.is_structured() && has_aggregate(value)) return true;
  return false;
}

Result<std::vector<Item>> select_items(const Context& at, const Json& select, const Scope& scope) {
  std::vector<Item> out;
  for (const Json& node : select["select_list"]) {
    if (node.value("class", "") != "STAR") {
      string name = text_field(node, "alias");
      if (name.empty() && node.value("class", "") == "COLUMN_REF")
        name = node["column_names"].back().get<string>();
      if (name.empty() && node.value("class", "") == "FUNCTION") {
        name = text_field(node, "function_name");
        if (name == "count_star") name = "count";
        if (node.value("is_operator", false)) name.clear();
      }
      if (name.empty()) name = fmt::format("col{}", out.size() + 1);
      out.push_back({name, node});
      continue;
    }
    TRY(at.only(node, {"relation_name", "exclude_list"}, "*"));
    auto excluded = node.value("exclude_list", Json::array());
    const string table = text_field(node, "relation_name");
    bool any = false;
    for (const Scope::Name& name : scope.names) {
      if (!table.empty() && !same_name(name.table, table)) continue;
      if (table.empty() && name.qualified_only) continue;
      any = true;
      const auto left_out = std::find_if(excluded.begin(), excluded.end(), [&](const Json& one) {
        return one.is_string() && same_name(one.get<string>(), name.column);
      });
      if (left_out != excluded.end()) {
        excluded.erase(left_out);
        continue;
      }
      out.push_back({name.column, Json{{"class", "COLUMN_REF"},
                                       {"column_names", Json::array({name.table, name.column})},
                                       {"query_location", node["query_location"]},
                                       {"alias", ""}}});
    }
    if (!any) return at.refuse(node, fmt::format("there is no table '{}' in FROM", table));
    if (!excluded.empty())
      return at.refuse(node, fmt::format("EXCLUDE: there is no column {}", excluded[0].dump()));
  }
  return out;
}

Result<std::vector<Json>> group_nodes(const Context& at, const Json& select,
                                      const std::vector<Item>& items, const Scope& scope) {
  std::vector<Json> out;
  const string handling = select.value("aggregate_handling", "STANDARD_HANDLING");
  if (handling == "FORCE_AGGREGATES") {  // GROUP BY ALL
    for (const Item& item : items)
      if (!has_aggregate(item.node)) out.push_back(item.node);
    return out;
  }
  if (handling != "STANDARD_HANDLING")
    return at.refuse(select, "this form of GROUP BY is not understood");
  if (select["group_sets"].size() > 1)
    return at.refuse(select["group_expressions"].empty() ? select : select["group_expressions"][0],
                     "GROUPING SETS, ROLLUP and CUBE are not answered",
                     "ask one query for each grouping");
  for (const Json& node : select["group_expressions"]) {
    if (const auto index = position_of(node)) {
      if (*index < 1 || static_cast<std::size_t>(*index) > items.size())
        return at.refuse(
            node, fmt::format("GROUP BY {}: there are {} columns in SELECT", *index, items.size()));
      out.push_back(items[static_cast<std::size_t>(*index) - 1].node);
      continue;
    }
    if (node.value("class", "") == "COLUMN_REF" && node["column_names"].size() == 1) {
      const string name = node["column_names"][0].get<string>();
      const bool is_column =
          std::any_of(scope.names.begin(), scope.names.end(),
                      [&](const Scope::Name& one) { return same_name(one.column, name); });
      const auto item = std::find_if(items.begin(), items.end(),
                                     [&](const Item& one) { return same_name(one.name, name); });
      if (!is_column && item != items.end()) {
        out.push_back(item->node);
        continue;
      }
    }
    out.push_back(node);
  }
  for (const Json& node : out)
    if (has_aggregate(node)) return at.refuse(node, "an aggregate can't be grouped by");
  return out;
}

}  // namespace discreet::sql
