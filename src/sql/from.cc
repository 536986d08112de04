#include "discreet/sql/from.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/select_list.h"

namespace discreet::sql {

using std::string;

namespace {

// The relation's columns under an alias; the first of them, perhaps, under new names: t(a, b).
Result<Source> named(const Context& at, const Json& node, RelationPtr relation,
                     const string& alias) {
  Source out;
  for (std::size_t i = 0; i < relation->columns.size(); ++i)
    out.scope.names.push_back({alias, relation->columns[i].name, i, false});
  const Json renamed = node.value("column_name_alias", Json::array());
  if (renamed.size() > out.scope.names.size())
    return at.refuse(node, fmt::format("{} has {} columns, {} names are given", alias,
                                       out.scope.names.size(), renamed.size()));
  for (std::size_t i = 0; i < renamed.size(); ++i)
    out.scope.names[i].column = renamed[i].get<string>();
  out.scope.relation = std::move(relation);
  return out;
}

std::vector<Expr> all_columns(const Relation& relation) {
  std::vector<Expr> out;
  for (std::size_t i = 0; i < relation.columns.size(); ++i) out.push_back(expr_of(relation, i));
  return out;
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
    if (!value["key_targets"].empty())
      return at_.refuse(value["query"], fmt::format("WITH {} USING KEY is not understood", name));
    auto relation = query(value["query"]["node"], ctes);
    if (!relation) return forward_error(relation);
    const auto renamed = value["aliases"].get<std::vector<string>>();
    if (!renamed.empty()) {
      std::vector<string> names;
      for (const Column& column : (*relation)->columns) names.push_back(column.name);
      if (renamed.size() > names.size())
        return at_.refuse(value["query"], fmt::format("{} has {} columns, {} names are given", name,
                                                      names.size(), renamed.size()));
      std::copy(renamed.begin(), renamed.end(), names.begin());
      relation = projected(*relation, all_columns(**relation), names);
    }
    ctes.named[lower(name)] = *relation;
  }
  return {};
}

Result<Scope> From::rows(const Json& select, const Ctes& ctes) {
  auto source = TRY(item(select["from_table"], ctes));
  std::optional<Expr> where;
  if (!select["where_clause"].is_null()) {
    if (has_aggregate(select["where_clause"]))
      return at_.refuse(select["where_clause"], "an aggregate can't stand in WHERE",
                        "HAVING filters released groups");
    Json condition = select["where_clause"];
    TRY(lift(condition, source.scope, ctes));
    Binder binder(at_, source.scope);
    auto bound = TRY(binder.condition(condition));
    where = std::move(bound);
  }
  for (const Pending& pending : source.pending)
    if (!where || !joins_owners(*where, source.scope.relation->columns, pending))
      return unowned(pending.node);
  Scope scope = std::move(source.scope);
  if (where) scope.relation = filtered(scope.relation, std::move(*where));
  return scope;
}

Result<Source> From::item(const Json& node, const Ctes& ctes) {
  const string type = node.value("type", "");
  if (type == "BASE_TABLE") return base_table(node, ctes);
  if (type == "JOIN") return join(node, ctes);
  if (type == "SUBQUERY") {
    TRY(at_.only(node, {"subquery", "column_name_alias"}, "a subquery"));
    auto relation = TRY(query(node["subquery"]["node"], ctes));
    return named(at_, node, relation, text_field(node, "alias"));
  }
  if (type == "EMPTY") {
    auto one = std::make_shared<Relation>();
    one->kind = Relation::Kind::kOne;
    return Source{{one, {}, {}}, {}};
  }
  if (type == "TABLE_FUNCTION")
    return at_.refuse(node["function"], "table functions (read_csv, range, pragma_…) are refused",
                      "ask about the policy's tables");
  if (type == "EXPRESSION_LIST") return values(node);
  return at_.refuse(node, fmt::format("{} in FROM is not understood", type));
}

Result<Source> From::base_table(const Json& node, const Ctes& ctes) {
  TRY(at_.only(node, {"table_name", "schema_name", "catalog_name", "column_name_alias"},
               "a table"));
  const string name = text_field(node, "table_name");
  const string alias = text_field(node, "alias").empty() ? name : text_field(node, "alias");
  std::vector<string> names;
  for (const Table& table : catalog_.tables) names.push_back(table.rule.name);
  const string schema = text_field(node, "schema_name");
  if ((!schema.empty() && !same_name(schema, "main")) || !text_field(node, "catalog_name").empty())
    return at_.refuse(node, "tables of other schemas, system catalogs among them, don't exist here",
                      did_you_mean(name, names));
  if (auto cte = ctes.find(name); cte && schema.empty()) return named(at_, node, cte, alias);
  const Table* table = catalog_.table(name);
  if (!table)
    return at_.refuse(node, fmt::format("the policy has no table '{}'", name),
                      did_you_mean(name, names));
  return named(at_, node, rows_of(catalog_, *table), alias);
}

// VALUES (…), (…): a small public table whose values stand in the query.
Result<Source> From::values(const Json& node) {
  constexpr std::size_t kMostRows = 1000;
  const Json& rows = node["values"];
  if (rows.size() > kMostRows)
    return at_.refuse(rows[0][0], fmt::format("VALUES has more than {} rows", kMostRows),
                      "the owner can add a public table to the policy");
  std::vector<std::vector<Expr>> exprs;
  for (const Json& row : rows) {
    exprs.emplace_back();
    for (const Json& one : row) {
      const Scope nothing;
      auto value = TRY(Binder(at_, nothing).bind(one));
      if (value.op != Op::kLiteral) return at_.refuse(one, "VALUES takes literals");
      exprs.back().push_back(std::move(value));
    }
    if (exprs.back().size() != exprs[0].size())
      return at_.refuse(row[0], "the rows of VALUES are of different lengths");
  }
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kUnion;
  for (std::size_t i = 0; i < exprs[0].size(); ++i) {
    std::vector<Expr*> column;
    for (std::vector<Expr>& row : exprs) column.push_back(&row[i]);
    Type type = Type::kText;
    if (!unify(column, type))
      return at_.refuse(rows[0][i], "the values of a column are not all of one type");
    Column about;
    about.name = fmt::format("col{}", i);
    about.type = type;
    about.domain.emplace();
    bool bounded = true;
    for (Expr* one : column) {
      if (type == Type::kDouble && !one->literal.null)
        *one = literal(Value::number(one->literal.as_number()));
      if (one->literal.null) continue;
      bounded &= one->range.has_value();
      if (one->range) about.range = about.range ? hull(*about.range, *one->range) : *one->range;
      if (std::find(about.domain->begin(), about.domain->end(), one->literal) ==
          about.domain->end())
        about.domain->push_back(one->literal);
    }
    if (!bounded) about.range.reset();
    if (about.domain->empty()) about.domain.reset();  // only NULL: nothing is known of it
    out->columns.push_back(std::move(about));
  }
  std::vector<string> names;
  for (const Column& column : out->columns) names.push_back(column.name);
  auto one = std::make_shared<Relation>();
  one->kind = Relation::Kind::kOne;
  // An engine nests the sides of UNION ALL, and no deeper than 1000: many rows are a union of
  // unions.
  constexpr std::size_t kRowsAUnion = 100;
  std::vector<std::shared_ptr<Relation>> unions;
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    if (i % kRowsAUnion == 0) unions.push_back(std::make_shared<Relation>(*out));
    unions.back()->inputs.push_back(projected(one, std::move(exprs[i]), names));
  }
  if (unions.size() == 1) return named(at_, node, unions[0], text_field(node, "alias"));
  out->inputs.assign(unions.begin(), unions.end());
  return named(at_, node, out, text_field(node, "alias"));
}

Result<RelationPtr> From::query(const Json& node, const Ctes& outer) {
  const Deeper deeper(depth_);
  if (depth_ > kDeepest) return at_.refuse(node, "the queries are nested too deeply");
  Ctes ctes{&outer, {}};
  TRY(with(node, ctes));
  const string type = node.value("type", "");
  if (type == "SELECT_NODE") return select(node, ctes);
  if (type == "SET_OPERATION_NODE") return set_operation(node, ctes);
  return at_.refuse(node, type == "RECURSIVE_CTE_NODE" ? "recursive queries are refused"
                                                       : "this query is not understood");
}

Result<RelationPtr> From::select(Json node, const Ctes& ctes) {
  TRY(at_.only(node,
               {"modifiers", "cte_map", "select_list", "from_table", "where_clause",
                "group_expressions", "group_sets", "aggregate_handling", "having"},
               "a query"));
  auto scope = TRY(rows(node, ctes));
  for (const char* place : {"select_list", "group_expressions", "having"})
    TRY(lift(node[place], scope, ctes));
  if (!node["group_expressions"].empty() ||
      node.value("aggregate_handling", "") == "FORCE_AGGREGATES" ||
      has_aggregate(node["select_list"]) || !node["having"].is_null())
    return grouped(node, scope);
  auto items = TRY(select_items(at_, node, scope));
  const std::size_t shown = items.size();
  std::vector<Sort> sort;
  if (!scope.relation->is_private) {
    auto places = TRY(sorting(node, items));
    sort = std::move(places);
  }
  std::vector<Expr> exprs;
  std::vector<string> names;
  Binder binder(at_, scope);
  for (const Item& item : items) {
    auto expr = TRY(binder.bind(item.node));
    exprs.push_back(std::move(expr));
    names.push_back(item.name);
  }
  RelationPtr out = projected(scope.relation, std::move(exprs), names);
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
    if (out->columns.size() != shown)
      return at_.refuse(items.back().node, "SELECT DISTINCT is ordered by what it shows",
                        "add the expression to the SELECT list");
    out = distinct(std::move(out));
  }
  return limited(node, std::move(out), std::move(sort), shown);
}

}  // namespace discreet::sql
