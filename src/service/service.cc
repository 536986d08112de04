#include "discreet/service/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/open.h"
#include "discreet/ledger/account.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/verify.h"
#include "discreet/service/default_delta.h"
#include "discreet/service/stored.h"
#include "discreet/service/terms.h"

namespace discreet::service {

using std::string;

Result<std::unique_ptr<Service>> Service::open(const string& policy_path,
                                               const engine::Limits& limits,
                                               const engine::Watch& watch) {
  std::unique_ptr<Service> service(new Service());
  service->watch_ = watch;
  service->policy_ = TRY(policy::Policy::read(policy_path));
  service->engine_ = TRY(engine::open(service->policy_, limits, watch));
  auto schemas = TRY(service->engine_->schemas(watch));
  service->catalog_ = TRY(policy::make_catalog(service->policy_, std::move(schemas)));
  return service;
}

namespace {

// Public tables as the engine reads them, for the keys of groups.
class EngineRows final : public sql::PublicRows {
 public:
  EngineRows(engine::Engine& engine, const policy::Catalog& catalog, const engine::Watch& watch)
      : engine_(engine), catalog_(catalog), watch_(watch) {}
  Result<engine::Rows> rows(const sql::Relation& relation) const override {
    return engine_.run_open(relation, catalog_, watch_);
  }

 private:
  engine::Engine& engine_;
  const policy::Catalog& catalog_;
  const engine::Watch& watch_;
};

}  // namespace

Result<plan::Plan> Service::plan(const string& text, const sql::Options& options) {
  const auto parsed = TRY(sql::parse(text));
  const EngineRows public_rows(*engine_, catalog_, watch_);
  auto question =
      TRY(sql::check(parsed, catalog_, plan::tools(engine::duckdb::calculator(), &public_rows)));
  auto merged = TRY(sql::merge(options, question.options));
  if (merged.delta.value_or(0) == 0 && plan::needs_delta(question, merged))
    merged.default_delta = default_delta(TRY(balances()));
  auto plan = TRY(plan::make_plan(std::move(question), catalog_, merged));
  TRY(engine_accepts(plan, watch_));
  return plan;
}

// Every way to be refused comes before the reservation: what a survey asks is made of the same
// rows.
Status Service::engine_accepts(const plan::Plan& plan, const engine::Watch& watch) {
  if (plan.question.open) TRY(engine_->accepts_open(*plan.question.open, catalog_, watch));
  for (const sql::Single& single : plan.question.singles)
    TRY(engine_->accepts_open(*single.rows, catalog_, watch));
  for (const plan::PlanPart& part : plan.parts) {
    TRY(engine_->accepts(part, catalog_, watch));
    if (part.survey) TRY(engine_->accepts(plan::survey_part(part), catalog_, watch));
  }
  return {};
}

Result<ledger::Ledger*> Service::book() {
  const std::lock_guard lock(opening_);
  if (!ledger_)
    ledger_ = TRY(ledger::Ledger::open(TRY(terms_of(policy_, Server::kMustAnswer, watch_))));
  return ledger_.get();
}

Result<ledger::Balances> Service::balances() { return TRY(book())->balances(); }

Result<std::optional<ledger::Amount>> Service::left_for(const string& analyst) {
  return TRY(book())->left_for(analyst);
}

Result<Explanation> Service::explain(plan::Plan plan, const string& analyst,
                                     const std::vector<std::int64_t>& group_sizes,
                                     const Rational& confidence) {
  Explanation out{TRY(with_profile(std::move(plan), analyst)), {}, confidence, {}};
  if (!out.plan.question.open) {
    ledger::Ledger* ledger = TRY(book());
    out.fits = ledger->check(request_of(policy_, out.plan, analyst, {}));
    if (!out.fits && out.fits.error().code != Code::kBudget) return forward_error(out.fits);
  }
  // Where bounds are still to be measured, so is the error.
  for (std::size_t i = 0; i < out.plan.parts.size(); ++i)
    for (const std::int64_t size : group_sizes)
      if (out.plan.parts[i].bounding != plan::Bounding::kToMeasure)
        out.expected.push_back({i, size, expected_error(out.plan.parts[i], size, confidence)});
  return out;
}

Result<plan::Plan> Service::with_profile(plan::Plan plan, const string& analyst) {
  return with_profile_but(std::move(plan), analyst, {});
}

Result<plan::Plan> Service::with_profile_but(plan::Plan plan, const string& analyst,
                                             const plan::Profile& measured) {
  if (plan.settled()) return plan;
  ledger::Ledger* ledger = TRY(book());
  const ledger::Request request = request_of(policy_, plan, analyst, {});
  plan::Profile known;
  for (const string& text : request.tells) {
    if (measured.find(text)) continue;
    if (const auto found = TRY(ledger->known(text, request)))
      if (const auto profile = read_profile(*found))
        if (const plan::Histogram* histogram = profile->find(text)) known.add(*histogram);
  }
  if (known.empty()) return plan;
  return plan::make_plan(plan.question, catalog_, plan.options, known);
}

Result<plan::Profile> run_surveys(engine::Engine& engine, const policy::Catalog& catalog,
                                  const plan::Plan& plan, const Asking& asking,
                                  random::Source& source) {
  plan::Profile out;
  for (const plan::PlanPart& part : plan.parts) {
    if (part.bounding != plan::Bounding::kToMeasure) continue;
    const auto secret = TRY(bound::Secret::draw(source));
    const auto counted = TRY(engine.run(plan::survey_part(part), catalog, secret, asking.watch));
    out.add(TRY(plan::release_survey(part, counted, source)));
  }
  return out;
}

Result<plan::Answer> run_plan(engine::Engine& engine, const policy::Catalog& catalog,
                              const plan::Plan& plan, const Asking& asking,
                              random::Source& source) {
  if (!plan.settled()) {
    const auto measured = TRY(run_surveys(engine, catalog, plan, asking, source));
    return run_plan(engine, catalog, TRY(plan::settle(plan, catalog, measured)), asking, source);
  }
  std::vector<bound::Contributions> contributions;
  for (const plan::PlanPart& part : plan.parts) {
    const auto secret = TRY(bound::Secret::draw(source));
    contributions.push_back(TRY(engine.run(part, catalog, secret, asking.watch)));
  }
  return plan::release(plan, contributions, asking.presenting, engine::duckdb::calculator(),
                       source);
}

Status Service::check_singles(const plan::Plan& plan, const Asking& asking) {
  for (const sql::Single& single : plan.question.singles) {
    const auto rows = TRY(engine_->run_open(*single.rows, catalog_, asking.watch));
    if (!rows.empty() && !rows[0][0].null && rows[0][0].whole > 1)
      return fail(
          Code::kRefused,
          fmt::format("this subquery stands for one value and has {} rows", rows[0][0].whole),
          "take an aggregate of them, such as MAX, or IN", single.position);
  }
  return {};
}

Status Service::ask_open(const plan::Plan& plan, const Asking& asking, Reply& reply) {
  auto rows = TRY(engine_->run_open(*plan.question.open, catalog_, asking.watch));
  reply.answer.columns = plan.question.open_names;
  for (const policy::Column& column : plan.question.open->columns)
    reply.answer.types.push_back(column.type);
  for (std::vector<policy::Value>& row : rows) {
    reply.answer.rows.emplace_back();
    for (policy::Value& value : row) reply.answer.rows.back().push_back({std::move(value), {}});
  }
  return {};
}

Result<bool> Service::ask_again(const plan::Plan& asked, const ledger::Request& request,
                                const Asking& asking, Reply& reply) {
  ledger::Ledger* ledger = TRY(book());
  const auto found = TRY(ledger->reuse(request, asking.stale));
  if (!found) return false;
  reply.answer = TRY(read_answer(found->result, *reply.plan));
  // As it was run then: what it has measured itself it didn't know before.
  const plan::Profile measured = TRY(read_profile(found->result));
  plan::Plan then = TRY(with_profile_but(asked, asking.analyst, measured));
  if (then.settled()) {
    reply.plan.emplace(std::move(then));
  } else if (auto settled = plan::settle(then, catalog_, measured)) {
    reply.plan.emplace(std::move(*settled));
  }
  plan::describe_columns(reply.plan->parts[0], asking.presenting.confidence, reply.answer);
  reply.reused = found->when;
  reply.receipt = found->receipt;
  return true;
}

namespace {

// How often the cost fits into what is left: whole times.
std::optional<std::int64_t> times(const privacy::Guarantee& cost,
                                  const std::optional<ledger::Amount>& left) {
  if (!left) return std::nullopt;
  std::optional<Integer> most;
  for (const auto& [price, purse] :
       {std::pair{&cost.epsilon, &left->epsilon}, {&cost.delta, &left->delta}}) {
    if (*price <= 0) continue;
    const Rational ratio = *purse / *price;
    const Integer whole = ratio.get_num() / ratio.get_den();
    if (!most || whole < *most) most = whole;
  }
  if (!most || *most > 1'000'000'000) return std::nullopt;
  return most->get_si();
}

}  // namespace

Status Service::fill_balances(const Asking& asking, Reply& reply) {
  const auto balances = TRY(TRY(book())->balances());
  reply.data_set = balances.data_set;
  reply.more_like_it = times(reply.guarantee, balances.data_set.remaining);
  const auto left = TRY(TRY(book())->left_for(asking.analyst));
  for (const ledger::Balance& one : balances.analysts)
    if (one.name == asking.analyst && left) {
      reply.analyst = one;
      reply.analyst->remaining = left;
      const auto own = times(reply.guarantee, left);
      if (own) reply.more_like_it = std::min(reply.more_like_it.value_or(*own), *own);
    }
  return {};
}

namespace {

// Who asks for what is free mustn't be charged.
Error nothing_recorded(const ledger::Request& request) {
  return {
      Code::kRefused,
      fmt::format("no answer to this question is recorded; asking it would cost ε {}, δ {}, and "
                  "nothing was spent",
                  ledger::short_text(request.epsilon, Rounding::kUp),
                  ledger::short_text(request.delta, Rounding::kUp)),
      advise("or-ask", "") + " to ask it then",
      {},
      "reuse"};
}

}  // namespace

Result<Profiled> Service::profile(const plan::Plan& plan, const Asking& asking,
                                  random::Source& source) {
  const plan::Plan known = TRY(with_profile(plan, asking.analyst));
  if (known.settled()) return Profiled{known, {}, {}};
  const plan::Plan bought = TRY(plan::only_surveys(known));
  TRY(plan::verify(bought));
  ledger::Ledger* ledger = TRY(book());
  const auto reservation =
      TRY(ledger->reserve(request_of(policy_, bought, asking.analyst, asking.presenting)));
  const auto measured = TRY(run_surveys(*engine_, catalog_, bought, asking, source));
  const auto receipt = TRY(ledger->commit(reservation, stored_json({}, measured)));
  return Profiled{TRY(with_profile(plan, asking.analyst)), bought.cost, receipt};
}

Result<Reply> Service::ask(const plan::Plan& asked, const Asking& asking, random::Source& source) {
  const plan::Plan plan = TRY(with_profile(asked, asking.analyst));
  Reply reply(plan);
  // Once more, where the money is: whoever hands in a plan, it pays for what it releases.
  TRY(plan::verify(plan));
  TRY(engine_accepts(plan, asking.watch));
  TRY(check_singles(plan, asking));
  if (plan.question.open) {
    TRY(ask_open(plan, asking, reply));
    return reply;
  }
  reply.guarantee = plan.cost;
  ledger::Ledger* ledger = TRY(book());
  ledger::Request request = request_of(policy_, plan, asking.analyst, asking.presenting);
  if (is_utf8(asking.asked)) request.asked = asking.asked;
  const bool given_again = asking.reuse && TRY(ask_again(asked, request, asking, reply));
  if (asking.reuse && !given_again && !asking.or_ask)
    return tl::unexpected<Error>(nothing_recorded(request));
  if (!given_again) {
    const auto reservation = TRY(ledger->reserve(request));
    // From here on the cost is spent, whatever happens.
    plan::Profile measured;
    if (!plan.settled()) {
      measured = TRY(run_surveys(*engine_, catalog_, plan, asking, source));
      reply.plan.emplace(TRY(plan::settle(plan, catalog_, measured)));
      TRY(plan::verify(*reply.plan));
    }
    reply.answer = TRY(run_plan(*engine_, catalog_, *reply.plan, asking, source));
    reply.receipt = TRY(ledger->commit(reservation, stored_json(reply.answer, measured)));
  }
  TRY(fill_balances(asking, reply));
  return reply;
}

}  // namespace discreet::service
