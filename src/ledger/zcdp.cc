#include "discreet/ledger/zcdp.h"

#include <cmath>

#include "discreet/base/ball.h"

namespace discreet::ledger {
namespace {

constexpr long kBits = 256;

// The α that gives the smallest ε for ρ at δ, by golden section over ln(α−1): ε(α) has one minimum
// there.
double best_alpha(double rho, double log_delta) {
  const auto epsilon_at = [&](double t) {
    const double m = std::exp(t);  // α − 1
    const double a = 1 + m;
    return a * rho - (log_delta + t - a * std::log1p(-1 / a)) / m;
  };
  const double ratio = (std::sqrt(5.0) - 1) / 2;
  double low = -20, high = 60;
  double x = high - ratio * (high - low), y = low + ratio * (high - low);
  double fx = epsilon_at(x), fy = epsilon_at(y);
  for (int i = 0; i < 120; ++i) {
    if (fx < fy) {
      high = y, y = x, fy = fx, x = high - ratio * (high - low), fx = epsilon_at(x);
    } else {
      low = x, x = y, fx = fy, y = low + ratio * (high - low), fy = epsilon_at(y);
    }
  }
  return 1 + std::exp((low + high) / 2);
}

// ε at this α, as an interval.
Ball epsilon_ball(const Rational& rho, const Rational& delta, double alpha) {
  const Rational a(alpha), m = a - 1;
  const Ball inner =
      sub(add(log(Ball(delta, kBits), kBits), log(Ball(m, kBits), kBits), kBits),
          mul(Ball(a, kBits), log1p(Ball(Rational(-1 / a), kBits), kBits), kBits), kBits);
  return sub(Ball(Rational(a * rho), kBits), div(inner, Ball(m, kBits), kBits), kBits);
}

double log_of(const Rational& delta) {
  const Ball value = log(Ball(delta, kBits), kBits);
  return value.lower();
}

}  // namespace

Rational zcdp_epsilon(const Rational& rho, const Rational& delta) {
  if (rho == 0) return 0;
  const double alpha = best_alpha(to_double(rho, Rounding::kUp), log_of(delta));
  const Rational bound(epsilon_ball(rho, delta, alpha).upper());
  return bound > 0 ? bound : Rational(0);
}

Rational zcdp_rho(const Rational& epsilon, const Rational& delta) {
  // ρ → ε(ρ, δ) increases: bisection over doubles, keeping a lower end that is certified.
  Rational low = 0, high = epsilon;
  while (zcdp_epsilon(high, delta) <= epsilon) low = high, high *= 2;
  for (int i = 0; i < 60; ++i) {
    const Rational middle(to_double((low + high) / 2, Rounding::kDown));
    if (middle <= low || middle >= high) break;
    (zcdp_epsilon(middle, delta) <= epsilon ? low : high) = middle;
  }
  return low;
}

}  // namespace discreet::ledger
