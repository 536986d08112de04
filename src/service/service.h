// A service: one policy, its engine and its ledger. Ask, and the budget is reserved before a row is
// read.
//
//   auto service = *Service::open("clinic.toml", {});
//   sql::Options options;
//   options.epsilon = Rational(1, 2);
//   auto plan = *service->plan("SELECT COUNT(*) FROM visits", options);  // spends nothing
//   Asking asking;
//   asking.analyst = "ana";
//   auto reply = *service->ask(plan, asking);  // only this spends
//
// Many analysts may use one Service, from as many threads as they like: a query has a connection of
// its own, as many run at once as the limits say, and the ledger takes them in turn.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "discreet/random/generator.h"
#include "discreet/service/reply.h"

namespace discreet::service {

class Helpers;
class Runner;

class Service {
 public:
  // Where questions about private rows run: in a helper process each, so that a crash or a hang
  // tells nothing and ends (helper.h); or in this one, which is for whoever holds the rows in its
  // memory anyway, and for who asks nothing.
  enum class Runs { kInHelpers, kHere };
  // Whoever waits for a server outside of a query (for its tables, a plan, its name) waits as long
  // as the watch allows, which therefore lives as long as the service does.
  static Result<std::unique_ptr<Service>> open(const std::string& policy_path,
                                               const engine::Limits& limits,
                                               const engine::Watch& watch = {},
                                               Runs runs = Runs::kInHelpers);
  ~Service();

  const policy::Policy& policy() const { return policy_; }
  const policy::Catalog& catalog() const { return catalog_; }

  // Parses, checks and plans. Nothing is spent, and no row is read but of public tables whose
  // columns are keys: which groups there are.
  // Where a δ is needed and none is given, a hundredth of the ledger's is taken.
  Result<plan::Plan> plan(const std::string& text, const sql::Options& options);
  // The same plan with bounds by what this analyst has paid to know (plan/profile.h): the share
  // that a survey would take goes to the answer.
  Result<plan::Plan> with_profile(plan::Plan plan, const std::string& analyst);
  // Buys what `with_profile` needs for this question, with all of its ε; no answer.
  Result<Profiled> profile(const plan::Plan& plan, const Asking& asking);
  // … in this process, with these bits.
  Result<Profiled> profile(const plan::Plan& plan, const Asking& asking, random::Source& source);
  // What it would cost and how accurate it would be, in groups of these sizes.
  Result<Explanation> explain(plan::Plan plan, const std::string& analyst,
                              const std::vector<std::int64_t>& group_sizes,
                              const Rational& confidence);
  // Verifies the plan again, reserves, runs, releases, commits.
  Result<Reply> ask(const plan::Plan& plan, const Asking& asking);
  // … in this process, with these bits.
  Result<Reply> ask(const plan::Plan& plan, const Asking& asking, random::Source& source);
  // What is spent and left.
  Result<ledger::Balances> balances();
  // What the caps of an analyst leave them, where any binds them (ledger/ledger.h).
  Result<std::optional<ledger::Amount>> left_for(const std::string& analyst);

 private:
  Service();
  Result<Reply> ask_of(Runner& runner, const plan::Plan& plan, const Asking& asking);
  Result<Profiled> profile_of(Runner& runner, const plan::Plan& plan, const Asking& asking);
  std::unique_ptr<Runner> runner(const Asking& asking);
  // What the analyst has paid to know of what a plan's surveys would measure, but for `measured`.
  Result<plan::Profile> known_to(const std::string& analyst, const plan::Plan& plan,
                                 const plan::Profile& measured = {});
  // … by which this plan was made.
  Result<plan::Profile> known_of(const plan::Plan& plan, const std::string& analyst);
  Result<ledger::Ledger*> book();
  Status engine_accepts(const plan::Plan& plan, const engine::Watch& watch);
  // Scalar subqueries over public tables must be single: looked up before anything is spent.
  Status check_singles(const plan::Plan& plan, const Asking& asking);
  Status ask_open(const plan::Plan& plan, const Asking& asking, Reply& reply);
  Result<plan::Plan> with_known(plan::Plan plan, const plan::Profile& known);
  // The answer that was paid for before; false if there is none.
  Result<bool> ask_again(const plan::Plan& asked, const ledger::Request& request,
                         const Asking& asking, Reply& reply);
  Status fill_balances(const Asking& asking, Reply& reply);

  engine::Watch watch_;
  policy::Policy policy_;
  policy::Catalog catalog_;
  std::unique_ptr<Helpers> helpers_;  // null: in this process
  std::unique_ptr<engine::Engine> engine_;
  std::mutex opening_;  // of the ledger, at its first use
  std::unique_ptr<ledger::Ledger> ledger_;
};

// The histograms of a plan's surveys, released.
Result<plan::Profile> run_surveys(engine::Engine& engine, const policy::Catalog& catalog,
                                  const plan::Plan& plan, const Asking& asking,
                                  random::Source& source = random::thread_generator());

// Runs a plan on an engine, its surveys first, and releases its answer: everything between the
// reservation and the receipt. It spends whatever the plan costs, and keeps no account of it.
Result<plan::Answer> run_plan(engine::Engine& engine, const policy::Catalog& catalog,
                              const plan::Plan& plan, const Asking& asking,
                              random::Source& source = random::thread_generator());

}  // namespace discreet::service
