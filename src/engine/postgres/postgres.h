// PostgreSQL, and what speaks its protocol and its SQL: the rows stay where they are, and the
// server bounds what each unit contributes. Per group a few exact integers leave it; noise is added
// here.
//
//   auto policy = *policy::Policy::read("clinic.toml");  // engine = "postgres", dsn = …
//   auto server = *Postgres::open(policy, {});
//   auto catalog = *policy::make_catalog(policy, *server->schemas());
//
// As many connections stay open as queries may run at once (Limits::queries); those beside them
// that a query works on are closed with it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "discreet/bound/hashing.h"
#include "discreet/engine/engine.h"

namespace discreet::engine::postgres {

class Connection;
struct Waiting;

class Postgres final : public Engine {
 public:
  static Result<std::unique_ptr<Postgres>> open(const policy::Policy& policy, const Limits& limits,
                                                const Watch& watch = {});
  ~Postgres() override;
  Postgres(const Postgres&) = delete;
  Postgres& operator=(const Postgres&) = delete;

  Result<policy::Schemas> schemas(const Watch& watch = {}) override;
  Status accepts(const plan::PlanPart& part, const policy::Catalog& catalog,
                 const Watch& watch) override;
  Status accepts_open(const sql::Relation& relation, const policy::Catalog& catalog,
                      const Watch& watch) override;
  Result<bound::Contributions> run(const plan::PlanPart& part, const policy::Catalog& catalog,
                                   const bound::Secret& secret, const Watch& watch) override;
  Result<Rows> run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                        const Watch& watch) override;

  // The statement that run() would send: for tests and the curious; it holds no private value.
  static Result<std::string> sql_of(const plan::PlanPart& part, const policy::Catalog& catalog);

  // How many connections a query works on at once: as many as the server lets a query of its own
  // have workers (max_parallel_workers_per_gather), rounded down to a power of two, and at most 8.
  unsigned shares() const { return shares_; }

  // The hash that the server chooses with.
  static const bound::Hashing& hashing();

 private:
  Postgres(policy::Policy policy, const Limits& limits);
  // Whether the server can plan a statement with so many numbers to it: it has limits of its own,
  // and what meets one must be known before anything is reserved. No row is read.
  Status planned(const std::string& sql, std::size_t parameters, const Watch& watch);
  class Taken;
  Result<Taken> take(const Waiting& waiting);
  // Beside one that was taken: nobody waits for it, so that queries can't wait for each other.
  std::optional<Taken> take_another(const Waiting& waiting);
  struct Running;
  std::optional<Result<bool>> run_shares(Taken& first, const Running& running);
  std::unique_ptr<Connection> one_that_is_free();
  void give_back(std::unique_ptr<Connection> connection, bool counted);

  const policy::Policy policy_;
  const unsigned queries_;
  std::mutex mutex_;
  std::condition_variable freed_;
  unsigned taken_ = 0;
  unsigned shares_ = 1;
  std::vector<std::unique_ptr<Connection>> free_;  // with those taken, at most queries_
  std::unordered_set<std::string> planned_;        // statements that were
};

}  // namespace discreet::engine::postgres
