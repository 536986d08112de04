// A session: one policy, its engine and its ledger. Ask, and the budget is reserved before a row is
// read.
//
//   auto session = *Session::open("clinic.toml", {});
//   sql::Options options;
//   options.epsilon = Rational(1, 2);
//   auto plan = *session->plan("SELECT COUNT(*) FROM visits", options);  // spends nothing
//   Asking asking;
//   asking.analyst = "ana";
//   auto reply = *session->ask(plan, asking);  // only this spends
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "discreet/engine/engine.h"
#include "discreet/ledger/ledger.h"
#include "discreet/plan/plan.h"
#include "discreet/plan/release.h"
#include "discreet/random/generator.h"
#include "discreet/service/stored.h"

namespace discreet::service {

struct Asking {
  std::string analyst;
  plan::Presenting presenting;
  engine::Watch watch;
  bool reuse = false, stale = false;  // answer an identical question from the ledger, at no cost
};

struct Reply {
  plan::Answer answer;
  privacy::Guarantee guarantee;
  std::optional<ledger::Receipt> receipt;  // none for public questions
  ledger::Amount spent, remaining;         // of the data set's budget, afterwards
  std::string plan;                        // as JSON
  std::optional<std::string> reused;  // when it was first given, where it is given again at no cost
};

class Session {
 public:
  static Result<std::unique_ptr<Session>> open(const std::string& policy_path,
                                               const engine::Limits& limits);

  const policy::Policy& policy() const { return policy_; }
  const policy::Catalog& catalog() const { return catalog_; }

  // Parses, checks and plans. Nothing is spent and no row is read.
  Result<plan::Plan> plan(const std::string& text, const sql::Options& flags) const;
  // Reserves, runs, releases, commits.
  Result<Reply> ask(const plan::Plan& plan, const Asking& asking,
                    random::Source& source = random::thread_generator());
  // Would it fit the budget now?
  Status check_budget(const plan::Plan& plan, const std::string& analyst);

 private:
  Session() = default;
  Result<ledger::Ledger*> book();
  // Scalar subqueries over public tables must be single: looked up before anything is spent.
  Status check_singles(const plan::Plan& plan, const Asking& asking);
  ledger::Request request(const plan::Plan& plan, const std::string& analyst,
                          const plan::Presenting& presenting) const;

  policy::Policy policy_;
  policy::Catalog catalog_;
  std::unique_ptr<engine::Engine> engine_;
  std::unique_ptr<ledger::Ledger> ledger_;
};

// Runs a plan on an engine and releases its answer: everything between the reservation and the
// receipt. It spends whatever the plan costs, and keeps no account of it.
Result<plan::Answer> run_plan(engine::Engine& engine, const policy::Catalog& catalog,
                              const plan::Plan& plan, const Asking& asking,
                              random::Source& source = random::thread_generator());

// What the ledger has to know of a policy.
Result<ledger::Terms> terms_of(const policy::Policy& policy);

}  // namespace discreet::service
