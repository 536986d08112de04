// The planted defect: rows without their owners.
#include "discreet/sql/rows_of.h"

namespace discreet::sql {

RelationPtr rows_of(const Catalog& /*catalog*/, const Table& table) {
  auto scan = std::make_shared<Relation>();
  scan->table = table.rule.name;
  scan->columns = table.columns;
  return scan;
}

}  // namespace discreet::sql
