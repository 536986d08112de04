// The types that columns of a server's tables may have, and how each is read: a closed list, by
// PostgreSQL's numbers for them. What isn't on it has no reader that no value can make fail, and a
// column of it can't be asked about.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "discreet/engine/postgres/dialect.h"

namespace discreet::engine::postgres {

struct StoredType {
  int number;             // in pg_type, or one of ours below
  std::string_view name;  // as PostgreSQL says it
  policy::Type seen;      // what queries see unless the policy says something else
  // Its SQL, with {0} for the column: as what is seen, and where that loses digits, exactly as a
  // whole number (NULL where it is none) and as a text.
  const char* read;
  const char* as_whole = nullptr;
  const char* as_text = nullptr;
};

inline constexpr int kEnum = 1;        // any CREATE TYPE … AS ENUM
inline constexpr int kAnyNumeric = 2;  // numeric without a precision: of any size

const std::vector<StoredType>& stored_types();
std::optional<StoredType> stored_type(int number);
std::string stored_type_names();  // for messages

// Whether reading a column is dear: a number of any length, or a text that is cast. PostgreSQL
// would read it again wherever an expression says its name.
bool is_dear(const policy::StoredColumn& column);

// A column as queries see it; refused where it would have to be cast in a way that isn't total
// here.
Result<std::string> read_column(const policy::StoredColumn& column, const Dialect& dialect);

}  // namespace discreet::engine::postgres
