// Chances of binomial variables where they are needed to the last digit: the start of a recurrence,
// of n up to billions, far out in a tail that a double can't hold.
//
//   const Ball half(Rational(1, 2), 192);
//   long double even = binomial_chance(1000000000, 500000000, half);  // 2.52e-5
#pragma once

#include <cstdint>

#include "discreet/base/ball.h"

namespace discreet::privacy {

// ln k!, enclosed. Above 1024 by Stirling's series, whose remainder lies between two of its
// partial sums:
//     k·ln k − k + ln(2πk)/2 + 1/(12k) − 1/(360k³) + 1/(1260k⁵) − [0, 1]/(1680k⁷)
Ball log_factorial(std::uint64_t k, long bits);

// The long double nearest to a ball's midpoint, or next to it.
long double closest(const Ball& x);

// P[Bin(n, p) = k], with a relative error of at most kChanceError; 0 only where it is below the
// least positive long double. p strictly between 0 and 1, k ≤ n.
inline constexpr long double kChanceError = 0x1p-60L;
long double binomial_chance(std::uint64_t n, std::uint64_t k, const Ball& p);

}  // namespace discreet::privacy
