// e^ε as rational numbers: what a channel's probabilities may differ by, fit to decide exactly.
//
//   Ratio three = *parse_ratio("epsilon", "ln(3)");  // exactly 3
//   Ratio some = *parse_ratio("epsilon", "0.5");     // between two fractions of few digits
//   bool safe = some.lower < some.upper;               // what is made uses lower, bounds use upper
//
// A channel whose neighbouring rows differ by a factor of at most `lower` ≤ e^ε is ε-private, and
// what holds for every channel within `upper` ≥ e^ε holds for every ε-private one. Where the user
// wrote ln(q) the two are q, and nothing is lost at all.
#pragma once

#include <string>
#include <string_view>

#include "discreet/base/number.h"

namespace discreet::channel {

struct Ratio {
  Rational lower, upper;  // lower ≤ e^ε ≤ upper, apart by 2^-60 of it at most

  bool exact() const { return lower == upper; }
  static Ratio exactly(const Rational& ratio) { return {ratio, ratio}; }
  // From ε itself, 0 ≤ ε ≤ 500.
  static Ratio of_epsilon(const Rational& epsilon);
};

// Reads what parse_number reads, and ln(q), k*ln(q), ln(q)*k exactly. Accepted is 0 < ε ≤ 500, or
// 0 too with `zero`.
Result<Ratio> parse_ratio(const std::string& parameter, const std::string& text, bool zero = false);

// The fraction with the smallest denominator in [low, high], 0 ≤ low ≤ high (Stern and Brocot's
// tree, by continued fractions).
Rational simplest_between(const Rational& low, const Rational& high);

// ln(ratio^power), the nearest double; "ln(3)" in words, if short.
double log_of(const Rational& ratio, unsigned long power = 1);

}  // namespace discreet::channel
