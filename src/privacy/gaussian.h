// What continuous Gaussian noise costs, exactly (Balle and Wang, "Improving the Gaussian Mechanism
// for Differential Privacy", ICML 2018). It holds for any ε > 0 and any dimension, with Δ the
// sensitivity in the Euclidean norm, and for a continuous Gaussian rounded to a public grid; not
// for the discrete Gaussian.
//
//   // N(0, 1) noise on a count is (1, 0.12693673750664…)-DP; (1, 10^-5)-DP needs σ = 3.7306….
//   double delta = gaussian_delta(1, 1, 1, 64).upper();
//   Rational sigma = *gaussian_sigma(1, Rational(1, 100000), 1);
#pragma once

#include "discreet/base/ball.h"

namespace discreet::privacy {

// δ(ε) = Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ)   (Balle-Wang, Theorem 8), for ε ≥ 0 and σ, Δ > 0.
// The ball has about `bits` accurate leading bits, however small δ is. Δ = 0 gives 0.
Ball gaussian_delta(const Rational& epsilon, const Rational& sigma, const Rational& sensitivity,
                    long bits);

// The same by μ² = (Δ/σ)², the currency in which Gaussians compose: Σ(Δ/σ)² of several is that of
// one.
Ball gaussian_delta(const Rational& epsilon, const Rational& mu_squared, long bits);

// ε(δ), the inverse, for 0 < δ < 1: the doubles on either side of the truth, at most a few units in
// the last place apart. 0 where δ(0) ≤ δ.
struct Enclosure {
  double lower, upper;
};
Enclosure gaussian_epsilon(const Rational& delta, const Rational& mu_squared);

// The least σ with δ(ε) ≤ δ, rounded up to 48 significant bits: the guarantee holds for what is
// returned, and it is within 2^-46 of the best. ε ≥ 0, 0 < δ < 1, Δ > 0.
Result<Rational> gaussian_sigma(const Rational& epsilon, const Rational& delta,
                                const Rational& sensitivity);

}  // namespace discreet::privacy
