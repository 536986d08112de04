// An event taken apart into independent dominating pairs with their counts, ready to be composed.
#pragma once

#include <functional>

#include "discreet/privacy/composition.h"
#include "discreet/privacy/pair.h"

namespace discreet::privacy {

// Pairs that have to be composed or compared before they can be used further (a sample of a
// composition, events on disjoint units) only exist on a grid: rounded up, so that they dominate,
// or down. The others ignore both arguments.
struct Source {
  std::function<Result<SharedPair>(double step, bool up)> pair;
  double count;
  bool on_grid = false;
  // Rounded up on a grid, the pair is one spread (law.h) away from the exact one.
  bool one_spread = true;
};

struct Sources {
  std::vector<Source> list;
  // All is Gaussian, with this μ²; then the list is empty.
  std::optional<Rational> gaussian;
  // P and Q may be exchanged: both directions are the same.
  bool symmetric = true;
};

// Composed Gaussians become one; a sample of Gaussians a sample of one; a sample of a sample one
// sample.
Result<Sources> sources_of(const Event& event, Adjacency adjacency);

// What one part of a composition may at most let slip by being cut off.
Tails tail_of(double steps);

}  // namespace discreet::privacy
