#include "discreet/service/run.h"

#include <exception>

#include "discreet/base/try.h"
#include "discreet/engine/duckdb/calculator.h"
#include "discreet/engine/failure.h"
#include "discreet/plan/release.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/verify.h"
#include "discreet/service/helper_request.h"
#include "discreet/service/service.h"
#include "discreet/service/stored.h"

namespace discreet::service {

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
  return TRY(run_here(engine, catalog, plan, asking, source)).answer;
}

namespace {

Result<plan::Answer> run_settled(engine::Engine& engine, const policy::Catalog& catalog,
                                 const plan::Plan& plan, const Asking& asking,
                                 random::Source& source) {
  std::vector<bound::Contributions> contributions;
  for (const plan::PlanPart& part : plan.parts) {
    const auto secret = TRY(bound::Secret::draw(source));
    contributions.push_back(TRY(engine.run(part, catalog, secret, asking.watch)));
  }
  return plan::release(plan, contributions, asking.presenting, engine::duckdb::calculator(),
                       source);
}

// The rows may be read once for both. (Of several parts each is read twice: held together they
// would need the memory of several queries.)
Result<Ran> run_one_part(engine::Engine& engine, const policy::Catalog& catalog,
                         const plan::Plan& plan, const Asking& asking, random::Source& source) {
  const plan::PlanPart& part = plan.parts[0];
  const auto secret = TRY(bound::Secret::draw(source));
  const auto reader = engine.reader(part, catalog, secret);
  const auto counted = TRY(reader->run(plan::survey_part(part), asking.watch));
  auto measured = TRY(plan::release_survey(part, counted, source));
  plan::Plan settled = TRY(plan::settle(plan, catalog, measured));
  TRY(plan::verify(settled));
  const std::vector<bound::Contributions> contributions = {
      TRY(reader->run(settled.parts[0], asking.watch))};
  auto answer = TRY(plan::release(settled, contributions, asking.presenting,
                                  engine::duckdb::calculator(), source));
  return Ran{std::move(answer), std::move(measured), std::move(settled)};
}

}  // namespace

Result<Ran> run_here(engine::Engine& engine, const policy::Catalog& catalog, const plan::Plan& plan,
                     const Asking& asking, random::Source& source) {
  if (plan.settled()) return Ran{TRY(run_settled(engine, catalog, plan, asking, source)), {}, plan};
  if (plan.parts.size() == 1) return run_one_part(engine, catalog, plan, asking, source);
  auto measured = TRY(run_surveys(engine, catalog, plan, asking, source));
  plan::Plan settled = TRY(plan::settle(plan, catalog, measured));
  TRY(plan::verify(settled));
  auto answer = TRY(run_settled(engine, catalog, settled, asking, source));
  return Ran{std::move(answer), std::move(measured), std::move(settled)};
}

Result<plan::Profile> RunsHere::survey(const plan::Plan& plan) {
  return run_surveys(engine_, catalog_, plan, asking_, source_);
}

Status RunsInHelper::prepare(const plan::Plan& plan, const plan::Profile& known,
                             bool only_surveys) {
  return conversation_.prepare({plan.question.text, plan.options, known, only_surveys,
                                asking_.presenting,
                                fingerprint(policy_, plan, asking_.presenting)});
}

namespace {

// A reader of JSON throws where a type isn't what it should be.
template <class Read>
auto strictly(const Read& read) -> decltype(read()) {
  try {
    if (auto out = read()) return out;
  } catch (const std::exception&) {
  }
  return engine::could_not_run();
}

}  // namespace

Result<plan::Profile> RunsInHelper::survey(const plan::Plan&) {
  const std::string released = TRY(conversation_.go());
  return strictly([&] { return read_profile(released); });
}

Result<Ran> RunsInHelper::run(const plan::Plan& plan) {
  const std::string released = TRY(conversation_.go());
  return strictly([&]() -> Result<Ran> {
    auto measured = TRY(read_profile(released));
    plan::Plan settled = plan.settled() ? plan : TRY(plan::settle(plan, catalog_, measured));
    TRY(plan::verify(settled));
    auto answer = TRY(read_answer(released, settled));
    plan::describe_columns(settled.parts[0], asking_.presenting.confidence, answer);
    return Ran{std::move(answer), std::move(measured), std::move(settled)};
  });
}

}  // namespace discreet::service
