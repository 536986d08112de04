#include "discreet/service/service.h"

#include <fmt/format.h>

#include <algorithm>

#include "discreet/base/try.h"
#include "discreet/base/utf8.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/duckdb/parser.h"
#include "discreet/engine/open.h"
#include "discreet/ledger/account.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/verify.h"
#include "discreet/service/default_delta.h"
#include "discreet/service/helper.h"
#include "discreet/service/public_tables.h"
#include "discreet/service/run.h"
#include "discreet/service/stored.h"
#include "discreet/service/terms.h"

namespace discreet::service {

using std::string;

Service::Service() = default;
Service::~Service() = default;

Result<std::unique_ptr<Service>> Service::open(const string& policy_path,
                                               const engine::Limits& limits,
                                               const engine::Watch& watch, Runs runs) {
  std::unique_ptr<Service> service(new Service());
  service->watch_ = watch;
  service->policy_ = TRY(policy::Policy::read(policy_path));
  const policy::Policy& policy = service->policy_;
  if (runs == Runs::kInHelpers)  // one gets ready while this process does
    service->helpers_ =
        std::make_unique<Helpers>(Opening{policy.text, policy.path, policy.directory, {}, limits});
  service->engine_ = TRY(engine::open(service->policy_, limits, watch));
  auto schemas = TRY(service->engine_->schemas(watch));
  service->catalog_ = TRY(policy::make_catalog(service->policy_, std::move(schemas)));
  return service;
}

Result<plan::Plan> Service::plan(const string& text, const sql::Options& options) {
  const auto parsed = TRY(sql::parse(text, engine::duckdb::parser()));
  const PublicTables public_rows(*engine_, catalog_, watch_);
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
  const plan::Profile known = TRY(known_to(analyst, plan));
  return with_known(std::move(plan), known);
}

Result<plan::Plan> Service::with_known(plan::Plan plan, const plan::Profile& known) {
  if (plan.settled() || known.empty()) return plan;
  return plan::make_plan(plan.question, catalog_, plan.options, known);
}

Result<plan::Profile> Service::known_to(const string& analyst, const plan::Plan& plan,
                                        const plan::Profile& measured) {
  plan::Profile known;
  if (plan.settled()) return known;
  ledger::Ledger* ledger = TRY(book());
  const ledger::Request request = request_of(policy_, plan, analyst, {});
  std::vector<string> wanted;
  for (const string& text : request.tells)
    if (!measured.find(text)) wanted.push_back(text);
  for (const ledger::Ledger::Telling& found : TRY(ledger->known(wanted, request))) {
    const auto profile = read_profile(found.result);
    if (!profile) continue;
    for (const string& text : found.texts)
      if (const plan::Histogram* histogram = profile->find(text)) known.add(*histogram);
  }
  return known;
}

Result<plan::Profile> Service::known_of(const plan::Plan& plan, const string& analyst) {
  const bool chosen = std::any_of(plan.parts.begin(), plan.parts.end(), [](const auto& part) {
    return part.bounding == plan::Bounding::kMeasured;
  });
  if (!chosen) return known_to(analyst, plan);
  // Somebody asked for the profile before (with_profile).
  return known_to(analyst, TRY(plan::make_plan(plan.question, catalog_, plan.options)));
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
  const plan::Profile known = TRY(known_to(asking.analyst, asked, measured));
  plan::Plan then = TRY(with_known(asked, known));
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

std::unique_ptr<Runner> Service::runner(const Asking& asking) {
  if (helpers_) return std::make_unique<RunsInHelper>(*helpers_, policy_, catalog_, asking);
  return std::make_unique<RunsHere>(*engine_, catalog_, asking, random::thread_generator());
}

Result<Profiled> Service::profile(const plan::Plan& plan, const Asking& asking) {
  return profile_of(*runner(asking), plan, asking);
}
Result<Profiled> Service::profile(const plan::Plan& plan, const Asking& asking,
                                  random::Source& source) {
  RunsHere here(*engine_, catalog_, asking, source);
  return profile_of(here, plan, asking);
}
Result<Reply> Service::ask(const plan::Plan& plan, const Asking& asking) {
  return ask_of(*runner(asking), plan, asking);
}
Result<Reply> Service::ask(const plan::Plan& plan, const Asking& asking, random::Source& source) {
  RunsHere here(*engine_, catalog_, asking, source);
  return ask_of(here, plan, asking);
}

Result<Profiled> Service::profile_of(Runner& runner, const plan::Plan& asked,
                                     const Asking& asking) {
  const plan::Profile known = TRY(known_of(asked, asking.analyst));
  const plan::Plan plan = TRY(with_known(asked, known));
  if (plan.settled()) return Profiled{plan, {}, {}};
  const plan::Plan bought = TRY(plan::only_surveys(plan));
  TRY(plan::verify(bought));
  ledger::Ledger* ledger = TRY(book());
  TRY(runner.prepare(bought, known, true));
  if (asking.reserving != nullptr) *asking.reserving = true;
  const auto reservation =
      TRY(ledger->reserve(request_of(policy_, bought, asking.analyst, asking.presenting)));
  const auto measured = TRY(runner.survey(bought));
  const auto receipt = TRY(ledger->commit(reservation, stored_json({}, measured)));
  return Profiled{TRY(with_profile(asked, asking.analyst)), bought.cost, receipt};
}

Result<Reply> Service::ask_of(Runner& runner, const plan::Plan& asked, const Asking& asking) {
  const plan::Profile known = TRY(known_of(asked, asking.analyst));
  const plan::Plan plan = TRY(with_known(asked, known));
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
    TRY(runner.prepare(plan, known, false));
    if (asking.reserving != nullptr) *asking.reserving = true;
    const auto reservation = TRY(ledger->reserve(request));
    // From here on the cost is spent, whatever happens.
    Ran ran = TRY(runner.run(plan));
    reply.plan.emplace(std::move(ran.plan));
    reply.answer = std::move(ran.answer);
    reply.receipt = TRY(ledger->commit(reservation, stored_json(reply.answer, ran.measured)));
  }
  TRY(fill_balances(asking, reply));
  return reply;
}

}  // namespace discreet::service
