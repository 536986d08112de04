#include "discreet/privacy/normal.h"

#include <cmath>
#include <numbers>

namespace discreet::privacy {
namespace {

constexpr double kUnit = 0x1p-53;
constexpr double kInverseRootTwoPi = 0.398942280401432677939946;

double tail(double x) { return 0.5 * std::erfc(x * (1 / std::numbers::sqrt2)); }  // Φ(−x)

double by_tails(double a, double b) {
  if (a >= 0) return tail(a) - tail(b);
  if (b <= 0) return tail(-b) - tail(-a);
  return 0.5 * (std::erf(b * (1 / std::numbers::sqrt2)) - std::erf(a * (1 / std::numbers::sqrt2)));
}

// Narrow: (|x| + 2)·w ≤ 1/2, where the series below has shrunk beyond a double in eight terms; in
// five at 1/10.
bool is_narrow(double x, double w) { return (std::fabs(x) + 2) * w <= 0.5; }
int terms(double x, double w) { return (std::fabs(x) + 2) * w <= 0.1 ? 5 : 8; }

// ∫φ over [x−w, x+w], over 2wφ(x): Σ_j He_{2j}(x)·w^{2j}/(2j+1)!, He the Hermite polynomials
// (φ^{(2j)} = He_{2j}φ).
double narrow_shape(double x, double w) {
  double before = 1, here = x, sum = 1, scale = 1;  // He_0, He_1
  const int last = 2 * terms(x, w);
  for (int k = 1; k < last; ++k) {
    const double next = x * here - k * before;  // He_{k+1}
    before = here;
    here = next;
    scale *= w / (k + 2);
    if (k == 1) scale = w * w / 6;
    if (k % 2 == 1) sum += here * scale;
  }
  return sum;
}

}  // namespace

double normal_mass(double a, double b) {
  if (!(a < b)) return 0;
  const double x = a + (b - a) / 2, w = (b - a) / 2;
  if (std::isfinite(x) && is_narrow(x, w))
    return 2 * w * kInverseRootTwoPi * std::exp(-x * x / 2) * narrow_shape(x, w);
  return by_tails(a, b);
}

TwoMasses normal_masses(double a, double b, double mu) {
  if (!(a < b)) return {0, 0};
  const double x = a + (b - a) / 2, w = (b - a) / 2;
  if (std::isfinite(x) && is_narrow(x, w) && is_narrow(x - mu, w)) {
    const double base = 2 * w * kInverseRootTwoPi;
    // Take the larger density directly and the other by its ratio: neither underflows before it
    // must.
    const double loss = mu * x - mu * mu / 2;
    if (loss <= 0) {
      const double density = base * std::exp(-x * x / 2);
      return {density * narrow_shape(x, w), density * std::exp(loss) * narrow_shape(x - mu, w)};
    }
    const double density = base * std::exp(-(x - mu) * (x - mu) / 2);
    return {density * std::exp(-loss) * narrow_shape(x, w), density * narrow_shape(x - mu, w)};
  }
  return {by_tails(a, b), by_tails(a - mu, b - mu)};
}

double normal_error(double furthest) { return (128 + 4 * furthest * furthest) * kUnit; }

}  // namespace discreet::privacy
