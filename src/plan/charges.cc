#include "discreet/plan/charges.h"

#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/noise.h"
#include "discreet/plan/methods.h"
#include "discreet/plan/noise.h"
#include "discreet/plan/shape.h"
#include "discreet/plan/statistics.h"
#include "discreet/plan/survey.h"

namespace discreet::plan {
namespace {

using privacy::Event;

Event times(Event event, std::int64_t count) {
  if (count == 1) return event;
  return {privacy::Repeated{privacy::share(std::move(event)), Integer(static_cast<long>(count))}};
}

// Is the worst that a unit can do to change each of its groups by as much as it can?
bool fills_groups(const PlanPart& part, const Statistic& one) {
  return one.total == part.bounds.most_groups() * one.sensitivity && limits_groups(part);
}

Event event_of(const PlanPart& part, const Statistic& one) {
  if (needs_delta(one.noise)) return Event{privacy::Approximate{one.epsilon, one.delta}};
  const auto groups = static_cast<std::int64_t>(part.bounds.most_groups().get_si());
  if (!fills_groups(part, one)) {
    // Rows spread over groups in any way: what they change together is known, how it is shared out
    // isn't. Gaussian noise only feels the squares; of other noise the guarantee is what is known.
    if (one.noise == Noise::kGaussian) return noise_event(one, sqrt_up(Rational(one.squares)));
    return Event{privacy::Approximate{one.epsilon, 0}};
  }
  switch (one.noise) {
    case Noise::kLaplace:
    case Noise::kGaussian:
      return times(noise_event(one, Rational(one.sensitivity)), groups);
    case Noise::kSmooth:
    case Noise::kProposed:
    case Noise::kStable:
      break;
    case Noise::kExponential:
      return times(mechanism::Exponential::event_at(one.epsilon / static_cast<long>(groups)),
                   groups);
  }
  return {};
}

}  // namespace

std::vector<Charge> charges_of(const Plan& plan) {
  std::vector<Charge> out;
  for (const PlanPart& part : plan.parts) {
    if (part.selection && part.bounding != Bounding::kToMeasure)
      out.push_back({Event{privacy::Approximate{part.selection->epsilon, part.selection->delta}},
                     part.selection->epsilon,
                     part.selection->delta,
                     {}});
    const auto count = [&](const Count& one) {
      const Rational steps = steps_of(one);
      const Event event = mechanism::noise_event(mechanism::NoiseKind::kDiscreteLaplace,
                                                 steps / one.epsilon, steps);
      out.push_back({event, one.epsilon, 0, {}});
    };
    if (part.survey)
      for (const Count& one : part.survey->counts) count(one);
    // What comes after a survey is chosen by what it shows; its price isn't.
    if (part.bounding == Bounding::kToMeasure) {
      const Rational rest = part.cost.epsilon - part.survey->epsilon;
      if (rest > 0)
        out.push_back(
            {Event{privacy::Approximate{rest, part.cost.delta}}, rest, part.cost.delta, {}});
      continue;
    }
    for (const Count& one : part.left_out) count(one);
    // All Gaussian numbers of a part are one mechanism, with one price.
    std::vector<Event> together;
    for (const Statistic& one : part.statistics) {
      Event event = event_of(part, one);
      if (one.noise == Noise::kGaussian) {
        together.push_back(std::move(event));
      } else {
        out.push_back({std::move(event), one.epsilon, one.delta, {}});
      }
    }
    if (part.gaussian)
      out.push_back({together.size() == 1 ? together[0] : Event{privacy::Composed{together}},
                     part.gaussian->epsilon, part.gaussian->delta, part.rho});
  }
  return out;
}

}  // namespace discreet::plan
