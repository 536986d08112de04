// Events as people write them: poisson(0.01, gaussian(sigma=1.1))*10000.
#include <cmath>

#include "discreet/privacy/accountant.h"
#include "discreet/privacy/expression.h"
#include "target.h"

namespace discreet::fuzz {

using namespace privacy;

namespace {

// An event as plain numbers, to compare two of them without the text that is on trial.
void flatten(const Event& event, std::vector<Rational>& out) {
  out.emplace_back(static_cast<unsigned long>(event.what.index()));
  const auto all = [&](const std::vector<Event>& events) {
    out.emplace_back(static_cast<unsigned long>(events.size()));
    for (const Event& one : events) flatten(one, out);
  };
  std::visit(Overloaded{
                 [&](const Exponential& e) { out.push_back(e.epsilon); },
                 [&](const Concentrated& e) { out.push_back(e.rho); },
                 [&](const Poisson& e) { out.push_back(e.rate), flatten(*e.event, out); },
                 [&](const Repeated& e) { out.emplace_back(e.count), flatten(*e.event, out); },
                 [&](const Composed& e) { all(e.events); },
                 [&](const Parallel& e) { all(e.events); },
                 [&](const auto& e) {
                   const auto& [first, second] = e;
                   out.emplace_back(first), out.emplace_back(second);
                 },
             },
             event.what);
}

// The accountants that need no convolution, so that one input stays quick.
void account(const Event& event) {
  for (const Accountant accountant : {Accountant::kBasic, Accountant::kZcdp, Accountant::kGdp}) {
    AccountOptions options;
    options.accountant = accountant;
    for (const Rational& given : {Rational(0), Rational(1, 100000)}) {
      const auto epsilon = account_epsilon(event, given, options);
      const auto delta = account_delta(event, given, options);
      for (const auto* answer : {&epsilon, &delta}) {
        if (!*answer) {
          require_refusal(answer->error(), {Code::kUsage});
          continue;
        }
        const double lower = (*answer)->value.lower, upper = (*answer)->value.upper;
        require(0 <= lower && lower <= upper, "an interval has its ends in order, from 0 on");
      }
      if (delta) require(delta->value.upper <= 1, "a δ is at most 1");
    }
  }
}

}  // namespace

void target(std::string_view bytes) {
  const auto expression = Expression::parse({std::string(bytes)});
  if (!expression) return require_refusal(expression.error(), {Code::kUsage});
  auto event = expression->event();
  if (expression->unknown()) {
    require(!event, "an event with an unknown number is none yet");
    require_refusal(event.error(), {Code::kUsage});
    event = expression->at(2);
    if (!event) return require_refusal(event.error(), {Code::kUsage});
  }
  require(event.has_value(), "what could be read is an event");
  require(check(*event).has_value(), "what was read can be");
  const std::string said = describe(*event);
  const auto back = parse_event(said);
  require(back.has_value(), "a described event reads back: " + said);
  std::vector<Rational> before, after;
  flatten(*event, before);
  flatten(*back, after);
  require(before == after, "an event reads back as itself: " + said);
  for (const Part& part : parts_of(*event))
    require(part.count > 0, "a part is there at least once");
  if (said.size() <= 200 && parts_of(*event).size() <= 4) account(*event);
}

}  // namespace discreet::fuzz
