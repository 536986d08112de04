#include "discreet/engine/trino/schema.h"

#include <fmt/format.h>

#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/tables.h"
#include "discreet/engine/trino/problem.h"
#include "discreet/engine/trino/stored_type.h"

namespace discreet::engine::trino {

using pushdown::quote_name;
using pushdown::quote_text;
using std::string;

namespace {

// Names of what this user may look up; none where that fails: they are only for advice.
std::vector<string> names(Http& http, string sql, const Watch& watch) {
  Statement statement;
  statement.sql = std::move(sql) + " ORDER BY 1 LIMIT 1000";
  statement.types = {CellType::kText};
  std::vector<string> out;
  const auto ended = run(http, statement, watch, [&](const Cell* row) {
    out.emplace_back(row[0].text);
    return true;
  });
  return ended ? out : std::vector<string>();
}

}  // namespace

Result<std::vector<policy::StoredColumn>> columns_of(Http& http, const string& catalog,
                                                     const policy::TableRule& rule,
                                                     const Watch& watch) {
  const auto& source = std::get<policy::ServerTable>(rule.from);
  const auto unusable = [&](const char* what, string hint, Code code = Code::kFailure) {
    return fail(code,
                fmt::format("tables.{}: '{}.{}.{}' {}", rule.name, catalog, source.schema,
                            source.table, what),
                std::move(hint));
  };
  // A constant on both sides of the join: then Trino asks for this one table only.
  Statement statement;
  statement.sql = fmt::format(
      "SELECT t.table_type, c.column_name, c.data_type FROM {0}.information_schema.tables AS t "
      "JOIN "
      "{0}.information_schema.columns AS c ON c.table_name = t.table_name AND c.table_schema = "
      "t.table_schema WHERE t.table_schema = {1} AND t.table_name = {2} AND c.table_schema = {1} "
      "AND c.table_name = {2} ORDER BY c.ordinal_position",
      quote_name(catalog), quote_text(source.schema), quote_text(source.table));
  statement.types = {CellType::kText, CellType::kText, CellType::kText};
  bool view = false;
  std::vector<policy::StoredColumn> out;
  const auto ended = run(http, statement, watch, [&](const Cell* row) {
    view = view || row[0].text != "BASE TABLE";
    policy::StoredColumn one;
    one.name = row[1].text;
    one.stored = number_of(row[2].text);
    if (const auto type = type_named(row[2].text)) {
      one.seen = one.type = type->seen;
      one.exact = type->seen == policy::Type::kDouble && type->as_whole;
    } else {
      one.unreadable = fmt::format("of type {}, which is not read", row[2].text);
      one.hint = fmt::format("accepted are {}", stored_type_names());
    }
    out.push_back(std::move(one));
    return true;
  });
  if (!ended) {
    if (ended.error().name == "CATALOG_NOT_FOUND" || ended.error().name == "CATALOG_NOT_AVAILABLE")
      return unusable("has no such catalog", "SHOW CATALOGS lists those of the server");
    if (ended.error().name == "PERMISSION_DENIED")
      return unusable("may not be looked up by this user", "GRANT SELECT ON it");
    return problem(ended.error(), http.address(), Reserved::kNothing);
  }
  if (out.empty()) {
    const string known = quote_name(catalog) + ".information_schema.";
    const auto tables = names(http,
                              fmt::format("SELECT table_name FROM {}tables WHERE table_schema = {}",
                                          known, quote_text(source.schema)),
                              watch);
    const auto schemas =
        names(http, fmt::format("SELECT schema_name FROM {}schemata", known), watch);
    return unusable("is not there, or not for this user",
                    pushdown::other_table(source, tables, schemas,
                                          "accepted is TABLE or SCHEMA.TABLE of the policy's "
                                          "catalog"),
                    Code::kUsage);  // as of a column that isn't there
  }
  if (view)
    return unusable("is a view, and what it is made of could fail on some row",
                    "accepted are tables; CREATE TABLE … AS makes one of it");
  return out;
}

}  // namespace discreet::engine::trino
