// What an event costs in each currency that adds up exactly. All results are exact, or rounded
// towards a higher charge.
//
//   const Event tenth{Laplace{10}};
//   Rational epsilon = approximate_cost(tenth, Adjacency::kAddRemove)->epsilon;  // 1/10, exactly
#pragma once

#include "discreet/privacy/event.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::privacy {

struct Approximation {
  Rational epsilon, delta;
};

// (ε, δ), by basic composition (Σε, Σδ; Dwork et al. 2006). Poisson sampling of an add/remove
// guarantee gives (ln(1+q(e^ε−1)), qδ) (Balle, Barthe and Gaboardi 2018); under substitution that
// twice over, (2ε', (1+e^ε')δ'). Events on disjoint units cost the largest; under substitution a
// unit may change its block, so the two largest. Gaussian noise has no single (ε, δ) and is refused
// by name, as are zcdp and rdp; the refusal names the accountant.
Result<Approximation> approximate_cost(const Event& event, Adjacency adjacency,
                                       std::string_view accountant = "basic");

// ρ of zero-concentrated DP (Bun and Steinke 2016): Gaussians Δ²/2σ² (the discrete one too,
// Canonne-Kamath-Steinke 2020), pure ε²/2, bounded range ε²/8 (Cesar and Rogers 2021).
Result<Rational> concentrated_cost(const Event& event, Adjacency adjacency);

// μ² of Gaussian DP (Dong, Roth and Su 2022), Σ(Δ/σ)²: continuous Gaussians only.
Result<Rational> gaussian_cost(const Event& event, Adjacency adjacency);

}  // namespace discreet::privacy
