#include "discreet/engine/postgres/identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "discreet/base/try.h"
#include "discreet/engine/postgres/connection.h"

namespace discreet::engine::postgres {

using std::string;

namespace {

// An empty one would be a name that many servers share. (Those set up from 2038 on are negative:
// the upper half is the second.)
bool is_number(const string& text) {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  return !digits.empty() && digits.find_first_not_of("0123456789") == string::npos;
}

constexpr const char* kNumbers = R"(
WITH RECURSIVE part(oid) AS (
  SELECT c.oid FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = $2
  UNION SELECT i.inhrelid FROM pg_inherits AS i JOIN part ON part.oid = i.inhparent)
SELECT oid::bigint FROM part ORDER BY oid)";

}  // namespace

Result<Identity> identity(const string& dsn, const std::vector<policy::ServerTable>& tables,
                          const Watch& watch, const string& shown) {
  const Waiting waiting{.watch = watch};
  const auto connection = TRY(Connection::open(dsn, waiting, shown));
  Identity out;
  if (!connection->begin(waiting)) return connection->unanswered();
  for (const policy::ServerTable& table : tables) {
    const auto told = connection->texts(kNumbers, {table.schema, table.table});
    if (!told) return connection->unanswered();
    std::vector<string>& numbers = out.tables.emplace_back();
    for (const auto& row : *told) numbers.push_back(row.front());
  }
  // A database's number stays when it is renamed.
  const auto told = connection->texts(
      "SELECT s.system_identifier, d.oid FROM pg_control_system() AS s, pg_database AS d "
      "WHERE d.datname = current_database()");
  connection->finish(told.has_value());
  if (!connection->sound()) return connection->unanswered();
  // A user who may not ask, or a server without the function, is an answer; anything else is none.
  const bool refused = connection->why() == "42501" || connection->why() == "42883";
  if (!told && refused) return out;
  if (!told || told->size() != 1 || told->front().size() != 2 ||
      !std::all_of(told->front().begin(), told->front().end(), is_number))
    return connection->unanswered();
  out.server = fmt::format("postgres://system={}/{}", told->front()[0], told->front()[1]);
  return out;
}

}  // namespace discreet::engine::postgres
