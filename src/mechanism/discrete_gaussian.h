// The discrete Gaussian distribution in numbers: P[z] ∝ e^(-z²/2σ²) on the integers.
#pragma once

#include "discreet/base/ball.h"

namespace discreet::mechanism {

// f(z) = e^(-z²/2σ²).
Ball discrete_gaussian_weight(const Rational& sigma, const Integer& z, long bits);
// Σ f over all integers.
Ball discrete_gaussian_normaliser(const Rational& sigma, long bits);
// Σ f over z ≥ m, m ≥ 1. (Divide by the normaliser for a probability.)
Ball discrete_gaussian_tail(const Rational& sigma, const Integer& m, long bits);

// δ(ε) in one dimension, exactly: the hockey-stick divergence at a shift of `sensitivity` steps
// (Canonne-Kamath-Steinke 2020, Theorem 7). Smaller shifts are no worse: P(z)/P(z−d) falls in z
// (the distribution is log-concave), so the worst set of outcomes is {z ≤ k} for some k, and P[Z ≤
// k] − e^ε·P[Z ≤ k−d] grows with d for each k.
Ball discrete_gaussian_delta(const Rational& epsilon, const Rational& sigma,
                             const Integer& sensitivity, long bits);

// A σ with δ(ε) ≤ delta, rounded up; within 2^-28 of where bisection finds the edge.
Result<Rational> discrete_gaussian_sigma(const Rational& epsilon, const Rational& delta,
                                         const Integer& sensitivity);

}  // namespace discreet::mechanism
