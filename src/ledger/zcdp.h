// Between ρ-zCDP and (ε, δ)-DP (Canonne, Kamath and Steinke 2020, Proposition 12 with Corollary
// 13): ρ-zCDP implies (ε, δ) with
//   ln δ = (α−1)(αρ − ε) + α·ln(1 − 1/α) − ln(α−1)   for every α > 1.
// A floating-point search finds a good α; the number returned is then certified at that α by
// interval arithmetic.
#pragma once

#include "discreet/base/number.h"

namespace discreet::ledger {

// A ρ, as large as could be found, such that ρ-zCDP implies (ε, δ). ε > 0, 0 < δ < 1.
Rational zcdp_rho(const Rational& epsilon, const Rational& delta);

// An ε, as small as could be found, such that ρ-zCDP implies (ε, δ). 0 < δ < 1.
Rational zcdp_epsilon(const Rational& rho, const Rational& delta);

}  // namespace discreet::ledger
