// The tables as the policy and their files' schemas describe them: what names in a query can mean.
// No row is read for it.
#pragma once

#include <string>
#include <vector>

#include "discreet/sql/algebra.h"
#include "discreet/sql/policy.h"

namespace discreet::sql {

// A column as the file stores it.
struct StoredColumn {
  std::string name;
  Type type = Type::kText;  // what queries see
  bool as_text =
      false;  // stored as text (CSV, JSON) or in a type we read through text: cast totally
  bool same_type = false;   // stored in exactly the engine's type for `type`: no cast
  int stored = 0;           // the engine's number for what the file holds; 0: texts
  Type seen = Type::kText;  // … and what that is read as first
  // Why it can't be asked about, and what to do; the owner's promise (ColumnRule::sound) can lift
  // it.
  std::string unreadable, hint;
  bool promise = false;
};

struct Table {
  TableRule rule;
  std::vector<StoredColumn> stored;
  std::vector<Column> columns;                        // as queries see them, one for each stored
  std::vector<Unreadable> unreadable;                 // what else the files hold
  const Column* column(std::string_view name) const;  // any case
};

struct Catalog {
  std::string unit;  // a word for messages
  std::vector<Table> tables;
  const Table* table(std::string_view name) const;  // any case
};

// Puts the policy's rules on the schemas that an engine found (one list of columns for each table,
// in the policy's order). Refuses rules about columns that aren't there, types that can't be, and
// links between columns of different types.
Result<Catalog> make_catalog(const Policy& policy, std::vector<std::vector<StoredColumn>> schemas);

// The table's rows with their owners: for a linked table, joined along its links; rows without an
// owner are dropped.
RelationPtr rows_of(const Catalog& catalog, const Table& table);

}  // namespace discreet::sql
