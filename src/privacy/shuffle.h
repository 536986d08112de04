// Shuffle amplification: where somebody mixes the reports before the collector sees them, nobody's
// report can be told from the others', and the collection promises more than each report does.
//
//   // a million reports of ε = 1 each, in random order
//   double epsilon = *shuffled_epsilon({.epsilon = 1, .users = 1000000}, Rational(1, 1000000));
//
// What is proved: the shuffled collection of n reports of one ε0-private randomizer is (ε, δ)-DP
// under substitution of one user's value, n being public (Feldman, McMillan and Talwar 2021,
// "Hiding among the clones"; 2023, "Stronger privacy amplification by shuffling", with its
// erratum). It is the mixing that is trusted: no time, order, address or identity may reach the
// collector with a report. For users with different ε, or different randomizers, this says nothing.
// The reduction and its proof are in shuffle_pair.h.
#pragma once

#include <cstdint>
#include <optional>

#include "discreet/base/error.h"
#include "discreet/base/number.h"

namespace discreet::privacy {

struct Shuffle {
  Rational epsilon;         // ε0, of each report
  std::uint64_t users = 1;  // n
  // Each report is likely from one value only, as in randomized response: it then hides better.
  bool one_value_a_report = false;
};

// Smaller ones leave no room for what is too small to be added up.
const Rational& least_shuffled_delta();  // 1e-200

// The least ε at δ, and the least δ at ε, by the clones' pair: never too small, and at most 1e-6 of
// itself too large. Never above ε0, and ε0 where the sums can't tell. δ is at least 1e-200 there.
// Past 2^32 users as for 2^32, since more users only help.
Result<double> shuffled_epsilon(const Shuffle& shuffle, const Rational& delta);
Result<double> shuffled_delta(const Shuffle& shuffle, const Rational& epsilon);

// Theorem 3.1 of 2021, rounded up:
//     ε = ln(1 + (e^ε0 − 1)/(e^ε0 + 1)·(8·√(e^ε0·ln(4/δ)/n) + 8·e^ε0/n))
// Nothing where it isn't proved, which takes ε0 ≤ ln(n/(16·ln(2/δ))).
Result<std::optional<double>> shuffled_epsilon_closed_form(const Shuffle& shuffle,
                                                           const Rational& delta);

}  // namespace discreet::privacy
