// Where a table's rows are: a value of several kinds. An engine takes the kinds that it knows; the
// ledger wants to know what stands behind one, and whether it is still the same.
//
//   const Source source = Files{Form::kComma, {"/data/visits.csv"}};
//   std::vector<std::string> names = identities(source);  // /data/visits.csv
#pragma once

#include <string>
#include <variant>
#include <vector>

namespace discreet::policy {

enum class Form {
  kComma,  // CSV
  kTab,    // TSV
  kLines,  // JSON, an object on each line
  kArray,  // JSON, one array of objects
  kParquet,
};

struct Files {
  Form form = Form::kComma;
  std::vector<std::string> paths = {};  // real ones, globs expanded; all of one form
};

// file.duckdb#table
struct DuckdbTable {
  std::string file, table;
};

// A table of the server that the policy's engine is. `server` says which: where it is and which of
// its databases, with no secret in it.
struct ServerTable {
  std::string server, schema, table;
};

using Source = std::variant<Files, DuckdbTable, ServerTable>;

// What stands behind it, each by its one real name: two policies about one file, or one table of a
// server, share its budget.
std::vector<std::string> identities(const Source& source);
// Whether identities are paths of files.
bool is_local(const Source& source);
// Sizes and times of change: the same text, the same data. A server tells no such thing: of its
// tables the text is always the same.
std::string stamp(const Source& source);

}  // namespace discreet::policy
