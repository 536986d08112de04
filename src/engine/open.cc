#include "discreet/engine/open.h"

#include <fmt/format.h>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/engine/postgres/identity.h"
#include "discreet/engine/postgres/postgres.h"
#include "discreet/engine/trino/trino.h"

namespace discreet::engine {

Result<std::unique_ptr<Engine>> open(const policy::Policy& policy, const Limits& limits,
                                     const Watch& watch) {
  if (policy.server) {
    switch (policy.server->kind) {
      case policy::Server::Kind::kPostgres:
        return std::unique_ptr<Engine>(TRY(postgres::Postgres::open(policy, limits, watch)));
      case policy::Server::Kind::kTrino:
        return std::unique_ptr<Engine>(TRY(trino::Trino::open(policy, limits)));
    }
  }
  return std::unique_ptr<Engine>(TRY(duckdb::Duckdb::open(policy, limits)));
}

Result<Names> names(const policy::Policy& policy, const Watch& watch) {
  Names out;
  if (!policy.server || policy.server->kind != policy::Server::Kind::kPostgres) return out;
  std::vector<policy::ServerTable> tables;
  for (const policy::TableRule& rule : policy.tables)
    if (const auto* table = std::get_if<policy::ServerTable>(&rule.from)) tables.push_back(*table);
  const auto told =
      TRY(postgres::identity(policy.server->dsn, tables, watch, policy.server->shown));
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const policy::ServerTable& table = tables[i];
    const std::string written = identities(table).front();
    std::vector<std::string> servers = {table.server};
    if (told.server) {
      servers.push_back(*told.server);
      out.tables.emplace_back(
          written,
          identities(policy::ServerTable{*told.server, table.schema, table.table}).front());
    }
    for (const std::string& server : servers)
      for (const std::string& number : told.tables[i])
        out.numbers.emplace_back(written, fmt::format("{}#oid={}", server, number));
  }
  return out;
}

}  // namespace discreet::engine
