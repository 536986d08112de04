#include "discreet/privacy/single.h"

#include <algorithm>
#include <cmath>

#include "discreet/privacy/search.h"

namespace discreet::privacy {

// P[A] − e^ε·Q[A] is at most δ for any set of outcomes A, so a threshold that is a little off costs
// the lower end nothing; the upper end may lose P of what lies between the two thresholds, times
// their distance.
Interval single_delta(const Pair& pair, bool adding, double epsilon) {
  const auto beyond = [&](double loss) {
    if (!adding) return pair.between(loss, HUGE_VAL);
    const Mass mass = pair.between(-HUGE_VAL, -loss);
    return Mass{mass.q, mass.p, -mass.lead};
  };
  const double only = adding ? pair.q_only() : pair.p_only(), error = pair.error();
  const double edge = pair.edge(adding ? -epsilon : epsilon) + 0x1p-51 * std::fabs(epsilon);
  const double top = adding ? -pair.low() : pair.high();
  if (epsilon >= top + edge + pair.edge(adding ? -top : top))
    return {only * (1 - 0x1p-50), std::min(1.0, only * (1 + 0x1p-50))};
  const Mass mass = beyond(epsilon);
  const Surplus found = surplus_of(mass, epsilon, error, pair.unit());
  const double missed = 2 * edge * (1 + error) * beyond(epsilon - 2 * edge).p + kLeastMass;
  const double unseen = mass.q < kLeastMass ? std::exp(epsilon) * kLeastMass : 0;
  return {std::max(0.0, found.value - found.doubt - unseen) + only * (1 - 0x1p-50),
          std::min(1.0, std::max(0.0, found.value) + found.doubt + missed + only * (1 + 0x1p-50))};
}

Interval single_epsilon(const Pair& pair, bool adding, double delta) {
  const double top = std::max(0.0, adding ? -pair.low() : pair.high());
  const auto upper = [&](double epsilon) { return single_delta(pair, adding, epsilon).upper; };
  const auto lower = [&](double epsilon) { return single_delta(pair, adding, epsilon).lower; };
  if (upper(0) <= delta) return {0, 0};
  Interval out{0, HUGE_VAL};
  double high = 1;
  while (high < 1e300 && high < top && !(upper(high) <= delta)) high *= 2;
  high = std::min(high, top * (1 + 0x1p-50) + 2 * pair.edge(top));
  if (upper(high) <= delta)
    out.upper = least([&](double epsilon) { return upper(epsilon) <= delta; }, 0, high);
  const double end = std::min(out.upper, high);
  // The largest ε that surely loses more than δ: `least` keeps to the side where its condition
  // holds, so look for it from above.
  if (lower(0) > delta) {
    const double below =
        least([&](double distance) { return lower(end - distance) > delta; }, 0, end);
    out.lower = std::max(0.0, (end - below) * (1 - 0x1p-50));
  }
  if (lower(1e300) > delta) out.lower = HUGE_VAL;
  return out;
}

}  // namespace discreet::privacy
