// Trino: the rows stay where they are, and its workers bound what each unit contributes. Per group
// a few exact integers leave it; noise is added here.
//
//   auto policy = *policy::Policy::read("clinic.toml");  // engine = "trino", url = …
//   auto server = *Trino::open(policy, {});
//   auto catalog = *policy::make_catalog(policy, *server->schemas());
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "discreet/bound/hashing.h"
#include "discreet/engine/engine.h"
#include "discreet/engine/trino/http.h"

namespace discreet::engine::trino {

class Dialect;

class Trino final : public Engine {
 public:
  static Result<std::unique_ptr<Trino>> open(const policy::Policy& policy, const Limits& limits);

  Result<policy::Schemas> schemas(const Watch& watch = {}) override;
  Status accepts(const plan::PlanPart& part, const policy::Catalog& catalog,
                 const Watch& watch) override;
  Status accepts_open(const sql::Relation& relation, const policy::Catalog& catalog,
                      const Watch& watch) override;
  Result<bound::Contributions> run(const plan::PlanPart& part, const policy::Catalog& catalog,
                                   const bound::Secret& secret, const Watch& watch) override;
  Result<Rows> run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                        const Watch& watch) override;

  // The statement that run() would send, with a secret of zeros: for tests and the curious; it
  // holds no private value.
  static Result<std::string> sql_of(const plan::PlanPart& part, const policy::Catalog& catalog,
                                    const std::string& trino_catalog);

  // The hash that the server chooses with.
  static const bound::Hashing& hashing();

 private:
  Trino(policy::Policy policy, Address address, Credentials credentials);
  // Trino's own look at a statement, which reads no row: once for each. A large one is run, too, on
  // nothing.
  using Printed = std::function<Result<std::string>(const Dialect&)>;
  Status validated(const Printed& printed, bool large, const policy::Catalog& catalog,
                   const Watch& watch);
  Status explained(const std::string& statement, const Watch& watch);

  const policy::Policy policy_;
  const Address address_;
  const Credentials credentials_;
  std::mutex mutex_;
  std::set<std::string> valid_;
};

}  // namespace discreet::engine::trino
