#include "discreet/privacy/concentrated.h"

#include <algorithm>
#include <cmath>

#include "discreet/base/ball.h"
#include "discreet/privacy/search.h"

namespace discreet::privacy {
namespace {

constexpr long kBits = 256;

// ln of (1−1/α)^{α−1}/α, α = 1 + m. The base m/(1+m) may be close to 0 or to 1.
double log_factor(double m) {
  return m * (m < 1 ? std::log(m / (1 + m)) : std::log1p(-1 / (1 + m))) - std::log1p(m);
}
Ball log_factor(const Rational& m) {
  const Rational share = m / (1 + m), rest = -1 / (1 + m);
  const Ball base = m < 1 ? log(Ball(share, kBits), kBits) : log1p(Ball(rest, kBits), kBits);
  return sub(mul(Ball(m, kBits), base, kBits), log1p(Ball(m, kBits), kBits), kBits);
}

// The m = α−1 where f is least, searched over ln m.
template <class F>
Rational best(F&& f, double low, double high) {
  return Rational(std::exp(maximize([&](double t) { return -f(std::exp(t)); }, low, high)));
}

}  // namespace

double concentrated_delta(const Rational& rho, const Rational& epsilon) {
  if (sgn(rho) <= 0) return 0;
  const double r = to_double(rho, Rounding::kUp), e = to_double(epsilon, Rounding::kDown);
  if (std::isinf(r)) return 1;
  const Rational m = best([&](double x) { return x * ((1 + x) * r - e) + log_factor(x); }, -30,
                          std::log(std::max({1.0, e / r, 1 / std::sqrt(r)})) + 5);
  const Rational slope = m * ((1 + m) * rho - epsilon);
  return std::min(1.0, exp(add(Ball(slope, kBits), log_factor(m), kBits), kBits).upper());
}

double concentrated_epsilon(const Rational& rho, const Rational& delta) {
  if (sgn(rho) <= 0 || delta >= 1) return 0;
  if (sgn(delta) <= 0) return HUGE_VAL;
  const Ball log_delta = log(Ball(delta, kBits), kBits);
  const double r = to_double(rho, Rounding::kUp), l = log_delta.lower();
  if (std::isinf(r)) return HUGE_VAL;
  const double centre = 0.5 * (std::log(std::max(1e-300, -l)) - std::log(std::max(1e-300, r)));
  const Rational m = best([&](double x) { return (1 + x) * r + (log_factor(x) - l) / x; },
                          std::min(-20.0, centre - 10), centre + 10);
  const Rational product = (1 + m) * rho;
  const Ball rest = div(sub(log_factor(m), log_delta, kBits), Ball(m, kBits), kBits);
  return std::max(0.0, add(Ball(product, kBits), rest, kBits).upper());
}

Rational concentrated_rho(const Rational& epsilon, const Rational& delta) {
  // ρ → ε(ρ, δ) increases: bisection over doubles, with a lower end that is certified.
  const auto holds = [&](const Rational& rho) {
    return Rational(concentrated_epsilon(rho, delta)) <= epsilon;
  };
  Rational low = 0, high = epsilon;
  while (holds(high)) low = high, high *= 2;
  for (int i = 0; i < 60; ++i) {
    const Rational middle(to_double((low + high) / 2, Rounding::kDown));
    if (middle <= low || middle >= high) break;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace discreet::privacy
