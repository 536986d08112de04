#include "discreet/privacy/convert.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "discreet/base/ball.h"
#include "discreet/privacy/search.h"

namespace discreet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kUp = 1 + 0x1p-40;

double up(double value) { return value > 0 ? value * kUp : 0; }

// ln of the factor (1−1/α)^α/(α−1), which is (α−1)^{α−1}/α^α.
double log_factor(double alpha) { return (alpha - 1) * std::log1p(-1 / alpha) - std::log(alpha); }

// sup over x > e^ε of (x − e^ε)/g(x), g(x) = x^α − αx₁^{α−1}x + (α−1)x₁^α, as a logarithm; x =
// e^{ε+s}, x₁ = e^ε·r.
double log_slope(double alpha, double epsilon, double r) {
  const auto at = [&](double s) {
    // All divided by e^ε above and e^{αε} below.
    const double x = std::exp(s),
                 base = (alpha - 1) * std::pow(r, alpha) - alpha * std::pow(r, alpha - 1) * x;
    return std::log(std::expm1(s)) - (alpha * s + std::log1p(base * std::exp(-alpha * s)));
  };
  // A line over a convex function has one maximum. Without base it lies at x = e^ε·α/(α−1), and as
  // x₁ nears e^ε it nears it too.
  const double s0 = -std::log1p(-1 / alpha);
  const double best =
      maximize([&](double t) { return at(std::exp(t)); }, std::log(s0) - 40, std::log(s0) + 5);
  return at(std::exp(best)) + (1 - alpha) * epsilon;
}

double total_variation(double gamma) { return up(std::sqrt(-std::expm1(-gamma))); }

}  // namespace

double renyi_delta(double alpha, double gamma, double epsilon) {
  if (!(gamma < kInfinity)) return 1;
  const double found = up(std::exp((alpha - 1) * (gamma - epsilon) + log_factor(alpha)));
  return std::min({1.0, total_variation(gamma), std::isnan(found) ? 1.0 : found});
}

double renyi_epsilon(double alpha, double gamma, double delta) {
  if (delta >= 1 || delta >= total_variation(gamma)) return 0;
  if (delta <= 0 || !(gamma < kInfinity)) return kInfinity;
  return std::max(0.0, up(gamma + (log_factor(alpha) - std::log(delta)) / (alpha - 1)));
}

// Duality: if (x−e^ε)₊ ≤ a + bx + cx^α for all x ≥ 0, then δ = E_Q[(X−e^ε)₊] ≤ a + b + cM, where X
// = P/Q has E X = 1 and E X^α ≤ M = e^{(α−1)γ}. Best is c·(x^α − αx₁^{α−1}x + (α−1)x₁^α), which
// touches 0 at x₁, with the least c; x₁ = 0 is Canonne, Kamath and Steinke's. Every x₁ gives a
// valid bound, so the search over it needs no guarantee of its own.
double single_order_delta(double alpha, double gamma, double epsilon) {
  const double simple = renyi_delta(alpha, gamma, epsilon);
  if (std::isinf(gamma)) return simple;
  const double log_moment = (alpha - 1) * gamma;
  const auto bound = [&](double r) {
    const double x1 = r * std::exp(epsilon);
    if (!(x1 < 1)) return 1.0;
    // a + b + cM over c: M − αx₁^{α−1} + (α−1)x₁^α
    const double value = std::expm1(log_moment) + 1 - alpha * std::pow(x1, alpha - 1) +
                         (alpha - 1) * std::pow(x1, alpha);
    return value <= 0 ? 1.0 : std::exp(log_slope(alpha, epsilon, r) + std::log(value));
  };
  const double limit = std::exp(-epsilon);
  const double best =
      maximize([&](double t) { return -bound(limit / (1 + std::exp(-t))); }, -30, 30);
  double found = bound(limit / (1 + std::exp(-best)));
  if (!(found >= 0)) found = 1;
  return std::min(simple, up(found));
}

double single_order_epsilon(double alpha, double gamma, double delta) {
  const double simple = renyi_epsilon(alpha, gamma, delta);
  if (!(simple > 0) || std::isinf(simple)) return simple;
  return least([&](double epsilon) { return single_order_delta(alpha, gamma, epsilon) <= delta; },
               0, simple);
}

Guarantee group_guarantee(const Guarantee& one, const Integer& size) {
  Guarantee out = one;
  out.epsilon *= size;
  if (sgn(one.delta) == 0) return out;
  if (sgn(one.epsilon) == 0) {
    out.delta *= size;
  } else {
    constexpr long kBits = 256;
    const Ball factor =
        div(expm1(Ball(out.epsilon, kBits), kBits), expm1(Ball(one.epsilon, kBits), kBits), kBits);
    const Ball delta = mul(factor, Ball(one.delta, kBits), kBits);
    if (surely_less(Ball(1), delta)) {
      out.delta = 1;
      return out;
    }
    Rational above(delta.ceil_shifted(kBits));
    mpq_div_2exp(above.get_mpq_t(), above.get_mpq_t(), kBits);
    out.delta = above;
  }
  out.delta = std::min(out.delta, Rational(1));
  return out;
}

}  // namespace discreet::privacy
