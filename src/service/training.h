// The rows that a model is trained on: a table of a policy, whose ledger pays before a row is read,
// or a file of one's own, where nothing but the file is known.
//
//   const privacy::Event event{privacy::Gaussian{4}};
//   auto table = *TrainingTable::of_policy("clinic.toml", "visits", {});
//   Status paid = table.reserve({.analyst = "ana", .what = "learn erm", .event = event,
//                                .epsilon = 1, .delta = Rational(1, 100000)});
//   auto matrix = *table.read({{"age"}, {"cost"}}, {});
//   auto receipt = *table.commit("{}");  // only now may the model be shown
//
// The order is that of every question (service.h): what is reserved counts as spent, whatever
// happens after. Without a policy there is no ledger, and every row is a unit of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "discreet/engine/duckdb/matrix.h"
#include "discreet/ledger/ledger.h"
#include "discreet/privacy/event.h"
#include "discreet/random/generator.h"

namespace discreet::service {

struct TrainingCost {
  std::string analyst;
  std::string what;      // in words, for the ledger's history
  std::string run = {};  // all that was asked for: only the same goes on with what was reserved
  privacy::Event event;
  Rational epsilon, delta;  // of the whole event
};

class TrainingTable {
 public:
  // Columns that a file stores as texts are read as the types that are given, else as numbers. A
  // JSON file has the columns that are given: finding others would mean reading rows.
  static Result<TrainingTable> of_file(
      const std::string& file, const std::vector<std::pair<std::string, policy::Type>>& types = {},
      const engine::Limits& limits = {});
  static Result<TrainingTable> of_policy(const std::string& policy, const std::string& table,
                                         const engine::Limits& limits = {});

  // Its columns, with what is declared of them; no row was read.
  const policy::Table& table() const { return *catalog_.table(name_); }
  bool has_policy() const { return ledger_ != nullptr; }

  // Reserves the cost: kBudget where it doesn't fit. Does nothing without a policy.
  Status reserve(const TrainingCost& cost);
  // What is reserved, as a text; empty: nothing. A run that was interrupted goes on with it: the
  // ledger must have it open still, for this very cost, analyst, run, policy and data.
  // Its checkpoint, known by a digest, must be the latest; the ledger says after how many steps to
  // go on (ledger/ledger.h, Progress). Nothing where there is no ledger.
  std::string reservation() const;
  Result<std::optional<std::uint64_t>> resume(const TrainingCost& cost,
                                              const std::string& reservation,
                                              const std::string& checkpoint);
  // Before a checkpoint that counts so many steps as spent takes its place. Does nothing without a
  // policy.
  Status advance(std::uint64_t begun, const std::string& checkpoint,
                 ledger::Ledger::Going going = ledger::Ledger::Going::kOn);
  // The rows. Refused where a policy's ledger has nothing reserved for it.
  Result<engine::duckdb::Matrix> read(const std::vector<engine::duckdb::MatrixColumn>& columns,
                                      const engine::Watch& watch,
                                      random::Source& source = random::thread_generator());
  // What was learnt, as JSON: kept by the ledger. Nothing without a policy.
  Result<std::optional<ledger::Receipt>> commit(const std::string& result);

 private:
  TrainingTable() = default;
  ledger::Request request_of(const TrainingCost& cost) const;

  policy::Policy policy_;
  policy::Catalog catalog_;
  std::string name_;
  engine::Limits limits_;
  std::unique_ptr<ledger::Ledger> ledger_;
  std::optional<ledger::Reservation> reservation_;
  ledger::Progress progress_;
};

}  // namespace discreet::service
