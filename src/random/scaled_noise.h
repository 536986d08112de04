// Noise whose scale is private: a whole number, f + b·Z rounded, where Z is a continuous standard
// Laplace or Cauchy variable and b comes from the data (smooth sensitivity, mechanism/gap).
//
//   const Real scale = [](long bits) { return exp(Ball(Rational(1, 3), bits), bits); };
//   const ScaledNoise noise{NoiseShape::kLaplace, Rational(41, 2), scale};
//   std::int64_t drawn = *noise.sample(thread_generator());
//   Ball chance = noise.probability(20, {0, 100}, 128);  // of 20, clamped to 0 … 100
//
// What is proved. The sample is Q(u) rounded, Q the quantile function and u a uniform real number
// of which 192 binary digits are revealed; the enclosure of f + b·Q(u) decides where it lies
// between two halves, and only where it doesn't are more digits drawn. At most 2^63 halves can be
// in the way, each in an interval of probability 2^-190: a second look has probability below
// 2^-120. So the bytes drawn, and the sequence of operations and their precision, are the same
// whatever b, f and the outcome are. (Tables of ratios as random/geometric.h has would be made for
// each b, and tell it by their time.)
// What isn't: the time to the last instruction. Operations on numbers of any precision are quicker
// where an operand has few digits: draws of about 5.5 µs differ by up to 0.2 µs in the middle
// between one b and another (a whole number, a product of an exponential). Factors of 0, which
// would be far quicker, are replaced and the result put aside. Samplers whose scale is public have
// no such difference.
#pragma once

#include <cstdint>
#include <utility>

#include "discreet/base/ball.h"
#include "discreet/random/generator.h"
#include "discreet/random/source.h"

namespace discreet::random {

enum class NoiseShape {
  kLaplace,  // density ½·e^-|z|
  kCauchy,   // density 1/(π(1 + z²))
};

// Samples end at ± this.
inline constexpr std::int64_t kMostScaled = std::int64_t{1} << 62;

struct ScaledNoise {
  NoiseShape shape = NoiseShape::kLaplace;
  Rational centre;
  // Exactly 0, or with an enclosure above 0 at 128 bits and more.
  Real scale;

  // ⌊f + b·Z + ½⌋.
  Result<std::int64_t> sample(Source& source) const;

  // P[low ≤ f + b·Z < high].
  Ball between(const Rational& low, const Rational& high, long bits) const;
  // P[f + b·Z < edge] and P[f + b·Z ≥ edge].
  Ball below(const Rational& edge, long bits) const;
  Ball from(const Rational& edge, long bits) const;
  // P[the sample, clamped to a range of whole numbers (first to last), is z].
  Ball probability(std::int64_t z, std::pair<std::int64_t, std::int64_t> range, long bits) const;
};

}  // namespace discreet::random
