// Privacy-loss distributions: how much a composition costs, as an interval that surely contains the
// truth (of the dominating pairs; for a mechanism that is not its own worst case the lower end may
// lie above its own ε).
//
//   #include "discreet/privacy/expression.h"
//   Event event = *parse_event("poisson(0.01, gaussian(sigma=1.1))*10000");
//   PldAnswer answer = *pld_epsilon(event, Rational(1, 100000), Adjacency::kAddRemove, {});
//   Interval epsilon = answer.value;  // {5.191…, 5.195…}
//
// The losses are put on a grid, once rounded up and once down (law.h), and added up by Fourier
// transforms (composition.h), each direction by itself. The grid gets finer until the interval is
// as narrow as asked for, or the memory ceiling is reached; then the interval is what it is, and
// says so. Compositions of Gaussians alone have a closed form and need no grid.
#pragma once

#include <functional>

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

struct Interval {
  double lower = 0, upper = 0;
};

constexpr double kNegligible = 1e-100;  // a δ below this needs no digits

struct PldOptions {
  double tolerance = 1e-3;            // upper − lower ≤ tolerance·upper
  double absolute = 0;                // … or upper − lower ≤ absolute
  std::size_t most_points = 1 << 22;  // of the grid: at this ceiling at most 768 MiB are in use
  // In units of about half a nanosecond, counted and not timed: an answer is the same on every
  // machine, and takes a few seconds at most. What is known then has to do.
  double most_work = 8e9;
  // Called now and then with the work done since the last time.
  std::function<void(double)> progress = {};
};

struct PldAnswer {
  Interval value;
  bool met = true;  // the tolerance
  double work = 0;  // that was done
};

// ε at δ, and δ at ε.
Result<PldAnswer> pld_epsilon(const Event& event, const Rational& delta, Adjacency adjacency,
                              const PldOptions& options);
Result<PldAnswer> pld_delta(const Event& event, const Rational& epsilon, Adjacency adjacency,
                            const PldOptions& options);

// Upper bounds on δ(ε) at many ε at once, negative ones too, for each direction the relation has.
// Good down to δ = `least`; below, and where the grid's ceiling is reached, they still hold.
struct Curve {
  std::vector<double> epsilon, delta;  // rising ε
};
Result<std::vector<Curve>> pld_curves(const Event& event, Adjacency adjacency,
                                      double least = 1e-12);

}  // namespace discreet::privacy
