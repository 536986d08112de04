// One random world in two places: a DuckDB file and a server, the same rows and the same policy.
#pragma once

#include <memory>
#include <string>

#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/service/service.h"
#include "discreet/service/testing/elsewhere.h"
#include "discreet/service/testing/questions/world.h"

namespace discreet::service::testing {

class TwoEngines {
 public:
  TwoEngines(std::uint64_t seed, const Elsewhere& elsewhere);

  questions::World& world() { return *world_; }
  Service& here() { return *here_; }
  Service& there() { return *there_; }
  engine::Engine& duckdb() { return *duckdb_; }
  engine::Engine& server() { return *server_; }
  bool open() const { return here_ && there_ && duckdb_ && server_; }

 private:
  void copy(const std::string& schema);

  const Elsewhere& elsewhere_;
  ledger::testing::Folder folder_;
  std::unique_ptr<questions::World> world_;
  std::unique_ptr<Service> here_, there_;
  std::unique_ptr<engine::Engine> duckdb_, server_;
};

}  // namespace discreet::service::testing
