#include "discreet/engine/duckdb/dialect.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <functional>
#include <set>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/csv_blocks.h"
#include "discreet/engine/duckdb/rows_function.h"
#include "discreet/engine/duckdb/stored_type.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

const char* name_of(policy::Form form) {
  switch (form) {
    case policy::Form::kComma:
      return kCommaForm;
    case policy::Form::kTab:
      return kTabForm;
    case policy::Form::kLines:
      return kLinesForm;
    case policy::Form::kArray:
      return kArrayForm;
    case policy::Form::kParquet:
      break;
  }
  return "";
}

string list_of(const std::vector<string>& items) {
  string out = "[";
  for (const string& item : items) out += (out.size() > 1 ? ", " : "") + quote_text(item);
  return out + "]";
}

string read_column(const policy::StoredColumn& stored) {
  constexpr int kTexts = DUCKDB_TYPE_VARCHAR;
  string out = read_as(quote_name(stored.name),
                       *stored_type(stored.stored ? stored.stored : kTexts), stored.type);
  if (!stored.names_unit) return out;
  return fmt::format("CASE WHEN contains({0}, '.') THEN rtrim(rtrim({0}, '0'), '.') ELSE {0} END",
                     out);
}

}  // namespace

string attached_name(const string& file) {
  return fmt::format("source_{:016x}", std::hash<string>{}(file));
}

string source_of(const policy::TableRule& rule, const std::vector<string>& columns,
                 const string& rows_function) {
  if (const auto* stored = std::get_if<policy::DuckdbTable>(&rule.from))
    return fmt::format("{}.main.{}", attached_name(stored->file), quote_name(stored->table));
  const auto& files = std::get<policy::Files>(rule.from);
  if (files.form == policy::Form::kParquet)
    return fmt::format("read_parquet({})", list_of(files.paths));
  return fmt::format("{}('{}', {}, {})", rows_function, name_of(files.form), list_of(files.paths),
                     list_of(columns));
}

string DuckdbDialect::scan(const sql::Relation& relation) const {
  const policy::Table& table = *catalog_.table(relation.table);
  std::vector<string> names;
  string items, key;
  for (std::size_t i = 0; i < table.stored.size(); ++i) {
    names.push_back(table.stored[i].name);
    items += fmt::format("{}{} AS c{}", i ? ", " : "", read_column(table.stored[i]), i);
    if (table.columns[i].is_key) key = fmt::format("c{}", i);
  }
  string rows =
      fmt::format("SELECT {} FROM {}", items, source_of(table.rule, names, rows_function_));
  if (!relation.has_unit) return rows;
  const bool as_text = relation.unit_type == policy::Type::kText &&
                       table.column(table.rule.key)->type != policy::Type::kText;
  return fmt::format(
      "SELECT *, {} AS u FROM ({}){}", as_text ? fmt::format("CAST({} AS VARCHAR)", key) : key,
      rows, complete_.contains(relation.table) ? "" : fmt::format(" WHERE {} IS NOT NULL", key));
}

// Columns are read by their place, so all files of a glob must have the same ones in the same
// order: else one file's cost could be another's key.
Result<std::vector<string>> csv_header(const policy::TableRule& rule) {
  const auto& files = std::get<policy::Files>(rule.from);
  const char delimiter = files.form == policy::Form::kTab ? '\t' : ',';
  auto first = TRY(csv_names(files.paths.front(), delimiter));
  for (const string& file : files.paths) {
    const auto other = TRY(csv_names(file, delimiter));
    if (other != first)
      return fail(Code::kFailure,
                  fmt::format("tables.{}: '{}' has other columns than '{}'", rule.name, file,
                              files.paths.front()),
                  "all files of one source have the same header");
  }
  return first;
}

}  // namespace discreet::engine::duckdb
