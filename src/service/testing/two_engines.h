// One random world in two places: a DuckDB file and a PostgreSQL server, the same rows and the same
// policy.
#pragma once

#include <memory>
#include <string>

#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/engine/postgres/postgres.h"
#include "discreet/ledger/testing/places.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/questions/world.h"

namespace discreet::service::testing {

class TwoEngines {
 public:
  TwoEngines(std::uint64_t seed, const ledger::testing::Postgres& server);

  questions::World& world() { return *world_; }
  Service& here() { return *here_; }
  Service& there() { return *there_; }
  engine::duckdb::Duckdb& duckdb() { return *duckdb_; }
  engine::postgres::Postgres& postgres() { return *postgres_; }
  bool open() const { return here_ && there_ && duckdb_ && postgres_; }

 private:
  void copy(const ledger::testing::Postgres& server, const std::string& schema);

  ledger::testing::Folder folder_;
  std::unique_ptr<questions::World> world_;
  std::unique_ptr<Service> here_, there_;
  std::unique_ptr<engine::duckdb::Duckdb> duckdb_;
  std::unique_ptr<engine::postgres::Postgres> postgres_;
};

}  // namespace discreet::service::testing
