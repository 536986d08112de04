// What a release promises, as a value that travels with it.
#pragma once

#include "discreet/base/number.h"

namespace discreet::privacy {

// Who are neighbours: data sets that differ in one unit's records being there or not, or in one
// unit's records being replaced.
enum class Relation { kAddRemove, kSubstitute };

// The same with add/remove taken apart: kRemove compares the data with the unit (first) to the data
// without it, kAdd the other way round, kAddRemove is the worse of both.
enum class Adjacency { kAdd, kRemove, kAddRemove, kSubstitute };

// (ε, δ)-differential privacy: P[M(x)∈S] ≤ e^ε·P[M(x')∈S] + δ for all neighbours x, x' and sets S.
// δ = 0 is pure.
struct Guarantee {
  Rational epsilon;
  Rational delta;
  Relation relation = Relation::kAddRemove;

  friend bool operator==(const Guarantee&, const Guarantee&) = default;
};

}  // namespace discreet::privacy
