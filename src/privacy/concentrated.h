// Between ρ-zCDP and (ε, δ)-DP.
//
//   double delta = concentrated_delta(Rational(1, 20), Rational(1, 4));          // 0.08177275…
//   double epsilon = concentrated_epsilon(Rational(1, 2), Rational(1, 100000));  // 4.7283870…
//   Rational rho = concentrated_rho(1, Rational(1, 1000000));  // the largest that is (1, 10^-6)-DP
//
// ρ-zCDP is (α, αρ)-RDP for every α > 1, which implies (ε, δ) with
//   ln δ = (α−1)(αρ − ε) + (α−1)·ln(1 − 1/α) − ln α
// (Canonne, Kamath and Steinke 2020, Proposition 12 with Corollary 13). A floating-point search
// finds a good α; the bound at that α is then computed in interval arithmetic. So a number is never
// better than the truth, not even in its last bit.
#pragma once

#include "discreet/base/number.h"

namespace discreet::privacy {

// The least δ found, for ρ, ε ≥ 0.
double concentrated_delta(const Rational& rho, const Rational& epsilon);
// The least ε ≥ 0 found; infinite where δ = 0 < ρ.
double concentrated_epsilon(const Rational& rho, const Rational& delta);
// The largest ρ found that implies (ε, δ), for ε > 0 and 0 < δ < 1.
Rational concentrated_rho(const Rational& epsilon, const Rational& delta);

}  // namespace discreet::privacy
