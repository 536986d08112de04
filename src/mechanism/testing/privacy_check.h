// Exact distributions on neighbouring inputs, held against the guarantee: what every mechanism's
// tests share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "discreet/mechanism/additive.h"
#include "discreet/privacy/guarantee.h"

namespace discreet::mechanism::testing {

inline constexpr long kBits = 192;

// From 0.001 to 20.
std::vector<Rational> epsilons();

// P[lo], …, P[hi], and then everything below lo and everything above hi as one outcome each.
std::vector<Ball> distribution(const Additive& mechanism, std::int64_t value, std::int64_t lo,
                               std::int64_t hi);

// The worse direction's δ(ε) of two distributions, from above and from below.
double delta_above(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon);
double delta_below(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon);

// Σ p, as doubles on either side of it.
bool adds_up_to_one(std::span<const Ball> p, double width = 1e-15);

double middle(const Ball& ball);
std::vector<double> middles(std::span<const Ball> balls);

}  // namespace discreet::mechanism::testing
