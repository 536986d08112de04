// PostgreSQL, and what speaks its protocol and its SQL: the rows stay where they are, and the
// server bounds what each unit contributes. Per group a few exact integers leave it; noise is added
// here.
//
//   auto policy = *policy::Policy::read("clinic.toml");  // engine = "postgres", dsn = …
//   auto server = *Postgres::open(policy, {});
//   auto catalog = *policy::make_catalog(policy, *server->schemas());
//
// As many connections are open as queries may run at once (Limits::queries).
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "discreet/bound/hashing.h"
#include "discreet/engine/engine.h"

namespace discreet::engine::postgres {

class Connection;

class Postgres final : public Engine {
 public:
  static Result<std::unique_ptr<Postgres>> open(const policy::Policy& policy, const Limits& limits);
  ~Postgres() override;
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  Result<policy::Schemas> schemas() override;
  Status accepts(const plan::PlanPart& part, const policy::Catalog& catalog) override;
  Status accepts_open(const sql::Relation& relation, const policy::Catalog& catalog) override;
  Result<bound::Contributions> run(const plan::PlanPart& part, const policy::Catalog& catalog,
                                   const bound::Secret& secret, const Watch& watch) override;
  Result<Rows> run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                        const Watch& watch) override;

  // The statement that run() would send: for tests and the curious; it holds no private value.
  static Result<std::string> sql_of(const plan::PlanPart& part, const policy::Catalog& catalog);

  // The hash that the server chooses with.
  static const bound::Hashing& hashing();

 private:
  Postgres(policy::Policy policy, const Limits& limits);
  // Whether the server can plan a statement with so many numbers to it: it has limits of its own,
  // and what meets one must be known before anything is reserved. No row is read.
  Status planned(const std::string& sql, std::size_t parameters);
  class Taken;
  Result<Taken> take(const Watch& watch);
  void give_back(std::unique_ptr<Connection> connection);

  const policy::Policy policy_;
  const unsigned queries_;
  std::mutex mutex_;
  std::condition_variable freed_;
  unsigned taken_ = 0;
  std::vector<std::unique_ptr<Connection>> free_;
  std::unordered_set<std::string> planned_;  // statements that were
};

}  // namespace discreet::engine::postgres
