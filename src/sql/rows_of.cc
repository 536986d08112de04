#include "discreet/sql/rows_of.h"

#include <algorithm>

namespace discreet::sql {
namespace {

// Units are told apart by a whole number or a text; anything else by its text.
Type unit_type(Type type) { return type == Type::kInt ? Type::kInt : Type::kText; }

// The column that a relation's units come from.
const policy::StoredColumn* key_of(const Catalog& catalog, const Relation& relation) {
  if (relation.kind == Relation::Kind::kScan) {
    const Table& table = *catalog.table(relation.table);
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      if (table.columns[i].is_key) return &table.stored[i];
    return nullptr;
  }
  for (const RelationPtr& input : relation.inputs)
    if (input->has_unit) return key_of(catalog, *input);
  return nullptr;
}

}  // namespace

bool same_units(const Catalog& catalog, const Relation& a, const Relation& b) {
  if (a.unit_type != b.unit_type) return false;
  if (a.unit_type == Type::kInt) return true;
  const policy::StoredColumn *one = key_of(catalog, a), *other = key_of(catalog, b);
  if (!one || !other || one->seen != other->seen) return false;
  return one->seen != Type::kDouble || (one->exact && other->exact) || one->stored == other->stored;
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
  const policy::Link& link = *table.rule.link;
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
