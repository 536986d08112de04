#include "discreet/engine/duckdb/schema.h"

#include <duckdb.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "discreet/engine/duckdb/print.h"
#include "discreet/engine/duckdb/result.h"
#include "discreet/engine/duckdb/stored_type.h"

namespace discreet::engine::duckdb {

using std::string;

namespace {

tl::unexpected<Error> unreadable(const policy::TableRule& rule, const char* what, string hint) {
  return fail(Code::kFailure, fmt::format("tables.{}: '{}' {}", rule.name, rule.source, what),
              std::move(hint));
}

tl::unexpected<Error> no_schema(const policy::TableRule& rule) {
  return fail(Code::kFailure,
              fmt::format("tables.{}: the schema of '{}' can't be read", rule.name, rule.source),
              "is it what its name says?");
}

using Texts = std::vector<std::vector<string>>;  // NULL is ""

std::optional<Texts> texts(duckdb_connection connection, const string& sql) {
  ResultHolder holder;
  if (duckdb_query(connection, sql.c_str(), &holder.result) != DuckDBSuccess) return std::nullopt;
  Texts out(duckdb_row_count(&holder.result));
  for (idx_t row = 0; row < out.size(); ++row)
    for (idx_t column = 0; column < duckdb_column_count(&holder.result); ++column) {
      const std::unique_ptr<char, void (*)(void*)> text(
          duckdb_value_varchar(&holder.result, column, row), duckdb_free);
      out[row].emplace_back(text ? text.get() : "");
    }
  return out;
}

// A column as a Parquet file's footer describes it.
struct Leaf {
  string type, length, converted, precision, logical, engine_type;
};

// What DuckDB's own reader of Parquet would do with some value of this column, before we see it:
// nothing, or raise an error.
string danger(const Leaf& leaf) {
  // It multiplies by 1000.
  if (leaf.converted == "TIMESTAMP_MILLIS" || (leaf.logical.starts_with("TimestampType") &&
                                               leaf.logical.find("MILLIS=Milli") != string::npos))
    return "TIMESTAMP(MILLIS)";
  if (leaf.converted == "JSON" || leaf.logical.starts_with("JsonType")) return "JSON";
  // Bytes beyond those of the precision must be zeros (or ones, if it is negative).
  if (leaf.converted == "DECIMAL" && leaf.type.ends_with("BYTE_ARRAY")) {
    const int digits = std::atoi(leaf.precision.c_str());
    const int bytes = digits <= 4 ? 2 : digits <= 9 ? 4 : digits <= 18 ? 8 : 16;
    if (digits <= 38 && (leaf.type == "BYTE_ARRAY" || std::atoi(leaf.length.c_str()) > bytes))
      return "DECIMAL in " + leaf.type;
  }
  return {};
}

// The columns below the root, by name; what has columns of its own is left out.
std::map<string, Leaf> leaves_of(const Texts& schema, std::size_t& at) {
  const auto skip = [&](const auto& self) -> void {
    const int children = std::atoi(schema[at++][5].c_str());
    for (int i = 0; i < children && at < schema.size(); ++i) self(self);
  };
  std::map<string, Leaf> out;
  const int columns = std::atoi(schema[at++][5].c_str());
  for (int i = 0; i < columns && at < schema.size(); ++i) {
    const auto& row = schema[at];
    out[row[1]] = {row[2], row[3], row[4], row[6], row[7], row[8]};
    skip(skip);
  }
  return out;
}

policy::StoredColumn column_of(string name, const std::optional<StoredType>& type) {
  policy::StoredColumn out;
  out.name = std::move(name);
  if (type) {
    out.stored = type->number;
    out.seen = out.type = type->seen;
    out.exact = type->seen == policy::Type::kDouble && type->as_whole;
    out.same_type = is_plain(*type);
  } else {
    out.unreadable = "of a type that is not read";
    out.hint = fmt::format("accepted are {}; CAST it to one of them when the file is written",
                           stored_type_names());
  }
  return out;
}

// Only described, not planned: a plan looks at the footer's smallest and largest values, and some
// of those can't be read.
std::optional<std::vector<policy::StoredColumn>> described_columns(duckdb_connection connection,
                                                                   const string& source) {
  const auto rows = texts(connection, fmt::format("DESCRIBE SELECT * FROM {}", source));
  if (!rows) return std::nullopt;
  std::vector<policy::StoredColumn> out;
  for (const std::vector<string>& row : *rows) out.push_back(column_of(row[0], type_named(row[1])));
  return out;
}

}  // namespace

// By DuckDB's numbers for types: names can be the owner's (CREATE TYPE).
std::optional<std::vector<policy::StoredColumn>> stored_columns(duckdb_connection connection,
                                                                const string& source) {
  duckdb_prepared_statement statement = nullptr;
  const bool ok = duckdb_prepare(connection, fmt::format("SELECT * FROM {}", source).c_str(),
                                 &statement) == DuckDBSuccess;
  std::vector<policy::StoredColumn> out;
  for (idx_t i = 0; ok && i < duckdb_prepared_statement_column_count(statement); ++i) {
    const std::unique_ptr<const char, void (*)(const char*)> name(
        duckdb_prepared_statement_column_name(statement, i),
        [](const char* text) { duckdb_free(const_cast<char*>(text)); });
    out.push_back(
        column_of(name.get(), stored_type(duckdb_prepared_statement_column_type(statement, i))));
  }
  duckdb_destroy_prepare(&statement);
  return ok ? std::optional(std::move(out)) : std::nullopt;
}

Result<std::vector<policy::StoredColumn>> parquet_columns(duckdb_connection connection,
                                                          const policy::TableRule& rule,
                                                          const string& source) {
  auto out = described_columns(connection, source);
  if (!out) return no_schema(rule);
  std::map<string, Leaf> first;
  const std::vector<string> files = identities(rule.from);
  for (const string& file : files) {
    const auto schema =
        texts(connection, fmt::format("SELECT file_name, name, type, type_length, converted_type, "
                                      "num_children, precision, logical_type, duckdb_type "
                                      "FROM parquet_schema({})",
                                      quote_text(file)));
    if (!schema || schema->empty()) return no_schema(rule);
    std::size_t at = 0;
    const auto leaves = leaves_of(*schema, at);
    if (first.empty()) first = leaves;
    for (policy::StoredColumn& column : *out) {
      const auto here = leaves.find(column.name);
      const auto there = std::as_const(first).find(column.name);
      if (here == leaves.end() || there == first.end()) continue;  // of the path, or nested
      if (here->second.engine_type != there->second.engine_type)
        return fail(Code::kFailure,
                    fmt::format("tables.{}: the column '{}' is {} in '{}' and {} in '{}'",
                                rule.name, column.name, there->second.engine_type, files.front(),
                                here->second.engine_type, file),
                    "all files of one source have the same types");
      const string found = danger(here->second);
      if (found.empty() || !column.unreadable.empty()) continue;
      column.unreadable = fmt::format("stored as {}, which some values can't be read from", found);
      column.promise = true;
      column.hint = fmt::format(
          "store it as {}, or promise with columns.{} = {{ sound = true }} that all can",
          found == "JSON"                ? "a text"
          : found == "TIMESTAMP(MILLIS)" ? "TIMESTAMP(MICROS)"
                                         : "DECIMAL in INT32, INT64 or as many bytes as it needs",
          column.name);
    }
  }
  return std::move(*out);
}

Result<std::vector<policy::StoredColumn>> duckdb_columns(duckdb_connection connection,
                                                         const policy::TableRule& rule,
                                                         const string& source,
                                                         const string& database) {
  const auto found =
      texts(connection,
            fmt::format(
                "SELECT sql FROM duckdb_tables() WHERE database_name = {} AND schema_name = "
                "'main' AND lower(table_name) = lower({})",
                quote_text(database), quote_text(std::get<policy::DuckdbTable>(rule.from).table)));
  if (!found || found->empty())
    return unreadable(rule, "is not a table of that file",
                      "accepted are tables; a view is made one by CREATE TABLE … AS FROM …");
  if (found->front().front().find("GENERATED ALWAYS AS") != string::npos)
    return unreadable(rule, "has generated columns, which can hold any expression",
                      "store their values: CREATE TABLE … AS FROM …");
  auto out = stored_columns(connection, source);
  if (!out) return no_schema(rule);
  return std::move(*out);
}

}  // namespace discreet::engine::duckdb
