#include "discreet/service/run.h"

#include <exception>

#include "discreet/base/try.h"
#include "discreet/engine/failure.h"
#include "discreet/plan/survey.h"
#include "discreet/plan/verify.h"
#include "discreet/service/helper_request.h"
#include "discreet/service/service.h"
#include "discreet/service/stored.h"

namespace discreet::service {

Result<Ran> run_here(engine::Engine& engine, const policy::Catalog& catalog, const plan::Plan& plan,
                     const Asking& asking, random::Source& source) {
  if (plan.settled()) return Ran{TRY(run_plan(engine, catalog, plan, asking, source)), {}, plan};
  auto measured = TRY(run_surveys(engine, catalog, plan, asking, source));
  plan::Plan settled = TRY(plan::settle(plan, catalog, measured));
  TRY(plan::verify(settled));
  auto answer = TRY(run_plan(engine, catalog, settled, asking, source));
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
