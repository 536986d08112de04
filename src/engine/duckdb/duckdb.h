// The engine that is always there: DuckDB, embedded and locked. Its own error texts (which can show
// rows) never come out.
//
//   #include "discreet/engine/duckdb/calculator.h"
//   #include "discreet/random/generator.h"
//   auto policy = *policy::Policy::read("clinic.toml");
//   auto database = *Duckdb::open(policy, {});
//   auto catalog = *policy::make_catalog(policy, *database->schemas());
//   auto question =
//       *sql::check(*sql::parse("SELECT COUNT(*) FROM visits"), catalog,
//       plan::tools(calculator()));
//   sql::Options options;
//   options.epsilon = Rational(1, 2);
//   auto plan = *plan::make_plan(question, catalog, options);
//   auto secret = *bound::Secret::draw(random::thread_generator());
//   auto contributions = *database->run(plan.parts[0], catalog, secret, {});
#pragma once

#include <memory>
#include <string>

#include "discreet/engine/engine.h"

namespace discreet::engine::duckdb {

class Database;

class Duckdb final : public Engine {
 public:
  static Result<std::unique_ptr<Duckdb>> open(const policy::Policy& policy, const Limits& limits);
  ~Duckdb() override;
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;

  Result<policy::Schemas> schemas(const Watch& watch = {}) override;
  Result<bound::Contributions> run(const plan::PlanPart& part, const policy::Catalog& catalog,
                                   const bound::Secret& secret, const Watch& watch) override;
  // Holds the rows of a survey for the answer, or as many of them as fit into memory.
  std::unique_ptr<PartReader> reader(const plan::PlanPart& part, const policy::Catalog& catalog,
                                     const bound::Secret& secret) override;
  Result<Rows> run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                        const Watch& watch) override;

  // The SQL that run() would send: for tests and the curious; it holds no private value.
  static std::string sql_of(const plan::PlanPart& part, const policy::Catalog& catalog);

 private:
  class HoldsRows;
  Duckdb(policy::Policy policy, std::unique_ptr<Database> database);

  const policy::Policy policy_;
  const std::unique_ptr<Database> database_;
};

}  // namespace discreet::engine::duckdb
