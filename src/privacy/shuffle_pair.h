// The pair of distributions that shuffled reports reduce to, and its divergence.
//
//   // 1000 users, each report ln(3)-private: what is δ at ε = 0.2?
//   const Rational epsilon = *parse_number("ln(3)", Rounding::kUp);
//   double delta = clones_delta({.users = 1000, .clones = any_randomizer(epsilon)}, 0.2);
//
// Any ε0-private randomizer R says of two values x and x', with Q0 and Q1 of its own (Kairouz, Oh
// and Viswanath 2015):
//     R(x) = e^ε0/(e^ε0+1)·Q0 + 1/(e^ε0+1)·Q1,   R(x') = 1/(e^ε0+1)·Q0 + e^ε0/(e^ε0+1)·Q1
// Then Q0 + Q1 = R(x) + R(x'), so where R(y) ≥ κ/2·(R(x) + R(x')) for all values, a report of
// anybody else is a clone with probability κ, from Q0 or Q1 alike. A shuffled collection is made
// from the numbers of reports from Q0 and Q1 without a look at the user's value: P is (A + Δ, C − A
// + 1 − Δ), Q is (A + 1 − Δ, C − A + Δ), with C ~ Bin(n−1, κ), A ~ Bin(C, ½), Δ ~
// Bernoulli(e^ε0/(e^ε0+1)).
//
// What is proved: that, for κ = e^−ε0 and any R, since R(y) ≥ e^−ε0·R(x) and e^−ε0·R(x') (Feldman,
// McMillan and Talwar 2021, "Hiding among the clones"); for κ = 2/(e^ε0+1) where each report is
// likely from one value only (p from it, q = e^−ε0·p from the others), as in k-RR: R(x) + R(x') is
// at most p + q and R(y) at least q = (p + q)/(e^ε0 + 1). That is the stronger form of 2023, which
// its authors' erratum takes back for randomizers in general. Every user has the same R.
#pragma once

#include <cstdint>

#include "discreet/base/ball.h"

namespace discreet::privacy {

struct Clones {
  Rational epsilon;  // ε0
  Real probability;  // κ
};
Clones any_randomizer(const Rational& epsilon);
Clones response_randomizer(const Rational& epsilon);

struct CloneQuestion {
  std::uint64_t users = 1;
  Clones clones;
  // What is left out of C is at most this likely, and counted.
  double negligible = 1e-18;
};

// An upper bound on the divergence of the pair at ε ≥ 0, and hardly above it: what is left out is
// added, so is what rounding may have taken. By symmetry both directions are the same. Where a
// chance is too small for the sums it is 1, which promises nothing. Time grows with the square root
// of the number of users.
double clones_delta(const CloneQuestion& question, double epsilon);

}  // namespace discreet::privacy
