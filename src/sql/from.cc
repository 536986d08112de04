#include "discreet/sql/from.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/suggest.h"
#include "discreet/sql/names.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/select_list.h"

namespace discreet::sql {

using std::string;

namespace {

Scope named(RelationPtr relation, const string& alias) {
  Scope scope;
  for (std::size_t i = 0; i < relation->columns.size(); ++i)
    scope.names.push_back({alias, relation->columns[i].name, i, false});
  scope.relation = std::move(relation);
  return scope;
}

}  // namespace

RelationPtr Ctes::find(const string& name) const {
  const auto found = named.find(lower(name));
  if (found != named.end()) return found->second;
  return outer ? outer->find(name) : nullptr;
}

Status From::with(const Json& node, Ctes& ctes) {
  if (!node.contains("cte_map")) return {};
  for (const Json& entry : node["cte_map"]["map"]) {
    const string name = entry["key"].get<string>();
    const Json& value = entry["value"];
    if (!value["aliases"].empty() || !value["key_targets"].empty())
      return at_.refuse(value["query"],
                        fmt::format("WITH {}: column lists are not understood", name),
                        "name the columns with AS inside");
    auto relation = query(value["query"]["node"], ctes);
    if (!relation) return forward_error(relation);
    ctes.named[lower(name)] = *relation;
  }
  return {};
}

Result<Scope> From::rows(const Json& select, const Ctes& ctes) {
  auto source = item(select["from_table"], ctes);
  if (!source) return forward_error(source);
  std::optional<Expr> where;
  if (!select["where_clause"].is_null()) {
    if (has_aggregate(select["where_clause"]))
      return at_.refuse(select["where_clause"], "an aggregate can't stand in WHERE",
                        "HAVING filters released groups");
    Binder binder(text_, source->scope);
    auto bound = binder.condition(select["where_clause"]);
    if (!bound) return forward_error(bound);
    where = std::move(*bound);
  }
  for (const Pending& pending : source->pending)
    if (!where || !joins_owners(*where, source->scope.relation->columns, pending))
      return at_.refuse(
          pending.node,
          fmt::format("two private tables are joined, but not on the {}'s key or a declared link",
                      catalog_.unit),
          "add ON left.KEY = right.KEY, so that every joined row has one owner");
  Scope scope = std::move(source->scope);
  if (where) scope.relation = filtered(scope.relation, std::move(*where));
  return scope;
}

Result<Source> From::item(const Json& node, const Ctes& ctes) {
  const string type = node.value("type", "");
  if (type == "BASE_TABLE") return base_table(node, ctes);
  if (type == "JOIN") return join(node, ctes);
  if (type == "SUBQUERY") {
    if (auto ok = at_.only(node, {"subquery"}, "a subquery"); !ok) return forward_error(ok);
    auto relation = query(node["subquery"]["node"], ctes);
    if (!relation) return forward_error(relation);
    return Source{named(*relation, text_field(node, "alias")), {}};
  }
  if (type == "EMPTY") return at_.refuse(node, "there is no FROM: nothing is asked about");
  if (type == "TABLE_FUNCTION")
    return at_.refuse(node["function"], "table functions (read_csv, range, pragma_…) are refused",
                      "ask about the policy's tables");
  if (type == "EXPRESSION_LIST")
    return at_.refuse(node, "VALUES lists are not answered", "ask about the policy's tables");
  return at_.refuse(node, fmt::format("{} in FROM is not understood", type));
}

Result<Source> From::base_table(const Json& node, const Ctes& ctes) {
  if (auto ok = at_.only(node, {"table_name", "schema_name", "catalog_name"}, "a table"); !ok)
    return forward_error(ok);
  const string name = text_field(node, "table_name");
  const string alias = text_field(node, "alias").empty() ? name : text_field(node, "alias");
  std::vector<string> names;
  for (const Table& table : catalog_.tables) names.push_back(table.rule.name);
  if (!text_field(node, "schema_name").empty() || !text_field(node, "catalog_name").empty())
    return at_.refuse(node, "tables of other schemas, system catalogs among them, don't exist here",
                      did_you_mean(name, names));
  if (auto cte = ctes.find(name)) return Source{named(cte, alias), {}};
  const Table* table = catalog_.table(name);
  if (!table)
    return at_.refuse(node, fmt::format("the policy has no table '{}'", name),
                      did_you_mean(name, names));
  return Source{named(rows_of(catalog_, *table), alias), {}};
}

Result<RelationPtr> From::query(const Json& node, const Ctes& outer) {
  if (++depth_ > kDeepest) return at_.refuse(node, "the queries are nested too deeply");
  Ctes ctes{&outer, {}};
  if (auto ok = with(node, ctes); !ok) return forward_error(ok);
  for (const Json& modifier : node.contains("modifiers") ? node["modifiers"] : Json::array()) {
    const string type = modifier.value("type", "");
    if (type == "LIMIT_MODIFIER" || type == "LIMIT_PERCENT_MODIFIER")
      return at_.refuse(node, "LIMIT in a subquery would choose among people's rows",
                        "LIMIT the outermost query: it then chooses among released rows");
    if (type != "ORDER_MODIFIER" && type != "DISTINCT_MODIFIER")
      return at_.refuse(node, fmt::format("{} in a subquery is not understood", type));
  }
  const string type = node.value("type", "");
  Result<RelationPtr> out =
      type == "SELECT_NODE" ? select(node, ctes)
      : type == "SET_OPERATION_NODE"
          ? union_all(node, ctes)
          : at_.refuse(node, type == "RECURSIVE_CTE_NODE" ? "recursive queries are refused"
                                                          : "this query is not understood");
  --depth_;
  return out;
}

Result<RelationPtr> From::select(const Json& node, const Ctes& ctes) {
  if (auto ok = at_.only(node,
                         {"modifiers", "cte_map", "select_list", "from_table", "where_clause",
                          "group_expressions", "group_sets", "aggregate_handling", "having"},
                         "a query");
      !ok)
    return forward_error(ok);
  auto scope = rows(node, ctes);
  if (!scope) return forward_error(scope);
  if (!node["group_expressions"].empty() ||
      node.value("aggregate_handling", "") == "FORCE_AGGREGATES" ||
      has_aggregate(node["select_list"]) || !node["having"].is_null())
    return grouped(node, *scope);
  auto items = select_items(at_, node, *scope);
  if (!items) return forward_error(items);
  std::vector<Expr> exprs;
  std::vector<string> names;
  Binder binder(text_, *scope);
  for (const Item& item : *items) {
    auto expr = binder.bind(item.node);
    if (!expr) return forward_error(expr);
    exprs.push_back(std::move(*expr));
    names.push_back(item.name);
  }
  RelationPtr out = projected(scope->relation, std::move(exprs), names);
  for (const Json& modifier : node["modifiers"]) {
    if (modifier.value("type", "") != "DISTINCT_MODIFIER") continue;
    if (modifier.contains("distinct_on_targets") && !modifier["distinct_on_targets"].empty())
      return at_.refuse(node["select_list"][0], "DISTINCT ON is not understood");
    if (out->is_private && std::none_of(out->columns.begin(), out->columns.end(),
                                        [](const Column& column) { return column.is_key; }))
      return at_.refuse(node["select_list"][0],
                        fmt::format("DISTINCT in a subquery merges rows of different people unless "
                                    "it contains the {}'s key",
                                    catalog_.unit),
                        "add the key column to the SELECT list");
    out = distinct(std::move(out));
  }
  return out;
}

}  // namespace discreet::sql
