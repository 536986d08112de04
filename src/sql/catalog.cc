#include "discreet/sql/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "discreet/base/suggest.h"
#include "discreet/sql/names.h"

namespace discreet::sql {
namespace {

// Units are told apart by a whole number or a text; anything else by its text.
Type unit_type(Type type) { return type == Type::kInt ? Type::kInt : Type::kText; }

}  // namespace

const Column* Table::column(std::string_view name) const {
  for (const Column& column : columns)
    if (same_name(column.name, name)) return &column;
  return nullptr;
}

const Table* Catalog::table(std::string_view name) const {
  for (const Table& table : tables)
    if (same_name(table.rule.name, name)) return &table;
  return nullptr;
}

namespace {

// The unit's key, a link's column, or what a link points to.
bool leads_to_unit(const Policy& policy, const TableRule& rule, std::string_view column) {
  if (same_name(rule.key, column) || (rule.link && same_name(rule.link->column, column)))
    return true;
  return std::any_of(policy.tables.begin(), policy.tables.end(), [&](const TableRule& other) {
    return other.link && same_name(other.link->table, rule.name) &&
           same_name(other.link->target, column);
  });
}

// Columns that can't be read are no columns; a rule that names one is an error.
Status take_unreadable(Table& table) {
  std::vector<StoredColumn> readable;
  for (StoredColumn& column : table.stored) {
    const auto named =
        std::find_if(table.rule.columns.begin(), table.rule.columns.end(),
                     [&](const auto& rule) { return same_name(rule.first, column.name); });
    const bool has_rule = named != table.rule.columns.end();
    if (column.unreadable.empty() || (column.promise && has_rule && named->second.sound)) {
      readable.push_back(std::move(column));
      continue;
    }
    if (has_rule || same_name(table.rule.key, column.name) ||
        (table.rule.link && same_name(table.rule.link->column, column.name)))
      return fail(Code::kUsage,
                  fmt::format("the column '{}' is {}", column.name, column.unreadable),
                  column.hint);
    table.unreadable.push_back({column.name, column.unreadable, column.hint});
  }
  table.stored = std::move(readable);
  return {};
}

}  // namespace

Result<Catalog> make_catalog(const Policy& policy, std::vector<std::vector<StoredColumn>> schemas) {
  Catalog catalog;
  catalog.unit = policy.unit;
  for (std::size_t t = 0; t < policy.tables.size(); ++t) {
    Table table;
    table.rule = policy.tables[t];
    table.stored = std::move(schemas[t]);
    const auto bad = [&](const std::string& what, std::string hint = {}) {
      return fail(Code::kUsage,
                  fmt::format("{}: tables.{}: {}", policy.path, table.rule.name, what),
                  std::move(hint));
    };
    if (auto ok = take_unreadable(table); !ok)
      return bad(ok.error().message, std::move(ok.error().hint));
    std::vector<std::string> names;
    for (const StoredColumn& stored : table.stored) {
      for (const std::string& other : names)
        if (same_name(other, stored.name))
          return bad(fmt::format("two columns are called '{}'", stored.name));
      names.push_back(stored.name);
    }
    const auto known = [&](const std::string& name) {
      for (const std::string& other : names)
        if (same_name(other, name)) return true;
      return false;
    };
    if (!table.rule.key.empty() && !known(table.rule.key))
      return bad(fmt::format("the key column '{}' is not in the source", table.rule.key),
                 did_you_mean(table.rule.key, names));
    if (table.rule.link && !known(table.rule.link->column))
      return bad(
          fmt::format("the link's column '{}' is not in the source", table.rule.link->column),
          did_you_mean(table.rule.link->column, names));
    for (const auto& [name, rule] : table.rule.columns)
      if (!known(name))
        return bad(fmt::format("columns.{}: there is no such column in the source", name),
                   did_you_mean(name, names));
    for (StoredColumn& stored : table.stored) {
      Column column;
      column.name = stored.name;
      column.type = stored.type;
      for (const auto& [name, rule] : table.rule.columns) {
        if (!same_name(name, stored.name)) continue;
        if (rule.type && *rule.type != stored.type) {
          const bool whole_range = *rule.type == Type::kDouble &&
                                   stored.type == Type::kInt;  // a range alone says "a number"
          if (whole_range && !stored.as_text) {
            column.type = Type::kInt;
          } else if (!can_cast(stored.type, *rule.type)) {
            return bad(fmt::format("columns.{}: the source holds a {}, which can't be read as a {}",
                                   name, name_of(stored.type), name_of(*rule.type)),
                       "leave the type out, or give the range or values in the source's type");
          } else {
            column.type = *rule.type;
            stored.same_type = false;
          }
        }
        column.range = rule.range;
        column.domain = rule.values;
        if (column.domain && column.type == Type::kInt)
          for (Value& value : *column.domain) {
            if (value.type != Type::kDouble) continue;
            // 0.5 cut to 0 would show a group that nobody declared; and not every double is one.
            if (std::trunc(value.real) != value.real || std::abs(value.real) >= 0x1p63)
              return bad(fmt::format("columns.{}: the source holds whole numbers, and {} is none",
                                     name, value.show()));
            value = Value::integer(static_cast<std::int64_t>(value.real));
          }
        column.hidden = rule.hidden;
        column.unique = rule.unique;
      }
      // People, and what leads to them, are never told apart by a rounded number: UBIGINT, HUGEINT
      // and DECIMAL, like reals, are read as texts.
      if (column.type == Type::kDouble && leads_to_unit(policy, table.rule, stored.name)) {
        column.type = Type::kText;
        column.range.reset();
        column.domain.reset();
        stored.same_type = false;
      }
      stored.type = column.type;
      if (column.type == Type::kBool && !column.domain)
        column.domain = {Value::boolean(false), Value::boolean(true)};
      column.is_key = column.uses_key =
          !table.rule.key.empty() && same_name(stored.name, table.rule.key);
      column.origin = table.rule.name + "." + stored.name;
      table.columns.push_back(std::move(column));
    }
    catalog.tables.push_back(std::move(table));
  }
  for (const Table& table : catalog.tables) {
    if (!table.rule.link) continue;
    const Link& link = *table.rule.link;
    const Table* target = catalog.table(link.table);
    const Column* there = target ? target->column(link.target) : nullptr;
    const auto bad = [&](const std::string& what, std::string hint = {}) {
      return fail(Code::kUsage,
                  fmt::format("{}: tables.{}.link: {}", policy.path, table.rule.name, what),
                  std::move(hint));
    };
    if (!there) return bad(fmt::format("'{}.{}' is not in the source", link.table, link.target));
    if (there->type != table.column(link.column)->type)
      return bad(fmt::format("'{}' is of type {}, '{}.{}' of type {}", link.column,
                             name_of(table.column(link.column)->type), link.table, link.target,
                             name_of(there->type)),
                 "give both the same columns.NAME = { type = … }");
  }
  return catalog;
}

RelationPtr rows_of(const Catalog& catalog, const Table& table) {
  auto scan = std::make_shared<Relation>();
  scan->table = table.rule.name;
  scan->unreadable = table.unreadable;
  scan->columns = table.columns;
  scan->is_private = !table.rule.is_public;
  scan->rows_per_unit = table.rule.rows_per_unit;
  if (table.rule.is_public) return scan;
  if (!table.rule.link) {
    scan->has_unit = true;
    scan->unit_type = unit_type(table.column(table.rule.key)->type);
    return scan;
  }
  const Link& link = *table.rule.link;
  const Table& target = *catalog.table(link.table);
  const RelationPtr owners_rows = rows_of(catalog, target);
  const auto index_of = [](const std::vector<Column>& columns, std::string_view name) {
    std::size_t i = 0;
    while (!same_name(columns[i].name, name)) ++i;
    return i;
  };
  // Each (link value, owner) once: a row with several owners counts once for each. Where the owner
  // says that link values don't repeat there is nothing to merge (if that is wrong rows count more
  // than once, and are bounded all the same).
  auto owners = std::make_shared<Relation>();
  const auto target_column =
      std::find_if(owners_rows->columns.begin(), owners_rows->columns.end(),
                   [&](const Column& one) { return same_name(one.name, link.target); });
  owners->kind =
      target_column->unique && !target.rule.link ? Relation::Kind::kProject : Relation::Kind::kFold;
  owners->inputs = {owners_rows};
  owners->is_private = owners->has_unit = true;
  owners->unit_type = owners_rows->unit_type;
  const std::size_t there = index_of(owners_rows->columns, link.target);
  owners->exprs = {column(there, owners_rows->columns[there].type)};
  owners->columns = {owners_rows->columns[there]};
  auto joined = std::make_shared<Relation>();
  joined->kind = Relation::Kind::kJoin;
  joined->inputs = {scan, owners};
  joined->is_private = joined->has_unit = true;
  joined->unit_type = owners->unit_type;
  const std::size_t here = index_of(scan->columns, link.column);
  joined->condition = call(Op::kEqual, Type::kBool,
                           {column(here, scan->columns[here].type),
                            column(scan->columns.size(), owners->columns[0].type)});
  joined->columns = scan->columns;
  joined->columns.push_back(owners->columns[0]);
  // Only the table's own columns go on.
  auto own = std::make_shared<Relation>();
  own->kind = Relation::Kind::kProject;
  own->inputs = {joined};
  own->is_private = own->has_unit = own->linked = true;
  own->unit_type = joined->unit_type;
  own->rows_per_unit = table.rule.rows_per_unit;
  for (std::size_t i = 0; i < scan->columns.size(); ++i)
    own->exprs.push_back(column(i, scan->columns[i].type));
  own->columns = scan->columns;
  return own;
}

}  // namespace discreet::sql
