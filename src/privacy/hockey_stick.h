// The hockey-stick divergence of two distributions given outcome by outcome: the ground truth of
// differential privacy.
//
//   const double fair[] = {0.5, 0.5}, biased[] = {1 / 3.0, 2 / 3.0};
//   double delta = worst_hockey_stick(fair, biased, 0);  // 1/6: (0, 1/6)-indistinguishable
//
// (ε, δ)-DP holds for neighbours with output distributions P and Q iff both directions are at most
// δ.
#pragma once

#include <algorithm>
#include <span>

#include "discreet/base/ball.h"

namespace discreet::privacy {

// δ(ε) = Σ_o max(0, P(o) − e^ε·Q(o)), in doubles: good to a few units in the last place of the
// largest term. P and Q list the same outcomes in the same order; the shorter one is continued with
// zeros.
double hockey_stick(std::span<const double> p, std::span<const double> q, double epsilon);

// The same, certified: the ball contains the truth.
Ball hockey_stick(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon,
                  long bits);

// The worse of P against Q and Q against P.
double worst_hockey_stick(std::span<const double> p, std::span<const double> q, double epsilon);
Ball worst_hockey_stick(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon,
                        long bits);

}  // namespace discreet::privacy
