#include "discreet/mechanism/least.h"

namespace discreet::mechanism {
namespace {
constexpr long kFirstBits = 96, kMostBits = 4096;
}

bool surely_not_negative(const Real& f) {
  for (long bits = kFirstBits; bits <= kMostBits; bits *= 2) {
    const Ball value = f(bits);
    if (surely_at_most(Ball(0), value)) return true;
    if (surely_less(value, Ball(0))) return false;
  }
  return false;
}

Integer least(const std::function<Ball(const Integer& m, long bits)>& f) {
  const auto reached = [&](const Integer& m) {
    return surely_not_negative([&](long bits) { return f(m, bits); });
  };
  if (reached(0)) return 0;
  Integer below = 0, above = 1;
  while (!reached(above)) {
    below = above;
    above *= 2;
  }
  while (above - below > 1) {
    const Integer middle = (below + above) / 2;
    (reached(middle) ? above : below) = middle;
  }
  return above;
}

}  // namespace discreet::mechanism
