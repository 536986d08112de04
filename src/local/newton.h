// One step to where a parabola has its maximum on the simplex: for the last stretch to the maximum
// of a likelihood, where rounds of the iterative Bayesian update are many.
//
// Around θ, n·ℓ(θ + p) is about n·(ℓ + gᵀp) − ½·pᵀJp with the information J (likelihood.h). The
// best p with θ + p ≥ 0 and Σp = 0 is found by block pivoting (Portugal, Júdice and Vicente 1994):
// some values are free, the others go to 0; solve, drop those that came out negative, free those
// that would gain, until neither is there. Sequential quadratic programming does well on just this
// likelihood (Kim, Carbonetto, Stephens and Anitescu 2020). Nothing is promised: the caller keeps
// the step if ℓ rose.
#pragma once

#include "discreet/local/likelihood.h"

namespace discreet::local {

// g is the gradient at θ. Into `out`, a distribution in which no value falls below a thousandth of
// what it was; false where J isn't known and would take long to find, or is singular, or has more
// than kMostInformed rows.
bool newton_step(const Likelihood& likelihood, std::span<const double> theta,
                 std::span<const double> g, std::span<double> out);

}  // namespace discreet::local
