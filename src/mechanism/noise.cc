#include "discreet/mechanism/noise.h"

#include "discreet/mechanism/least.h"

namespace discreet::mechanism {

Ball Noise::at_least(const Integer& m, long bits) const {
  if (m >= 1) return upper_tail(m, bits);
  // P[Z ≥ m] = 1 − P[Z ≤ m−1] = 1 − P[Z ≥ 1−m], by symmetry
  return sub(Ball(1), upper_tail(1 - m, bits), bits);
}

Ball Noise::beyond(const Integer& m, long bits) const {
  return mul(Ball(2), upper_tail(m + 1, bits), bits);
}

Integer Noise::quantile(const Rational& beta, std::uint64_t cells) const {
  // P[max |Z| > m] = 1 − (1 − P[|Z| > m])^cells ≤ β
  return least([&](const Integer& m, long bits) {
    const Ball inside =
        pow(sub(Ball(1), beyond(m, bits), bits), static_cast<unsigned long>(cells), bits);
    return sub(inside, sub(Ball(1), Ball(beta, bits), bits), bits);
  });
}

}  // namespace discreet::mechanism
