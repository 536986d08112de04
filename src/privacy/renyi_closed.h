// Rényi divergences that have a closed form, evaluated in certified arithmetic and rounded up. Each
// is that of the event's worst pair of neighbours, the same in both directions. α > 1.
#pragma once

#include "discreet/privacy/event.h"

namespace discreet::privacy {

double closed_renyi(const Gaussian& event, double alpha);  // α·Δ²/2σ²
double closed_renyi(const Laplace& event, double alpha);   // Mironov 2017, Proposition 6
double closed_renyi(const DiscreteGaussian& event,
                    double alpha);  // α·Δ²/2σ² less what the grid hides
double closed_renyi(const DiscreteLaplace& event, double alpha);
double closed_renyi(const RandomizedResponse& event,
                    double alpha);  // Mironov 2017, Proposition 5, for k answers
double closed_renyi(const Exponential& event, double alpha);
double closed_renyi(const Approximate& event, double alpha);   // infinite where δ > 0
double closed_renyi(const Concentrated& event, double alpha);  // αρ
double closed_renyi(const RenyiBound& event, double alpha);    // infinite above its order

}  // namespace discreet::privacy
