// The types that columns of a server's tables may have, and how each is read: a closed list, by
// Trino's names for them. What isn't on it has no reader that no value can make fail, and a column
// of it can't be asked about.
//
//   auto decimal = *type_named("decimal(15,2)");
//   bool number = decimal.seen == policy::Type::kDouble;
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/engine/trino/dialect.h"

namespace discreet::engine::trino {

struct StoredType {
  std::string_view name;  // as Trino says it, without what stands in brackets
  policy::Type seen;      // what queries see unless the policy says something else
  // Its SQL, with {0} for the column: as what is seen, and where that loses digits, exactly as a
  // whole number (NULL where it is none) and as a text.
  const char* read;
  const char* as_whole = nullptr;
  const char* as_text = nullptr;
};

const std::vector<StoredType>& stored_types();
// By the name that information_schema has for it: decimal(15,2), timestamp(3) with time zone.
std::optional<StoredType> type_named(std::string_view name);
// Its number in that list, from 1 on: what a StoredColumn keeps; 0 for none.
int number_of(std::string_view name);
std::string stored_type_names();  // for messages

// A column as queries see it; refused where it would have to be cast in a way that isn't total
// here.
Result<std::string> read_column(const policy::StoredColumn& column, const Dialect& dialect);

}  // namespace discreet::engine::trino
