// Public tables as the engine reads them, for the keys of groups.
#pragma once

#include "discreet/engine/engine.h"
#include "discreet/sql/public_rows.h"

namespace discreet::service {

class PublicTables final : public sql::PublicRows {
 public:
  PublicTables(engine::Engine& engine, const policy::Catalog& catalog, const engine::Watch& watch)
      : engine_(engine), catalog_(catalog), watch_(watch) {}
  Result<engine::Rows> rows(const sql::Relation& relation) const override {
    return engine_.run_open(relation, catalog_, watch_);
  }

 private:
  engine::Engine& engine_;
  const policy::Catalog& catalog_;
  const engine::Watch& watch_;
};

}  // namespace discreet::service
