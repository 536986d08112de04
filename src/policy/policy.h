// The owner's policy: who is protected, which tables exist, what may be spent. A TOML file;
// docs/sql.md lists its keys.
//
//   Policy policy = *Policy::read("clinic.toml");
//   std::string key = policy.table("visits")->key;  // "patient_id"
//
// A key that isn't known is an error with a suggestion: a misspelt max_groups must not silently
// mean 1.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discreet/policy/interval.h"
#include "discreet/policy/server.h"
#include "discreet/policy/source.h"
#include "discreet/policy/value.h"

namespace discreet::policy {

struct ColumnRule {
  std::optional<Type> type;
  std::optional<Interval> range;  // numbers; dates in days, timestamps in seconds, since 1970
  std::optional<std::vector<Value>>
      values;  // public: every one of them is shown, no other forms a group
  bool hidden = false;
  bool unique = false;  // the owner says that no value stands in two rows; spares links a DISTINCT
  bool sound =
      false;  // … that the file's reader can read every value of it (engine/duckdb/schema.h)
};

// "This table's `column` is that table's `target`": the way to the unit key.
struct Link {
  std::string column, table, target;
};

struct TableRule {
  std::string name;
  std::string source;  // as written
  Source from;         // … and what that is
  std::string key;     // the unit's column; empty for linked and public tables
  std::optional<Link> link;
  bool is_public = false;
  std::map<std::string, ColumnRule> columns;
  // How much of a unit counts: groups, rows in each, rows in all; and the owner's promise of how
  // many rows it has.
  std::optional<std::int64_t> max_groups, max_rows_per_group, max_rows, rows_per_unit;
  // The owner's promise that what is read through postgres_fdw is, over there, a table of the same
  // types without policies of rows.
  bool foreign_trusted = false;
};

struct Policy {
  std::string path, directory;
  std::string text;  // the file's bytes, for its hash
  std::string name;
  std::string unit;  // a word for messages
  Rational epsilon, delta;
  std::string accountant = "approx";
  std::optional<std::int64_t> renewal_seconds;
  std::optional<Rational> max_epsilon_per_query, max_delta_per_query;
  // The share of a question's ε that measures what bounding left out; 0: it isn't measured.
  Rational left_out = Rational(1, 20);
  std::string ledger;  // a path or postgresql://…; beside the policy unless said otherwise
  std::optional<Server> server;  // where the tables are; none: in files
  std::vector<TableRule> tables;

  static Result<Policy> read(const std::string& path);
  // `directory` is what relative sources start from.
  static Result<Policy> parse(std::string text, std::string path, std::string directory);

  const TableRule* table(std::string_view name) const;  // any case; null if there is none
};

}  // namespace discreet::policy
