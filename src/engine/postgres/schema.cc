#include "discreet/engine/postgres/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "discreet/base/try.h"
#include "discreet/engine/postgres/stored_type.h"
#include "discreet/engine/pushdown/print.h"
#include "discreet/engine/pushdown/tables.h"

namespace discreet::engine::postgres {

using std::string;

namespace {

// The table and all parts of it, and what each is.
constexpr const char* kParts = R"(
WITH RECURSIVE parts AS (
  SELECT c.oid, c.relkind, c.relrowsecurity FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2
  UNION ALL
  SELECT c.oid, c.relkind, c.relrowsecurity FROM parts p JOIN pg_inherits i ON i.inhparent = p.oid
  JOIN pg_class c ON c.oid = i.inhrelid)
SELECT p.relkind, p.relrowsecurity, coalesce(w.fdwname, '') FROM parts p
LEFT JOIN pg_foreign_table f ON f.ftrelid = p.oid LEFT JOIN pg_foreign_server s ON s.oid = f.ftserver
LEFT JOIN pg_foreign_data_wrapper w ON w.oid = s.srvfdw)";

// A domain is what it is made of.
constexpr const char* kColumns = R"(
SELECT a.attname, coalesce(nullif(t.typbasetype, 0), t.oid), CASE WHEN t.typbasetype <> 0 THEN b.typtype ELSE
  t.typtype END, CASE WHEN t.typbasetype <> 0 THEN t.typtypmod ELSE a.atttypmod END, format_type(a.atttypid, a.atttypmod),
  a.attgenerated, EXISTS (SELECT FROM pg_cast k WHERE k.castsource = coalesce(nullif(t.typbasetype, 0), t.oid)
    AND k.casttarget = 'text'::regtype AND k.castmethod = 'f' AND k.oid >= 16384),
  CASE WHEN NOT l.collisdeterministic THEN format('%I.%I', m.nspname, l.collname) ELSE '' END,
  format('ALTER TABLE %I.%I ALTER COLUMN %I TYPE text COLLATE "C"', n.nspname, c.relname, a.attname)
FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype
LEFT JOIN pg_collation l ON l.oid = a.attcollation LEFT JOIN pg_namespace m ON m.oid = l.collnamespace
WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)";

constexpr const char* kLabels = R"(
SELECT a.attname, e.enumlabel FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_type t ON t.oid = a.atttypid
JOIN pg_enum e ON e.enumtypid = coalesce(nullif(t.typbasetype, 0), t.oid)
WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum, e.enumsortorder)";

// What could be meant by a name that isn't there: what this user may read in the same schema.
constexpr const char* kTables = R"(
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'm', 'f') AND has_table_privilege(c.oid, 'SELECT')
ORDER BY c.relname LIMIT 1000)";
constexpr const char* kSchemas = R"(
SELECT nspname FROM pg_namespace WHERE has_schema_privilege(oid, 'USAGE')
AND nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY nspname LIMIT 1000)";

std::vector<string> first_of_each(const std::optional<Connection::Texts>& rows) {
  std::vector<string> out;
  if (rows)
    for (const std::vector<string>& row : *rows) out.push_back(row.front());
  return out;
}

int number_of(const std::vector<string>& column) {
  constexpr int kNumeric = 1700, kMostDigits = 300;
  const int number = std::atoi(column[1].c_str());
  if (column[2] == "e") return kEnum;
  if (number != kNumeric) return number;
  // The precision is in the upper half of the modifier, the scale in the lower.
  const int modifier = std::atoi(column[3].c_str());
  const int digits = modifier < 4 ? -1 : ((modifier - 4) >> 16) & 0xffff;
  const int scale = modifier < 4 ? 0 : ((modifier - 4) & 0x7ff);
  return digits < 0 || digits > kMostDigits || scale > kMostDigits ? kAnyNumeric : kNumeric;
}

}  // namespace

policy::StoredColumn column_of(const std::vector<string>& said) {
  policy::StoredColumn out;
  out.name = said[0];
  const bool calculated = said[5] == "v";  // GENERATED … VIRTUAL, from PostgreSQL 18 on
  const bool cast = said[6] == "t";        // by somebody's function, where the type's own would do
  if (const auto type = stored_type(number_of(said)); type && !calculated && !cast) {
    out.stored = type->number;
    out.seen = out.type = type->seen;
    out.exact = type->seen == policy::Type::kDouble && type->as_whole;
  } else if (calculated) {
    out.unreadable = "calculated when it is read, which some row could make fail";
    out.hint = "accepted are columns that are stored: GENERATED … STORED";
  } else if (cast) {
    out.unreadable =
        "cast to text by a function of the database's own, which some row could make fail";
    out.hint = "DROP CAST of its type to text: the type has one without a function";
  } else {
    out.unreadable = fmt::format("of type {}, which is not read", said[4]);
    out.hint = fmt::format("accepted are {}", stored_type_names());
  }
  if (!said[7].empty()) {
    out.blurred = fmt::format("the collation {}", said[7]);
    out.sharper = "write alike what is equal, then " + said[8];
  }
  return out;
}

Result<std::vector<policy::StoredColumn>> columns_of(Connection& connection,
                                                     const policy::TableRule& rule) {
  const auto& source = std::get<policy::ServerTable>(rule.from);
  const auto unusable = [&](const char* what, string hint, Code code = Code::kFailure) {
    return fail(code,
                fmt::format("tables.{}: '{}.{}' {}", rule.name, source.schema, source.table, what),
                std::move(hint));
  };
  const auto parts = connection.texts(kParts, {source.schema, source.table});
  if (!parts) return unusable("can't be looked up", "may this user read the server's catalogue?");
  if (parts->empty())
    return unusable(
        "is not in the server's database",
        pushdown::other_table(source, first_of_each(connection.texts(kTables, {source.schema})),
                              first_of_each(connection.texts(kSchemas, {})),
                              "accepted is TABLE or SCHEMA.TABLE, in its own letters"),
        Code::kUsage);  // as of a column that isn't there
  for (const std::vector<string>& part : *parts) {
    const char kind = part[0].empty() ? ' ' : part[0][0];
    if (kind == 'f' && part[2] != "postgres_fdw")
      return unusable(
          "is read through something else than postgres_fdw, which some row could make fail",
          "copy it into a table");
    if (kind == 'f' && !rule.foreign_trusted)
      return unusable(
          "is on another server, whose rows could fail to be of the types that are said here",
          "write foreign = \"trusted\" beside its source if it is a table of the very same types "
          "there, without policies of rows");
    if (string("rpmf").find(kind) == string::npos)
      return unusable("is no table, and what it is made of could fail on some row",
                      "accepted are tables and materialized views");
    if (part[1] == "t")
      return unusable("has policies of rows, which can hold any expression",
                      "ALTER TABLE … DISABLE ROW LEVEL SECURITY, or copy it into a table");
  }
  const auto columns = connection.texts(kColumns, {source.schema, source.table});
  if (!columns) return unusable("can't be looked up", "may this user read the server's catalogue?");
  const auto may =
      connection.texts("SELECT has_table_privilege(format('%I.%I', $1::text, $2::text), 'SELECT')",
                       {source.schema, source.table});
  if (!may || may->empty() || may->front().front() != "t")
    return unusable("may not be read by this user", "GRANT SELECT ON it, and USAGE ON its schema");
  std::vector<policy::StoredColumn> out;
  for (const std::vector<string>& column : *columns) out.push_back(column_of(column));
  return out;
}

void add_labels(Connection& connection, const policy::TableRule& rule,
                std::vector<policy::StoredColumn>& columns) {
  const auto is_enum = [](const policy::StoredColumn& one) { return one.stored == kEnum; };
  if (std::none_of(columns.begin(), columns.end(), is_enum)) return;
  const auto& source = std::get<policy::ServerTable>(rule.from);
  const auto labels = connection.texts(kLabels, {source.schema, source.table});
  if (!labels) return;
  for (policy::StoredColumn& column : columns)
    for (const std::vector<string>& row : *labels)
      if (row[0] == column.name) column.labels.push_back(row[1]);
}

bool unchanged(Connection& connection, const sql::Relation& relation,
               const policy::Catalog& catalog) {
  if (relation.kind == sql::Relation::Kind::kScan) {
    const policy::Table& table = *catalog.table(relation.table);
    const auto& source = std::get<policy::ServerTable>(table.rule.from);
    // Reading it, if nothing of it, keeps its definition until the transaction ends.
    if (!connection.execute(fmt::format("SELECT 1 FROM {}.{} LIMIT 0",
                                        pushdown::quote_name(source.schema),
                                        pushdown::quote_name(source.table))))
      return false;
    const auto now = columns_of(connection, table.rule);
    if (!now) return false;
    for (const policy::StoredColumn& then : table.stored)
      if (std::none_of(now->begin(), now->end(), [&](const policy::StoredColumn& one) {
            return one.name == then.name && one.stored == then.stored &&
                   one.blurred == then.blurred;
          }))
        return false;
  }
  return std::all_of(
      relation.inputs.begin(), relation.inputs.end(),
      [&](const sql::RelationPtr& input) { return unchanged(connection, *input, catalog); });
}

}  // namespace discreet::engine::postgres
