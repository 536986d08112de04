#include "discreet/service/session.h"

#include <fmt/format.h>

#include <filesystem>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/duckdb.h"
#include "discreet/ledger/record.h"

namespace discreet::service {

using std::string;

Result<ledger::Terms> terms_of(const policy::Policy& policy) {
  namespace fs = std::filesystem;
  std::error_code error;  // the first
  // A file's one real name, whether it is there or not.
  const auto real = [&](const fs::path& path) {
    std::error_code now;
    string name = fs::weakly_canonical(path, now).string();
    if (!error) error = now;
    return name;
  };
  ledger::Terms terms;
  terms.policy = policy.name;
  terms.epsilon = policy.epsilon;
  terms.delta = policy.delta;
  auto accountant = TRY(ledger::parse_accountant(policy.accountant));
  terms.accountant = accountant;
  if (policy.renewal_seconds) terms.renewal = std::chrono::seconds(*policy.renewal_seconds);
  terms.max_epsilon_per_query = policy.max_epsilon_per_query;
  terms.location = policy.ledger.find("://") != string::npos ? policy.ledger : real(policy.ledger);
  if (error)
    return fail(Code::kFailure, fmt::format("{}: policy.ledger: there can be no file '{}': {}",
                                            policy.path, policy.ledger, error.message()));
  for (const policy::TableRule& table : policy.tables) {
    if (table.is_public) continue;
    // The files behind a pattern, each by its one real name: another policy may name one of them
    // alone.
    for (const string& file : table.files) terms.sources.push_back(real(file));
    if (!table.files.empty()) continue;
    string source = table.source;
    if (const auto hash = source.find('#'); hash != string::npos) source.resize(hash);
    terms.sources.push_back(real(fs::path(policy.directory) / source));
  }
  if (error)
    return fail(Code::kFailure,
                fmt::format("{}: a source can't be found: {}", policy.path, error.message()));
  terms.policy_hash = ledger::sha256_hex(policy.text);
  return terms;
}

Result<std::unique_ptr<Session>> Session::open(const string& policy_path,
                                               const engine::Limits& limits) {
  std::unique_ptr<Session> session(new Session());
  auto policy = TRY(policy::Policy::read(policy_path));
  session->policy_ = std::move(policy);
  auto engine = TRY(engine::duckdb::Duckdb::open(session->policy_, limits));
  session->engine_ = std::move(engine);
  auto schemas = TRY(session->engine_->schemas());
  auto catalog = TRY(policy::make_catalog(session->policy_, std::move(schemas)));
  session->catalog_ = std::move(catalog);
  return session;
}

Result<plan::Plan> Session::plan(const string& text, const sql::Options& flags) const {
  auto parsed = TRY(sql::parse(text));
  auto question = TRY(sql::check(parsed, catalog_, engine::duckdb::calculator()));
  auto options = TRY(sql::merge(flags, question.options));
  auto plan = TRY(plan::make_plan(std::move(question), catalog_, options));
  if (policy_.max_epsilon_per_query && plan.cost.epsilon > *policy_.max_epsilon_per_query)
    return fail(
        Code::kBudget,
        fmt::format("the query asks for ε = {}, the policy allows {} a query",
                    to_decimal(plan.cost.epsilon), to_decimal(*policy_.max_epsilon_per_query)),
        "ask with a smaller --epsilon");
  if (policy_.max_delta_per_query && plan.cost.delta > *policy_.max_delta_per_query)
    return fail(Code::kBudget,
                fmt::format("the query asks for δ = {}, the policy allows {} a query",
                            to_decimal(plan.cost.delta), to_decimal(*policy_.max_delta_per_query)),
                "ask with a smaller --delta");
  return plan;
}

Result<ledger::Ledger*> Session::book() {
  if (!ledger_) {
    auto terms = TRY(terms_of(policy_));
    auto opened = TRY(ledger::Ledger::open(terms));
    ledger_ = std::move(opened);
  }
  return ledger_.get();
}

ledger::Request Session::request(const plan::Plan& plan, const string& analyst,
                                 const plan::Presenting& presenting) const {
  ledger::Request out;
  out.analyst = analyst;
  out.query = canonical_query(plan);
  // How it is presented belongs to the answer that is stored.
  out.plan = fmt::format("{} confidence {}{}", json(plan), to_decimal(presenting.confidence),
                         presenting.nonnegative ? " nonnegative" : "");
  out.epsilon = plan.cost.epsilon;
  out.delta = plan.cost.delta;
  // What `discreet account` reads back. All Gaussian numbers of a part are one mechanism; the
  // others are charged by their shares.
  const auto charge = [&](const Rational& epsilon, const Rational& delta,
                          const std::optional<Rational>& rho) {
    string text = delta == 0 ? fmt::format("dp(epsilon={})", to_decimal(epsilon))
                             : fmt::format("dp(epsilon={}, delta={})", to_decimal(epsilon),
                                           to_decimal(delta));
    if (rho && policy_.accountant == "zcdp") text = fmt::format("zcdp(rho={})", to_decimal(*rho));
    out.events.push_back({std::move(text), epsilon, delta, rho});
  };
  for (const plan::PlanPart& part : plan.parts) {
    if (part.selection) charge(part.selection->epsilon, part.selection->delta, {});
    if (part.gaussian) charge(part.gaussian->epsilon, part.gaussian->delta, part.rho);
    for (const plan::Statistic& one : part.statistics)
      if (one.noise != plan::Noise::kGaussian) charge(one.epsilon, 0, {});
  }
  std::error_code ignored;
  for (const policy::TableRule& table : policy_.tables)
    for (const string& file : table.files)
      out.source_stamp +=
          fmt::format("{} {} {};", file, std::filesystem::file_size(file, ignored),
                      std::filesystem::last_write_time(file, ignored).time_since_epoch().count());
  return out;
}

Status Session::check_budget(const plan::Plan& plan, const string& analyst) {
  if (plan.question.open) return {};
  auto ledger = TRY(book());
  return ledger->check(request(plan, analyst, {}));
}

Result<plan::Answer> run_plan(engine::Engine& engine, const policy::Catalog& catalog,
                              const plan::Plan& plan, const Asking& asking,
                              random::Source& source) {
  std::vector<bound::Contributions> contributions;
  for (const plan::PlanPart& part : plan.parts) {
    auto secret = TRY(bound::Secret::draw(source));
    auto one = TRY(engine.run(part, catalog, secret, asking.watch));
    contributions.push_back(std::move(one));
  }
  return plan::release(plan, contributions, asking.presenting, engine::duckdb::calculator(),
                       source);
}

Status Session::check_singles(const plan::Plan& plan, const Asking& asking) {
  for (const sql::Single& single : plan.question.singles) {
    auto rows = TRY(engine_->run_open(*single.rows, catalog_, asking.watch));
    if (!rows.empty() && !rows[0][0].null && rows[0][0].whole > 1)
      return fail(
          Code::kRefused,
          fmt::format("this subquery stands for one value and has {} rows", rows[0][0].whole),
          "take an aggregate of them, such as MAX, or IN", single.position);
  }
  return {};
}

Result<Reply> Session::ask(const plan::Plan& plan, const Asking& asking, random::Source& source) {
  Reply reply;
  reply.plan = json(plan);
  TRY(check_singles(plan, asking));
  if (plan.question.open) {
    auto rows = TRY(engine_->run_open(*plan.question.open, catalog_, asking.watch));
    reply.answer.columns = plan.question.open_names;
    for (const policy::Column& column : plan.question.open->columns)
      reply.answer.types.push_back(column.type);
    for (std::vector<policy::Value>& row : rows) {
      reply.answer.rows.emplace_back();
      for (policy::Value& value : row) reply.answer.rows.back().push_back({std::move(value), {}});
    }
    return reply;
  }
  auto ledger = book();
  if (!ledger) return forward_error(ledger);
  const ledger::Request asked = request(plan, asking.analyst, asking.presenting);
  const auto balance = [&]() -> Status {
    auto balances = TRY((*ledger)->balances());
    reply.spent = balances.data_set.spent;
    if (balances.data_set.remaining) reply.remaining = *balances.data_set.remaining;
    return {};
  };
  if (asking.reuse) {
    auto found = TRY((*ledger)->reuse(asked, asking.stale));
    if (found) {
      auto answer = TRY(read_answer(found->result, plan));
      reply.answer = std::move(answer);
      reply.guarantee = plan.cost;
      reply.reused = found->when;
      reply.receipt = found->receipt;
      TRY(balance());
      return reply;
    }
  }
  auto reservation = TRY((*ledger)->reserve(asked));
  // From here on the cost is spent, whatever happens.
  auto answer = TRY(run_plan(*engine_, catalog_, plan, asking, source));
  reply.answer = std::move(answer);
  reply.guarantee = plan.cost;
  auto receipt = TRY((*ledger)->commit(reservation, stored_json(reply.answer)));
  reply.receipt = receipt;
  TRY(balance());
  return reply;
}

}  // namespace discreet::service
