// The tables as the policy and their files' schemas describe them: what names in a query can mean.
// No row is read for it.
#pragma once

#include <string>
#include <vector>

#include "discreet/policy/policy.h"

namespace discreet::policy {

// A column as queries see it.
struct Column {
  std::string name;
  Type type = Type::kText;
  std::optional<Interval> range;
  std::optional<std::vector<Value>> domain;
  bool is_key = false, uses_key = false, hidden = false, nonnegative = false, unique = false;
  // As a private table stores it: nothing that the question wrote is in it.
  bool stored_private = false;
  // Where a link column may be joined along: "table.column" at both of its ends.
  std::string origin;
};

// A column of a file that no query can read, and why.
struct Unreadable {
  std::string name, why, hint;
};

// A column as the file stores it.
struct StoredColumn {
  std::string name;
  Type type = Type::kText;  // what queries see
  bool as_text =
      false;  // stored as text (CSV, JSON) or in a type we read through text: cast totally
  bool same_type = false;   // stored in exactly the engine's type for `type`: no cast
  int stored = 0;           // the engine's number for what the file holds; 0: texts
  Type seen = Type::kText;  // … and what that is read as first
  bool exact = false;       // a number with all its digits: decimals, whole numbers of any length
  // Such a number, read as a text since it says whose a row is: 7 and 7.00 are one there.
  bool names_unit = false;
  std::vector<std::string> labels = {};  // all that rows can have, where the source says (an enum)
  // Why it can't be asked about, and what to do; the owner's promise (ColumnRule::sound) can lift
  // it.
  std::string unreadable, hint;
  bool promise = false;
  // What takes different texts for equal where it is stored (a collation), if anything does, and
  // what to do: here they are different, so that it can't say whose a row is.
  std::string blurred, sharper;
};

struct Table {
  TableRule rule;
  std::vector<StoredColumn> stored;
  std::vector<Column> columns;                        // as queries see them, one for each stored
  std::vector<Unreadable> unreadable;                 // what else the files hold
  const Column* column(std::string_view name) const;  // any case
};

struct Catalog {
  std::string unit;   // a word for messages
  Rational left_out;  // the share of a question's ε that measures what its bounds leave out
  std::vector<Table> tables;
  const Table* table(std::string_view name) const;  // any case
};

// One list of columns for each of the policy's tables, in its order.
using Schemas = std::vector<std::vector<StoredColumn>>;

// Puts the policy's rules on the schemas that an engine found. Refuses rules about columns that
// aren't there, types that can't be, and links between columns of different types.
Result<Catalog> make_catalog(const Policy& policy, Schemas schemas);

}  // namespace discreet::policy
