// Rényi differential privacy (Mironov 2017): D_α(P‖Q) = ln(Σ P^α Q^{1−α})/(α−1), which adds up
// under composition.
//
//   #include "discreet/privacy/expression.h"
//   Event event = *parse_event("laplace(scale=1)");
//   double divergence = *renyi(event, Rational(5, 2), Adjacency::kAddRemove);
//
// Closed forms are evaluated in certified arithmetic; the Poisson-sampled Gaussian (Mironov, Talwar
// and Zhang 2019) by the trapezoidal rule, which for these analytic integrands converges to all
// digits, at whole and fractional orders alike. Every result is an upper bound up to a factor 1 +
// 2^-40, and infinite where no finite bound holds.
#pragma once

#include <span>
#include <vector>

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

// α > 1.
Result<double> renyi(const Event& event, const Rational& alpha, Adjacency adjacency);

// All orders at once: much is shared between them.
Result<std::vector<double>> renyi(const Event& event, std::span<const double> alphas,
                                  Adjacency adjacency);

// A good grid of orders: dense from 1 + 10^-3 to 10, then wider to 10^6, whole ones and fractions.
const std::vector<double>& renyi_orders();

}  // namespace discreet::privacy
