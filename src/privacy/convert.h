// From one guarantee to another, by the best bounds known.
//
//   double delta = renyi_delta(2.5, 0.1, 1);  // what (2.5, 0.1)-RDP says about ε = 1
//   Guarantee three = group_guarantee({1, Rational(1, 1000000)}, 3);  // (3, δ·(e³−1)/(e−1))
//
// What zCDP says stands in concentrated.h. Results are upper bounds: rounding errors of the
// formulas are covered by a factor 1 + 2^-40.
#pragma once

#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

// δ(ε) of (α, γ)-RDP: e^{(α−1)(γ−ε)}/(α−1)·(1−1/α)^α   (Canonne, Kamath and Steinke 2020,
// Proposition 12), at most √(1−e^{−γ}) (Bretagnolle and Huber 1978, as D_1 ≤ D_α). ε ≥ 0.
double renyi_delta(double alpha, double gamma, double epsilon);
// The least ε ≥ 0 with renyi_delta ≤ δ.
double renyi_epsilon(double alpha, double gamma, double delta);

// The same where that one order is all that is known, tight up to rounding (Asoodeh, Liao, Calmon,
// Kosut and Sankar 2020).
double single_order_delta(double alpha, double gamma, double epsilon);
double single_order_epsilon(double alpha, double gamma, double delta);

// A group of k units: (kε, δ·(e^{kε}−1)/(e^ε−1)); at ε = 0 the factor is k. The δ is rounded up, at
// most 1.
Guarantee group_guarantee(const Guarantee& one, const Integer& size);

}  // namespace discreet::privacy
