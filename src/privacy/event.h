// What was done to the data, as the accountants see it: a value that says which noise was added and
// how often, nothing of the data. Events nest: a Poisson sample of an event, an event many times,
// several events together, events on disjoint units.
//
//   Event step{Poisson{Rational(1, 100), share(Gaussian{Rational(11, 10)})}};
//   Event training{Repeated{share(step), 10000}};
//   std::string text = describe(training);  // poisson(0.01, gaussian(sigma=1.1))*10000
//
// A sensitivity is that of the query under the relation the accountant is asked for. Inside Poisson
// it is always that of adding or removing a unit, since a unit that was not drawn is absent.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "discreet/base/number.h"

namespace discreet::privacy {

struct Event;
using SharedEvent = std::shared_ptr<const Event>;

struct Gaussian {  // continuous N(0, σ²), any dimension, also rounded to a public grid; ℓ2
                   // sensitivity
  Rational sigma, sensitivity = 1;
};
struct Laplace {  // continuous, one dimension, also rounded to a public grid; ℓ1 sensitivity
  Rational scale, sensitivity = 1;
};
struct DiscreteGaussian {  // on the integers, one dimension; whole sensitivity
  Rational sigma, sensitivity = 1;
};
struct DiscreteLaplace {  // on the integers (geometric), one dimension; whole sensitivity
  Rational scale, sensitivity = 1;
};
struct RandomizedResponse {  // k answers, the true one e^ε times as likely as each other
  Integer k;
  Rational epsilon;
};
struct Exponential {  // ε-bounded range: the exponential mechanism at ε (weights e^{εs/2Δ},
                      // monotone scores e^{εs/Δ})
  Rational epsilon;
};
struct Approximate {  // anything that is (ε, δ)-DP
  Rational epsilon, delta;
};
struct Concentrated {  // anything that is ρ-zCDP
  Rational rho;
};
struct RenyiBound {  // anything that is (α, ε)-RDP
  Rational alpha, epsilon;
};
struct Poisson {  // the event on a secret sample that holds each unit with probability q,
                  // independently
  Rational rate;
  SharedEvent event;
};
struct Repeated {
  SharedEvent event;
  Integer count;
};
struct Composed {  // all of them, on the same units
  std::vector<Event> events;
};
struct Parallel {  // each on units of its own; no unit is in two
  std::vector<Event> events;
};

struct Event {
  std::variant<Gaussian, Laplace, DiscreteGaussian, DiscreteLaplace, RandomizedResponse,
               Exponential, Approximate, Concentrated, RenyiBound, Poisson, Repeated, Composed,
               Parallel>
      what;
};

inline SharedEvent share(Event event) { return std::make_shared<const Event>(std::move(event)); }
template <class Kind>
requires(!std::is_same_v<std::decay_t<Kind>, Event>) SharedEvent share(Kind kind) {
  return std::make_shared<const Event>(Event{std::move(kind)});
}

// "gaussian", "poisson", …: as they are written in expressions.
std::string name_of(const Event& event);
// The expression that reads back as this event.
std::string describe(const Event& event);

// The event as a list of parts with their counts: nested compositions and repetitions opened, equal
// parts counted together. A part is never Repeated or Composed itself.
struct Part {
  Event event;
  Integer count;
};
std::vector<Part> parts_of(const Event& event);

// Refuses what no mechanism can be: a scale of 0, a probability above 1, a fraction of a grid step.
Status check(const Event& event);

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;  // clang needs it said

}  // namespace discreet::privacy
