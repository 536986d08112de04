// e^-x with a proved error, in plain arithmetic that a compiler can vectorise. No libm: its error
// is measured, not proved.
#pragma once

#include <bit>
#include <cstdint>

namespace discreet::random {

// For 0 ≤ x ≤ 64: |exp_minus(x) − e^-x| < 2^-48·e^-x. For larger x it gives e^-64, less than 2^-92.
//
// Proof. n = round(x·log2 e) ≤ 93 and r = n·ln 2 − x, |r| < 0.347. kHigh has 33 bits, so n·kHigh is
// exact; n·kHigh − x rounds by half an ulp of a result below 1/2 (2^-54), n·kLow by 2^-79, their
// sum by 2^-54, and kHigh + kLow is off ln 2 by 2^-86·n: in all |Δr| < 2^-52. The Taylor polynomial
// of degree 13 leaves 0.347^14/14! < 2^-57. In Horner's rule a step rounds twice, by 2^-53 and
// 2^-54 at most, and the next step multiplies what went before by |r|: 1.5·2^-53/(1 − 0.347) <
// 2^-51.7, over e^-0.347 > 0.7. Together below 2^-50, relative; scaling by 2^-n is exact.
inline double exp_minus(double x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kHigh = 0x1.62e42fee00000p-1, kLow = 0x1.a39ef35793c76p-33;
  constexpr double kMagic =
      0x1.8p52;  // adding it rounds to an integer, which then stands in the low bits
  x = x < 64.0 ? x : 64.0;
  const double shifted = x * kLog2E + kMagic;
  const double n = shifted - kMagic;
  const double r = (n * kHigh - x) + n * kLow;  // −(x − n·ln 2)
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const std::uint64_t exponent = (1023 - (std::bit_cast<std::uint64_t>(shifted) & 1023)) << 52;
  return sum * std::bit_cast<double>(exponent);
}

// What a decision by exp_minus allows for: u < e^-x counts as decided only where |u − exp_minus(x)|
// is at least this. It is 32 times the bound above, and so covers the roundings on the way to x and
// after it (they are added up at each use), and a host program that has changed the processor's
// rounding mode: the proof is for rounding to nearest, and downwards the error reaches 2^-43.8.
inline constexpr double kExpTolerance = 0x1p-43;

}  // namespace discreet::random
