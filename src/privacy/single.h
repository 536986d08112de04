// What one pair alone loses, which needs no grid: at the threshold e^ε the divergence is one sum.
//
//   #include "discreet/privacy/expression.h"
//   auto pair = *dominating_pair(*parse_event("laplace(scale=1)"), Adjacency::kAddRemove);
//   Interval delta = single_delta(*pair, false, 0);  // around 0.39346934028736…, to 13 digits
#pragma once

#include "discreet/privacy/pair.h"
#include "discreet/privacy/pld.h"

namespace discreet::privacy {

// δ(ε) = P[L ≥ ε] − e^ε·Q[L ≥ ε], or for the direction that adds Q[L ≤ −ε] − e^ε·P[L ≤ −ε].
Interval single_delta(const Pair& pair, bool adding, double epsilon);
// The least ε ≥ 0 with δ(ε) ≤ δ.
Interval single_epsilon(const Pair& pair, bool adding, double delta);

}  // namespace discreet::privacy
