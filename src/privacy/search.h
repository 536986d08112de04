// Searching on a line: the few lines that every calibration needs.
#pragma once

#include <cmath>

namespace discreet::privacy {

// About where f is largest on [low, high]: the best of a coarse grid, then golden section around
// it. Meant for bounds that hold at every point, so that a missed optimum costs tightness and never
// truth.
template <class F>
double maximize(F&& f, double low, double high) {
  constexpr int kCoarse = 64;
  constexpr double kGolden = 0.6180339887498949;
  double best = low, best_value = -HUGE_VAL;
  for (int i = 0; i <= kCoarse; ++i) {
    const double x = low + (high - low) * i / kCoarse, value = f(x);
    if (value > best_value) {
      best = x;
      best_value = value;
    }
  }
  const double step = (high - low) / kCoarse;
  double a = std::fmax(low, best - step), b = std::fmin(high, best + step);
  double x = b - kGolden * (b - a), y = a + kGolden * (b - a), fx = f(x), fy = f(y);
  for (int i = 0; i < 60 && b - a > 1e-10 * (1 + std::fabs(a)); ++i) {
    if (fx > fy) {
      b = y, y = x, fy = fx;
      fx = f(x = b - kGolden * (b - a));
    } else {
      a = x, x = y, fx = fy;
      fy = f(y = a + kGolden * (b - a));
    }
  }
  const double middle = fx > fy ? x : y;
  return f(middle) >= best_value ? middle : best;
}

// The least x in [low, high] where a condition holds that, once true, stays true; `high` is taken
// to hold. To the last bits of a double, on the side where it holds.
template <class Holds>
double least(Holds&& holds, double low, double high) {
  if (holds(low)) return low;
  for (int i = 0; i < 2100; ++i) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high || high - low <= high * 0x1p-51) break;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace discreet::privacy
