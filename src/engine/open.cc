#include "discreet/engine/open.h"

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

Result<std::optional<std::string>> identity(const policy::Policy& policy, const Watch& watch) {
  if (!policy.server || policy.server->kind != policy::Server::Kind::kPostgres) return std::nullopt;
  return postgres::identity(policy.server->dsn, watch, policy.server->shown);
}

}  // namespace discreet::engine
