// DuckDB, embedded and locked: it can read the policy's sources and nothing else, loads no
// extension, and its own error texts (which can show rows) never come out.
//
//   #include "discreet/random/generator.h"
//   auto policy = *sql::Policy::read("clinic.toml");
//   auto database = *Duckdb::open(policy, {});
//   auto catalog = *sql::make_catalog(policy, *database->schemas());
//   auto question = *sql::check(*sql::parse("SELECT COUNT(*) FROM visits"), catalog);
//   sql::Options options;
//   options.epsilon = Rational(1, 2);
//   auto plan = *sql::make_plan(question, catalog, options);
//   auto secret = *bound::Secret::draw(random::thread_generator());
//   auto contributions = *database->run(plan.parts[0], catalog, secret, {});
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/bound/secret.h"
#include "discreet/sql/catalog.h"
#include "discreet/sql/plan.h"

namespace discreet::engine {

struct Limits {
  std::size_t memory =
      0;  // bytes, of which DuckDB and the bounding get half each; 0: half of the machine's
  unsigned threads = 0;  // 0: as many as the machine has cores
};

// Looks on while a query runs.
struct Watch {
  std::function<void(double percent)> progress;  // may be empty
  // May be empty. Where memory is short the rows are read several times, for a part of the units
  // each time; said at the start of each.
  std::function<void(std::uint32_t pass, std::uint32_t passes)> pass;
  const std::atomic<bool>* stop = nullptr;  // set: interrupt the query
  double timeout_seconds = 0;               // 0: none
};

class Duckdb {
 public:
  static Result<std::unique_ptr<Duckdb>> open(const sql::Policy& policy, const Limits& limits);
  ~Duckdb();
  Duckdb(const Duckdb&) = delete;
  Duckdb& operator=(const Duckdb&) = delete;

  // The columns of each of the policy's tables, from headers and metadata: no row is read.
  Result<std::vector<std::vector<sql::StoredColumn>>> schemas();

  // Feeds the plan's rows to the bounding. An error here never tells anything about the rows.
  Result<bound::Contributions> run(const sql::PlanPart& part, const sql::Catalog& catalog,
                                   const bound::Secret& secret, const Watch& watch);

  // A question about public tables.
  Result<std::vector<std::vector<sql::Value>>> run_open(const sql::Relation& relation,
                                                        const sql::Catalog& catalog,
                                                        const Watch& watch);

  // The SQL that run() would send: for tests and the curious; it holds no private value.
  static std::string sql_of(const sql::PlanPart& part, const sql::Catalog& catalog);

 private:
  struct State;
  explicit Duckdb(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace discreet::engine
