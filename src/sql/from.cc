#include "discreet/sql/from.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <set>

#include "discreet/base/suggest.h"

namespace discreet::sql {

using std::string;

namespace {

constexpr int kDeepest = 50;  // nested queries

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() && strncasecmp(a.data(), b.data(), a.size()) == 0;
}

string known_after(const Json& node, const char* field) {
  return node.contains(field) && node[field].is_string() ? node[field].get<string>() : "";
}

Scope named(RelationPtr relation, const string& alias) {
  Scope scope;
  for (std::size_t i = 0; i < relation->columns.size(); ++i)
    scope.names.push_back({alias, relation->columns[i].name, i, false});
  scope.relation = std::move(relation);
  return scope;
}

Column column_of(const Expr& expr, const Relation& input, string name) {
  Column out;
  out.name = std::move(name);
  out.type = expr.type;
  out.range = expr.range;
  out.domain = expr.domain;
  out.nonnegative = expr.nonnegative;
  out.is_key = expr.is_key;
  out.uses_key = expr.uses_key;
  out.hidden = expr.uses_hidden;
  if (expr.op == Op::kColumn) out.origin = input.columns[expr.column].origin;
  return out;
}

}  // namespace

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
      is_aggregate_name(lower(known_after(node, "function_name"))))
    return true;
  if (node.value("class", "") == "SUBQUERY") return false;
  for (const auto& [key, value] : node.items())
    if (value.is_structured() && has_aggregate(value)) return true;
  return false;
}

RelationPtr filtered(RelationPtr input, Expr condition) {
  auto out = std::make_shared<Relation>(*input);
  out->kind = Relation::Kind::kFilter;
  out->inputs = {std::move(input)};
  out->condition = std::move(condition);
  out->exprs.clear();
  out->folds.clear();
  return out;
}

RelationPtr projected(RelationPtr input, std::vector<Expr> exprs,
                      const std::vector<string>& names) {
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kProject;
  for (std::size_t i = 0; i < exprs.size(); ++i)
    out->columns.push_back(column_of(exprs[i], *input, names[i]));
  out->is_private = input->is_private;
  out->has_unit = input->has_unit;
  out->unit_type = input->unit_type;
  out->rows_per_unit = input->rows_per_unit;
  out->rows_proved = input->rows_proved;
  out->inputs = {std::move(input)};
  out->exprs = std::move(exprs);
  return out;
}

RelationPtr Ctes::find(const string& name) const {
  const auto found = named.find(lower(name));
  if (found != named.end()) return found->second;
  return outer ? outer->find(name) : nullptr;
}

Result<std::vector<Item>> select_items(const Pointer& at, const Json& select, const Scope& scope) {
  std::vector<Item> out;
  for (const Json& node : select["select_list"]) {
    if (node.value("class", "") != "STAR") {
      string name = known_after(node, "alias");
      if (name.empty() && node.value("class", "") == "COLUMN_REF")
        name = node["column_names"].back().get<string>();
      if (name.empty() && node.value("class", "") == "FUNCTION") {
        name = known_after(node, "function_name");
        if (name == "count_star") name = "count";
        if (node.value("is_operator", false)) name.clear();
      }
      if (name.empty()) name = fmt::format("col{}", out.size() + 1);
      out.push_back({name, node});
      continue;
    }
    if (auto ok = at.only(node, {"relation_name"}, "*"); !ok) return forward_error(ok);
    const string table = known_after(node, "relation_name");
    bool any = false;
    for (const Scope::Name& name : scope.names) {
      if (!table.empty() && !same_name(name.table, table)) continue;
      if (table.empty() && name.qualified_only) continue;
      any = true;
      out.push_back({name.column, Json{{"class", "COLUMN_REF"},
                                       {"column_names", Json::array({name.table, name.column})},
                                       {"query_location", node["query_location"]},
                                       {"alias", ""}}});
    }
    if (!any) return at.refuse(node, fmt::format("there is no table '{}' in FROM", table));
  }
  return out;
}

Result<std::vector<Json>> group_nodes(const Pointer& at, const Json& select,
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
    if (node.value("class", "") == "CONSTANT" &&
        node["value"]["type"].value("id", "") == "INTEGER") {
      const auto index = node["value"]["value"].get<std::int64_t>();
      if (index < 1 || static_cast<std::size_t>(index) > items.size())
        return at.refuse(
            node, fmt::format("GROUP BY {}: there are {} columns in SELECT", index, items.size()));
      out.push_back(items[static_cast<std::size_t>(index) - 1].node);
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
    return Source{named(*relation, known_after(node, "alias")), {}};
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
  const string name = known_after(node, "table_name");
  const string alias = known_after(node, "alias").empty() ? name : known_after(node, "alias");
  std::vector<string> names;
  for (const Table& table : catalog_.tables) names.push_back(table.rule.name);
  if (!known_after(node, "schema_name").empty() || !known_after(node, "catalog_name").empty())
    return at_.refuse(node, "tables of other schemas, system catalogs among them, don't exist here",
                      did_you_mean(name, names));
  if (auto cte = ctes.find(name)) return Source{named(cte, alias), {}};
  const Table* table = catalog_.table(name);
  if (!table)
    return at_.refuse(node, fmt::format("the policy has no table '{}'", name),
                      did_you_mean(name, names));
  return Source{named(rows_of(catalog_, *table), alias), {}};
}

bool From::joins_owners(const Expr& condition, const std::vector<Column>& columns,
                        const Pending& pending) const {
  if (condition.op == Op::kAnd)
    return std::any_of(condition.args.begin(), condition.args.end(),
                       [&](const Expr& part) { return joins_owners(part, columns, pending); });
  if (condition.op != Op::kEqual || condition.args[0].op != Op::kColumn ||
      condition.args[1].op != Op::kColumn)
    return false;
  std::size_t a = condition.args[0].column, b = condition.args[1].column;
  if (a > b) std::swap(a, b);
  if (a < pending.left || a >= pending.middle || b < pending.middle || b >= pending.right)
    return false;
  if (columns[a].is_key && columns[b].is_key) return true;
  for (const Table& table : catalog_.tables) {
    if (!table.rule.link) continue;
    const string from = table.rule.name + "." + table.rule.link->column,
                 to = table.rule.link->table + "." + table.rule.link->target;
    if ((same_name(columns[a].origin, from) && same_name(columns[b].origin, to)) ||
        (same_name(columns[a].origin, to) && same_name(columns[b].origin, from)))
      return true;
  }
  return false;
}

Result<Source> From::join(const Json& node, const Ctes& ctes) {
  if (auto ok = at_.only(
          node, {"left", "right", "condition", "join_type", "ref_type", "using_columns"}, "a join");
      !ok)
    return forward_error(ok);
  if (++depth_ > kDeepest) return at_.refuse(node, "the joins are nested too deeply");
  auto left = item(node["left"], ctes);
  if (!left) return left;
  auto right = item(node["right"], ctes);
  if (!right) return right;
  --depth_;
  const Relation& l = *left->scope.relation;
  const Relation& r = *right->scope.relation;
  const std::size_t middle = l.columns.size();
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kJoin;
  out->columns = l.columns;
  out->columns.insert(out->columns.end(), r.columns.begin(), r.columns.end());
  const string kind = node.value("join_type", ""), ref = node.value("ref_type", "");
  if (kind == "INNER") {
    out->join = JoinKind::kInner;
  } else if (kind == "LEFT") {
    out->join = JoinKind::kLeft;
  } else if (kind == "RIGHT") {
    out->join = JoinKind::kRight;
  } else if (kind == "OUTER" || kind == "FULL") {
    out->join = JoinKind::kFull;
  } else {
    return at_.refuse(node, fmt::format("a {} join is not understood", kind),
                      "INNER, LEFT, RIGHT and FULL joins are");
  }
  if (ref != "REGULAR" && ref != "CROSS" && ref != "NATURAL")
    return at_.refuse(node, fmt::format("a {} join is not understood", ref));
  if (l.is_private != r.is_private) {
    const bool keeps_left = out->join == JoinKind::kLeft || out->join == JoinKind::kFull;
    const bool keeps_right = out->join == JoinKind::kRight || out->join == JoinKind::kFull;
    if ((keeps_left && !l.is_private) || (keeps_right && !r.is_private))
      return at_.refuse(
          node, "an outer join that keeps rows of the public side makes rows without an owner",
          "use an inner join, or keep the private side");
  }
  // Columns of a side that may be missing are no longer the key.
  for (std::size_t i = 0; i < out->columns.size(); ++i)
    if ((i < middle && (out->join == JoinKind::kRight || out->join == JoinKind::kFull)) ||
        (i >= middle && (out->join == JoinKind::kLeft || out->join == JoinKind::kFull)))
      out->columns[i].is_key = false;
  Source source;
  source.scope.names = left->scope.names;
  for (Scope::Name name : right->scope.names) {
    name.index += middle;
    source.scope.names.push_back(name);
  }
  source.pending = left->pending;
  for (Pending pending : right->pending) {
    pending.left += middle;
    pending.middle += middle;
    pending.right += middle;
    source.pending.push_back(pending);
  }
  out->inputs = {left->scope.relation, right->scope.relation};
  out->is_private = l.is_private || r.is_private;
  out->has_unit = l.has_unit || r.has_unit;
  out->unit_type = l.has_unit ? l.unit_type : r.unit_type;
  if (l.has_unit && r.has_unit && l.unit_type != r.unit_type)
    return at_.refuse(node,
                      fmt::format("the two tables' {} keys are of different types", catalog_.unit),
                      "the policy's owner can give both the same type: columns.KEY = { type = … }");
  // USING and NATURAL: equal names, the left one stands for both.
  std::vector<string> shared;
  if (ref == "NATURAL") {
    for (const Scope::Name& a : left->scope.names)
      for (const Scope::Name& b : right->scope.names)
        if (same_name(a.column, b.column) && !a.qualified_only && !b.qualified_only)
          shared.push_back(a.column);
    if (shared.empty()) return at_.refuse(node, "a NATURAL join finds no common column");
  } else {
    shared = node["using_columns"].get<std::vector<string>>();
  }
  source.scope.relation = out;
  std::vector<Expr> conditions;
  if (!shared.empty() && out->join == JoinKind::kFull)
    return at_.refuse(node, "a FULL join with USING is not understood", "write ON");
  for (const string& name : shared) {
    const auto find = [&](bool of_left) {
      std::size_t count = 0, at = 0;
      for (std::size_t i = 0; i < source.scope.names.size(); ++i) {
        const Scope::Name& one = source.scope.names[i];
        if ((one.index < middle) != of_left || one.qualified_only || !same_name(one.column, name))
          continue;
        ++count;
        at = i;
      }
      return count == 1 ? std::optional(at) : std::nullopt;
    };
    const auto a = find(true), b = find(false);
    if (!a || !b)
      return at_.refuse(node,
                        fmt::format("USING ({}): the column must be once on each side", name));
    const std::size_t ca = source.scope.names[*a].index, cb = source.scope.names[*b].index;
    if (out->columns[ca].type != out->columns[cb].type &&
        !(is_number(out->columns[ca].type) && is_number(out->columns[cb].type)))
      return at_.refuse(node,
                        fmt::format("USING ({}): the two columns are of different types", name));
    conditions.push_back(
        call(Op::kEqual, Type::kBool,
             {column(ca, out->columns[ca].type), column(cb, out->columns[cb].type)}));
    source.scope.names[out->join == JoinKind::kRight ? *a : *b].qualified_only = true;
  }
  if (!node["condition"].is_null()) {
    Binder binder(text_, source.scope);
    auto bound = binder.condition(node["condition"]);
    if (!bound) return forward_error(bound);
    conditions.push_back(std::move(*bound));
  }
  if (!conditions.empty())
    out->condition =
        conditions.size() == 1 ? conditions[0] : call(Op::kAnd, Type::kBool, conditions);
  if (l.is_private && r.is_private) {
    const Pending pending{0, middle, out->columns.size(), node};
    // The owners are compared with the key columns as they were before the join could leave them
    // out.
    std::vector<Column> before = l.columns;
    before.insert(before.end(), r.columns.begin(), r.columns.end());
    if (!out->condition || !joins_owners(*out->condition, before, pending)) {
      if (out->join != JoinKind::kInner)
        return at_.refuse(
            node,
            fmt::format("two private tables are joined, but not on the {}'s key or a declared link",
                        catalog_.unit),
            "add ON left.KEY = right.KEY");
      source.pending.push_back(pending);
    }
  }
  return source;
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

Result<RelationPtr> From::union_all(const Json& node, const Ctes& ctes) {
  if (auto ok = at_.only(node, {"modifiers", "cte_map", "setop_type", "setop_all", "left", "right"},
                         "a set operation");
      !ok)
    return forward_error(ok);
  if (node.value("setop_type", "") != "UNION" || !node.value("setop_all", false))
    return at_.refuse(node["left"], "UNION, EXCEPT and INTERSECT compare different people's rows",
                      "UNION ALL is answered");
  auto left = query(node["left"], ctes);
  if (!left) return left;
  auto right = query(node["right"], ctes);
  if (!right) return right;
  if ((*left)->columns.size() != (*right)->columns.size())
    return at_.refuse(node["left"], fmt::format("UNION ALL of {} and {} columns",
                                                (*left)->columns.size(), (*right)->columns.size()));
  if ((*left)->is_private != (*right)->is_private)
    return at_.refuse(node["left"],
                      "UNION ALL of private and public rows: the public ones have no owner");
  if ((*left)->is_private && (*left)->unit_type != (*right)->unit_type)
    return at_.refuse(node["left"],
                      fmt::format("the two sides' {} keys are of different types", catalog_.unit));
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kUnion;
  out->inputs = {*left, *right};
  out->is_private = (*left)->is_private;
  out->has_unit = (*left)->has_unit;
  out->unit_type = (*left)->unit_type;
  std::vector<Expr> casts[2];
  bool cast = false;
  for (std::size_t i = 0; i < (*left)->columns.size(); ++i) {
    Column a = (*left)->columns[i];
    const Column& b = (*right)->columns[i];
    for (int side = 0; side < 2; ++side)
      casts[side].push_back(column(i, side == 0 ? a.type : b.type));
    if (a.type != b.type) {
      if (!is_number(a.type) || !is_number(b.type))
        return at_.refuse(node["left"],
                          fmt::format("UNION ALL: the columns '{}' and '{}' are of different types",
                                      a.name, b.name));
      casts[a.type == Type::kInt ? 0 : 1][i] =
          call(Op::kCast, Type::kDouble, {column(i, Type::kInt)});
      a.type = Type::kDouble;
      cast = true;
    }
    a.range = a.range && b.range ? std::optional(hull(*a.range, *b.range)) : std::nullopt;
    if (a.domain && b.domain) {
      for (const Value& value : *b.domain)
        if (std::find(a.domain->begin(), a.domain->end(), value) == a.domain->end())
          a.domain->push_back(value);
    } else {
      a.domain.reset();
    }
    a.is_key &= b.is_key;
    a.uses_key |= b.uses_key;
    a.hidden |= b.hidden;
    if (!same_name(a.origin, b.origin)) a.origin.clear();
    out->columns.push_back(a);
  }
  if (cast)
    for (int side = 0; side < 2; ++side) {
      std::vector<string> names;
      for (const Column& column : out->columns) names.push_back(column.name);
      out->inputs[static_cast<std::size_t>(side)] =
          projected(out->inputs[static_cast<std::size_t>(side)], casts[side], names);
    }
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
    auto fold = std::make_shared<Relation>();
    fold->kind = Relation::Kind::kFold;
    fold->columns = out->columns;
    for (std::size_t i = 0; i < out->columns.size(); ++i) {
      fold->exprs.push_back(column(i, out->columns[i].type));
    }
    fold->is_private = out->is_private;
    fold->has_unit = out->has_unit;
    fold->unit_type = out->unit_type;
    fold->inputs = {out};
    out = fold;
  }
  return out;
}

// GROUP BY inside a query: exact, but only ever within one unit (or over public tables).
Result<RelationPtr> From::grouped(const Json& node, const Scope& scope) {
  auto items = select_items(at_, node, scope);
  if (!items) return forward_error(items);
  auto groups = group_nodes(at_, node, *items, scope);
  if (!groups) return forward_error(groups);
  auto fold = std::make_shared<Relation>();
  fold->kind = Relation::Kind::kFold;
  fold->inputs = {scope.relation};
  fold->is_private = scope.relation->is_private;
  fold->has_unit = scope.relation->has_unit;
  fold->unit_type = scope.relation->unit_type;
  std::vector<string> printed;
  std::vector<string> places;
  for (std::size_t i = 0; i < scope.relation->columns.size(); ++i)
    places.push_back(fmt::format("c{}", i));
  Binder rows(text_, scope);
  bool by_key = false;
  for (const Json& group : *groups) {
    auto expr = rows.bind(group);
    if (!expr) return forward_error(expr);
    by_key |= expr->is_key;
    fold->columns.push_back(column_of(*expr, *scope.relation, fmt::format("g{}", printed.size())));
    printed.push_back(print(*expr, places));
    fold->exprs.push_back(std::move(*expr));
  }
  if (fold->is_private && !by_key)
    return at_.refuse(groups->empty() ? node["select_list"][0] : (*groups)[0],
                      fmt::format("an aggregate in a subquery adds up different people's rows "
                                  "unless it is grouped by the {}'s key",
                                  catalog_.unit),
                      "add the key to its GROUP BY; only the outermost aggregate is released");
  if (!groups->empty())
    fold->rows_per_unit = groups->size() == 1 && by_key && fold->is_private
                              ? std::optional<std::int64_t>(1)
                              : std::nullopt;
  fold->rows_proved = fold->rows_per_unit.has_value();
  // Aggregates become columns of the fold; what is left is a projection over it.
  std::vector<string> folded;
  const auto intercept = [&](const Json& part) -> std::optional<Result<Expr>> {
    const auto over_fold = [&](std::size_t i) {
      Expr out = column(i, fold->columns[i].type);
      const Column& meant = fold->columns[i];
      out.range = meant.range;
      out.domain = meant.domain;
      out.nonnegative = meant.nonnegative;
      out.is_key = meant.is_key;
      out.uses_key = meant.uses_key;
      out.uses_hidden = meant.hidden;
      return out;
    };
    if (!has_aggregate(part)) {
      Binder plain(text_, scope);
      auto expr = plain.bind(part);
      if (!expr)
        return part.value("class", "") == "CONSTANT"
                   ? std::nullopt
                   : std::optional<Result<Expr>>(forward_error(expr));
      const auto found = std::find(printed.begin(), printed.end(), print(*expr, places));
      if (found != printed.end())
        return over_fold(static_cast<std::size_t>(found - printed.begin()));
      if (part.value("class", "") == "COLUMN_REF")
        return at_.refuse(part, fmt::format("'{}' must be in GROUP BY or in an aggregate",
                                            part["column_names"].back().get<string>()));
      return std::nullopt;
    }
    const string name = lower(known_after(part, "function_name"));
    if (part.value("class", "") != "FUNCTION" || !is_aggregate_name(name)) return std::nullopt;
    if (auto ok = at_.only(part, {"function_name", "children", "distinct", "filter", "schema"},
                           "an aggregate");
        !ok)
      return forward_error(ok);
    Folded one;
    const bool star = name == "count_star" || (name == "count" && part["children"].empty());
    const auto& kinds = std::initializer_list<std::pair<const char*, Fold>>{
        {"count", Fold::kCount}, {"sum", Fold::kSum}, {"avg", Fold::kMean},
        {"mean", Fold::kMean},   {"min", Fold::kMin}, {"max", Fold::kMax}};
    if (star) {
      one.fold = Fold::kCountRows;
    } else {
      const auto kind = std::find_if(kinds.begin(), kinds.end(),
                                     [&](const auto& pair) { return name == pair.first; });
      if (kind == kinds.end() || part["children"].size() != 1)
        return at_.refuse(part, fmt::format("'{}' inside a subquery is not understood", name),
                          "COUNT, SUM, AVG, MIN and MAX are");
      one.fold = kind->second;
      if (has_aggregate(part["children"]))
        return at_.refuse(part, "an aggregate inside an aggregate");
      Binder plain(text_, scope);
      auto arg = plain.bind(part["children"][0]);
      if (!arg) return forward_error(arg);
      one.arg = std::move(*arg);
      if ((one.fold == Fold::kSum || one.fold == Fold::kMean) && !is_number(one.arg.type))
        return at_.refuse(part, fmt::format("{} takes a number", name));
    }
    if (part.value("distinct", false)) {
      if (one.fold != Fold::kCount)
        return at_.refuse(part, fmt::format("{}(DISTINCT …) is not understood", name));
      one.fold = Fold::kCountDistinct;
    }
    if (!part["filter"].is_null()) {
      Binder plain(text_, scope);
      auto condition = plain.condition(part["filter"]);
      if (!condition) return forward_error(condition);
      if (one.fold == Fold::kCountRows) {
        one.fold = Fold::kCount;
        one.arg = literal(Value::integer(1));
      }
      auto range = one.arg.range;
      const Type type = one.arg.type;
      one.arg = call(Op::kCase, type,
                     {std::move(*condition), std::move(one.arg), literal(Value::none(type))});
      one.arg.range = range;
    }
    Column column;
    column.name = name;
    column.type = one.fold == Fold::kSum || one.fold == Fold::kMean  ? Type::kDouble
                  : one.fold == Fold::kMin || one.fold == Fold::kMax ? one.arg.type
                                                                     : Type::kInt;
    column.nonnegative =
        column.type == Type::kInt && one.fold != Fold::kMin && one.fold != Fold::kMax;
    if (one.fold == Fold::kMean || one.fold == Fold::kMin || one.fold == Fold::kMax) {
      column.range = one.arg.range;
      column.uses_key = one.arg.uses_key;
      column.hidden = one.arg.uses_hidden;
    }
    fold->columns.push_back(column);
    fold->folds.push_back(std::move(one));
    return over_fold(fold->columns.size() - 1);
  };
  std::vector<Expr> exprs;
  std::vector<string> names;
  Scope over;  // the fold's columns are only reached through the intercept
  over.relation = fold;
  Binder outer(text_, over, intercept);
  for (const Item& item : *items) {
    auto expr = outer.bind(item.node);
    if (!expr) return forward_error(expr);
    exprs.push_back(std::move(*expr));
    names.push_back(item.name);
  }
  std::optional<Expr> having;
  if (!node["having"].is_null()) {
    auto condition = outer.condition(node["having"]);
    if (!condition) return forward_error(condition);
    having = std::move(*condition);
  }
  RelationPtr out = fold;
  if (having) out = filtered(out, std::move(*having));
  for (const Json& modifier : node["modifiers"])
    if (modifier.value("type", "") == "DISTINCT_MODIFIER")
      return at_.refuse(node["select_list"][0], "DISTINCT with GROUP BY is not understood");
  return projected(out, std::move(exprs), names);
}

}  // namespace discreet::sql
