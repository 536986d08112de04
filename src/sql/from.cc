#include "discreet/sql/from.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "discreet/base/suggest.h"
#include "discreet/base/try.h"
#include "discreet/policy/names.h"
#include "discreet/sql/relation.h"
#include "discreet/sql/select_list.h"

namespace discreet::sql {

using std::string;

namespace {

// The relation's columns under an alias; the first of them, perhaps, under new names: t(a, b).
Result<Joined> named(const Context& at, const FromItem& item, RelationPtr relation,
                     const string& alias) {
  Joined out;
  for (std::size_t i = 0; i < relation->columns.size(); ++i)
    out.scope.names.push_back({alias, relation->columns[i].name, i, false});
  if (item.renamed.size() > out.scope.names.size())
    return at.refuse(item.place, fmt::format("{} has {} columns, {} names are given", alias,
                                             out.scope.names.size(), item.renamed.size()));
  for (std::size_t i = 0; i < item.renamed.size(); ++i) out.scope.names[i].column = item.renamed[i];
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

Status From::with(const Query& query, Ctes& ctes) {
  for (const Cte& cte : query.ctes) {
    // Each may be made from the one before it.
    if (++ctes_ > kMostCtes)
      return at_.refuse(cte.query.place,
                        fmt::format("the query has more than {} WITH queries", kMostCtes));
    auto relation = this->query(cte.query, ctes);
    if (!relation) return forward_error(relation);
    if (!cte.renamed.empty()) {
      std::vector<string> names;
      for (const Column& column : (*relation)->columns) names.push_back(column.name);
      if (cte.renamed.size() > names.size())
        return at_.refuse(cte.query.place, fmt::format("{} has {} columns, {} names are given",
                                                       cte.name, names.size(), cte.renamed.size()));
      std::copy(cte.renamed.begin(), cte.renamed.end(), names.begin());
      relation = projected(*relation, all_columns(**relation), names);
    }
    ctes.named[lower(cte.name)] = *relation;
  }
  return {};
}

Result<Scope> From::rows(const Query& select, const Ctes& ctes) {
  auto joined = TRY(item(select.from, ctes));
  std::optional<Expr> where;
  if (select.where) {
    if (at_.has_aggregate(*select.where))
      return at_.refuse(select.where->place, "an aggregate can't stand in WHERE",
                        "HAVING filters released groups");
    Term condition = *select.where;
    TRY(lift(condition, joined.scope, ctes));
    Binder binder(at_, joined.scope);
    auto bound = TRY(binder.condition(condition));
    where = std::move(bound);
  }
  for (const Pending& pending : joined.pending)
    if (!where || !joins_owners(*where, joined.scope.relation->columns, pending))
      return unowned(pending.place);
  Scope scope = std::move(joined.scope);
  if (where) scope.relation = filtered(scope.relation, std::move(*where));
  return scope;
}

Result<Joined> From::item(const FromItem& item, const Ctes& ctes) {
  switch (item.kind) {
    case FromItem::Kind::kTable:
      return base_table(item, ctes);
    case FromItem::Kind::kJoin:
      return join(item, ctes);
    case FromItem::Kind::kQuery: {
      auto relation = TRY(query(*item.query, ctes));
      return named(at_, item, relation, item.alias);
    }
    case FromItem::Kind::kValues:
      return values(item);
    case FromItem::Kind::kFunction:
      return at_.refuse(item.place, "table functions (read_csv, range, pragma_…) are refused",
                        "ask about the policy's tables");
    case FromItem::Kind::kNothing:
      break;
  }
  auto one = std::make_shared<Relation>();
  one->kind = Relation::Kind::kOne;
  return Joined{{one, {}, {}}, {}};
}

Result<Joined> From::base_table(const FromItem& item, const Ctes& ctes) {
  const string& name = item.table;
  const string& alias = item.alias.empty() ? name : item.alias;
  std::vector<string> names;
  for (const Table& table : catalog_.tables) names.push_back(table.rule.name);
  if ((!item.schema.empty() && !same_name(item.schema, "main")) || !item.catalog.empty())
    return at_.refuse(item.place,
                      "tables of other schemas, system catalogs among them, don't exist here",
                      did_you_mean(name, names));
  if (auto cte = ctes.find(name); cte && item.schema.empty()) return named(at_, item, cte, alias);
  const Table* table = catalog_.table(name);
  if (!table)
    return at_.refuse(item.place, fmt::format("the policy has no table '{}'", name),
                      did_you_mean(name, names));
  return named(at_, item, rows_of(catalog_, *table), alias);
}

namespace {

// What is known of a column of literals, which become those of its type; nothing if they have none
// in common.
std::optional<Column> column_of_values(const std::vector<Expr*>& values, string name) {
  Column out;
  out.name = std::move(name);
  if (!unify(values, out.type)) return std::nullopt;
  out.domain.emplace();
  bool bounded = true;
  std::set<Value> seen;
  for (Expr* one : values) {
    if (out.type == Type::kDouble && !one->literal.null)
      *one = literal(Value::number(one->literal.as_number()));
    if (one->literal.null) continue;
    bounded &= one->range.has_value();
    if (one->range) out.range = out.range ? hull(*out.range, *one->range) : *one->range;
    if (seen.insert(one->literal).second) out.domain->push_back(one->literal);
  }
  if (!bounded) out.range.reset();
  if (out.domain->empty()) out.domain.reset();  // only NULL: nothing is known of it
  return out;
}

}  // namespace

// VALUES (…), (…): a small public table whose values stand in the query.
Result<Joined> From::values(const FromItem& item) {
  constexpr std::size_t kMostRows = 1000;
  const auto& rows = item.values;
  if (rows.size() > kMostRows)
    return at_.refuse(rows[0][0].place, fmt::format("VALUES has more than {} rows", kMostRows),
                      "the owner can add a public table to the policy");
  std::vector<std::vector<Expr>> exprs;
  for (const std::vector<Term>& row : rows) {
    exprs.emplace_back();
    for (const Term& one : row) {
      const Scope nothing;
      auto value = TRY(Binder(at_, nothing).bind(one));
      if (value.op != Op::kLiteral) return at_.refuse(one.place, "VALUES takes literals");
      exprs.back().push_back(std::move(value));
    }
    if (exprs.back().size() != exprs[0].size())
      return at_.refuse(row[0].place, "the rows of VALUES are of different lengths");
  }
  auto out = std::make_shared<Relation>();
  out->kind = Relation::Kind::kUnion;
  for (std::size_t i = 0; i < exprs[0].size(); ++i) {
    std::vector<Expr*> values;
    for (std::vector<Expr>& row : exprs) values.push_back(&row[i]);
    auto column = column_of_values(values, fmt::format("col{}", i));
    if (!column)
      return at_.refuse(rows[0][i].place, "the values of a column are not all of one type");
    out->columns.push_back(std::move(*column));
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
  if (unions.size() == 1) return named(at_, item, unions[0], item.alias);
  out->inputs.assign(unions.begin(), unions.end());
  return named(at_, item, out, item.alias);
}

Result<RelationPtr> From::query(const Query& query, const Ctes& outer) {
  const Deeper deeper(depth_);
  if (depth_ > kDeepest) return at_.refuse(query.place, "the queries are nested too deeply");
  Ctes ctes{&outer, {}};
  TRY(with(query, ctes));
  return query.kind == Query::Kind::kSelect ? select(query, ctes) : set_operation(query, ctes);
}

Result<RelationPtr> From::select(Query query, const Ctes& ctes) {
  auto scope = TRY(rows(query, ctes));
  TRY(lift(query, scope, ctes));
  if (!query.groups.empty() || query.group_by_all || at_.has_aggregate(query.items) || query.having)
    return grouped(query, scope);
  auto items = TRY(select_items(at_, query, scope));
  const std::size_t shown = items.size();
  std::vector<Sort> sort;
  if (!scope.relation->is_private) {
    auto places = TRY(sorting(query, items));
    sort = std::move(places);
  }
  std::vector<Expr> exprs;
  std::vector<string> names;
  Binder binder(at_, scope);
  for (const Item& item : items) {
    auto expr = TRY(binder.bind(item.term));
    exprs.push_back(std::move(expr));
    names.push_back(item.name);
  }
  RelationPtr out = projected(scope.relation, std::move(exprs), names);
  if (query.distinct) {
    if (out->is_private && std::none_of(out->columns.begin(), out->columns.end(),
                                        [](const Column& column) { return column.is_key; }))
      return at_.refuse(query.place,
                        fmt::format("DISTINCT in a subquery merges rows of different people unless "
                                    "it contains the {}'s key",
                                    catalog_.unit),
                        "add the key column to the SELECT list");
    if (out->columns.size() != shown)
      return at_.refuse(items.back().term.place, "SELECT DISTINCT is ordered by what it shows",
                        "add the expression to the SELECT list");
    out = distinct(std::move(out));
  }
  return limited(query, std::move(out), std::move(sort), shown);
}

}  // namespace discreet::sql
