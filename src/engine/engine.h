// An engine: where the rows are. It evaluates the algebra up to what each unit contributes, bounded
// and added up; no noise is ever drawn in it. DuckDB, embedded, is one; others stand in folders of
// their own beside it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "discreet/bound/contributions.h"
#include "discreet/bound/secret.h"
#include "discreet/plan/plan.h"
#include "discreet/policy/catalog.h"

namespace discreet::engine {

inline constexpr std::size_t kEighthsForRows = 5;
struct Limits {
  // Bytes, of which the bounding gets kEighthsForRows and the engine the rest; 0: half of the
  // machine's.
  std::size_t memory = 0;
  unsigned threads = 0;  // 0: as many as the machine has cores
  unsigned queries = 1;  // that may run at once, sharing the memory; others wait
};

// Looks on while a query runs, or while a server is asked about itself.
struct Watch {
  std::function<void(double percent)> progress;  // may be empty
  // May be empty. Where memory is short the rows are read several times, for a part of the units
  // each time; said at the start of each.
  std::function<void(std::uint32_t pass, std::uint32_t passes)> pass;
  const std::atomic<bool>* stop = nullptr;  // set: interrupt the query
  double timeout_seconds = 0;               // 0: none
};

using Rows = std::vector<std::vector<policy::Value>>;

// Asks for what the units contribute to a part of a plan: to its survey first, where it has one,
// then with the bounds that it led to. What was read for the one may be held for the other.
class PartReader {
 public:
  virtual ~PartReader() = default;
  virtual Result<bound::Contributions> run(const plan::PlanPart& part, const Watch& watch) = 0;
};

// All of it may be called from several threads at once.
class Engine {
 public:
  virtual ~Engine() = default;

  // The columns of each of the policy's tables, from headers and metadata: no row is read.
  virtual Result<policy::Schemas> schemas(const Watch& watch = {}) = 0;

  // Whether this engine can calculate all that a part, or a question about public tables, is made
  // of: refused before anything is reserved, and by the question alone.
  virtual Status accepts(const plan::PlanPart& /*part*/, const policy::Catalog& /*catalog*/,
                         const Watch& /*watch*/) {
    return {};
  }
  virtual Status accepts_open(const sql::Relation& /*relation*/, const policy::Catalog& /*catalog*/,
                              const Watch& /*watch*/) {
    return {};
  }

  // What the units contribute to a part of a plan. The secret decides which rows and groups of a
  // unit count; the same secret gives the same integers, whatever the engine. An error here never
  // tells anything about the rows.
  virtual Result<bound::Contributions> run(const plan::PlanPart& part,
                                           const policy::Catalog& catalog,
                                           const bound::Secret& secret, const Watch& watch) = 0;

  // For a part that is surveyed first; the engine and the catalog must outlive it. As long as it is
  // there it may keep other queries waiting: who has one asks for nothing else.
  virtual std::unique_ptr<PartReader> reader(const plan::PlanPart& part,
                                             const policy::Catalog& catalog,
                                             const bound::Secret& secret);

  // A question about public tables, answered exactly.
  virtual Result<Rows> run_open(const sql::Relation& relation, const policy::Catalog& catalog,
                                const Watch& watch) = 0;
};

}  // namespace discreet::engine
