// A first policy: whose rows each table's are, found by the names of columns, and the text that
// says so. Nothing is known of the rows and nothing is declared of them; what the owner may want to
// declare stands there as a comment.
//
//   Draft draft;
//   draft.key = "patient_id", draft.unit = "patient";
//   draft.tables.push_back({"visits", "visits.csv", {{"patient_id"}, {"visit_id"}}});
//   draft.tables.push_back({"labs", "labs.csv", {{"visit_id"}, {"result"}}});
//   Status found = connect(draft);  // labs is linked to visits by visit_id
//   std::string toml = write(draft, {});
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "discreet/policy/policy.h"

namespace discreet::policy {

struct DraftColumn {
  std::string name;
  std::optional<Type> type = {};  // none: the file doesn't say, and it is a text until someone does
  std::string unreadable = {};    // why it can't be asked about, and what to do; empty: it can
};

struct DraftTable {
  std::string name, source;  // as the policy writes them
  std::vector<DraftColumn> columns;
  // JSON has no header: only its rows know its columns, and they aren't read. It is taken for
  // granted that it has the key.
  bool has_header = true;
  std::string unreadable = {};  // why the source can't be read; it is then left out

  // What connect() finds: one of the two, or neither, and then the table is left out.
  std::string key = {};
  std::optional<Link> link = {};
  std::vector<Link> other_links = {};  // that would also be possible

  bool is_in() const { return !key.empty() || link.has_value(); }
};

struct Draft {
  std::string name, unit, key;
  std::string epsilon = "1", delta = "1e-6";  // of the budget, as written
  std::vector<DraftTable> tables;
};

// Finds each table's way to the key. Tables with a column of its name have it; others are linked to
// one that has a way, by a column that both have and that is named like an id (visit_id) or like
// the other table (visit, in visits). Fails where no table has the key, or it can't be read.
Status connect(Draft& draft);

// A name that needs no quotes in TOML or SQL, and that a link can name: "visits.2024" is
// visits_2024.
std::string table_name(const std::string& words);
// "patient" for patient_id; "person" where the key doesn't tell.
std::string unit_of(const std::string& key);

// What an owner who pays for it knows of a table's rows. What is empty is left to the owner.
struct Measured {
  std::optional<std::int64_t> max_groups = {}, max_rows_per_group = {}, max_rows = {};
  std::string how = {};                         // a comment on where the numbers come from
  std::map<std::string, Interval> ranges = {};  // by column
};
using Measures = std::map<std::string, Measured>;  // by table

std::string write(const Draft& draft, const Measures& measures);

}  // namespace discreet::policy
