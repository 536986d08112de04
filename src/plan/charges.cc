#include "discreet/plan/charges.h"

#include "discreet/mechanism/exponential.h"
#include "discreet/mechanism/noise.h"

namespace discreet::plan {
namespace {

using privacy::Event;

Event times(Event event, std::int64_t count) {
  if (count == 1) return event;
  return {privacy::Repeated{privacy::share(std::move(event)), Integer(static_cast<long>(count))}};
}

Event event_of(const PlanPart& part, const Statistic& one) {
  switch (one.noise) {
    case Noise::kLaplace:
      return times(mechanism::noise_event(mechanism::NoiseKind::kDiscreteLaplace, one.scale,
                                          Rational(one.sensitivity)),
                   part.max_groups);
    case Noise::kGaussian:
      return times(mechanism::noise_event(mechanism::NoiseKind::kRoundedGaussian, one.scale,
                                          Rational(one.sensitivity)),
                   part.max_groups);
    case Noise::kExponential:
      return times(mechanism::Exponential::event_at(one.epsilon / part.max_groups),
                   part.max_groups);
  }
  return {};
}

}  // namespace

std::vector<Charge> charges_of(const Plan& plan) {
  std::vector<Charge> out;
  for (const PlanPart& part : plan.parts) {
    if (part.selection)
      out.push_back({Event{privacy::Approximate{part.selection->epsilon, part.selection->delta}},
                     part.selection->epsilon,
                     part.selection->delta,
                     {}});
    // All Gaussian numbers of a part are one mechanism, with one price.
    std::vector<Event> together;
    for (const Statistic& one : part.statistics) {
      Event event = event_of(part, one);
      if (one.noise == Noise::kGaussian) {
        together.push_back(std::move(event));
      } else {
        out.push_back({std::move(event), one.epsilon, 0, {}});
      }
    }
    if (part.gaussian)
      out.push_back({together.size() == 1 ? together[0] : Event{privacy::Composed{together}},
                     part.gaussian->epsilon, part.gaussian->delta, part.rho});
  }
  return out;
}

}  // namespace discreet::plan
