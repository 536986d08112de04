#include "discreet/privacy/renyi_closed.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "discreet/base/ball.h"

namespace discreet::privacy {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr long kLeastBits = 192, kMostBits = 1 << 12, kAccurate = 56;

// ln(A)/(α−1), with the precision raised until the digits stand. Where they never do, the simple
// bound: what is lost at most, or what the continuous noise loses.
double divergence(const Rational& alpha, const Rational& bound,
                  const std::function<Ball(long)>& moment) {
  const Rational less = alpha - 1;
  const double most = to_double(bound, Rounding::kUp);
  for (long bits = kLeastBits; bits <= kMostBits; bits *= 2) {
    const Ball out = div(log(moment(bits), bits), Ball(less, bits), bits);
    if (out.is_finite() && out.accurate_bits() >= kAccurate)
      return std::clamp(out.upper(), 0.0, most);
  }
  return most;
}

Ball e_to(const Rational& exponent, long bits) { return exp(Ball(exponent, bits), bits); }

double rounded_up(const Rational& value) { return to_double(value, Rounding::kUp); }

double shifted_gaussian(const Rational& alpha, const Rational& sigma, const Rational& sensitivity) {
  return rounded_up(alpha * sensitivity * sensitivity / (2 * sigma * sigma));
}

}  // namespace

double closed_renyi(const Gaussian& event, double alpha) {
  return shifted_gaussian(Rational(alpha), event.sigma, event.sensitivity);
}

// A = α/(2α−1)·e^{(α−1)ε} + (α−1)/(2α−1)·e^{−αε}, ε = Δ/b.
double closed_renyi(const Laplace& event, double alpha) {
  const Rational a(alpha), epsilon = event.sensitivity / event.scale, width = 2 * a - 1;
  if (sgn(epsilon) == 0) return 0;
  return divergence(a, epsilon, [&](long bits) {
    return add(mul(Ball(Rational(a / width), bits), e_to((a - 1) * epsilon, bits), bits),
               mul(Ball(Rational((a - 1) / width), bits), e_to(-a * epsilon, bits), bits), bits);
  });
}

// Completing the square, A = e^{α(α−1)Δ²/2σ²}·θ(αΔ)/θ(0), θ(c) = Σ_z e^{−(z−c)²/2σ²}
// (Canonne-Kamath-Steinke 2020, Proposition 5). θ is largest at whole numbers; above σ = 4 it is
// flat to 2^-450.
double closed_renyi(const DiscreteGaussian& event, double alpha) {
  const Rational a(alpha),
      bound = a * event.sensitivity * event.sensitivity / (2 * event.sigma * event.sigma);
  const Rational shift = a * event.sensitivity;
  if (shift.get_den() == 1 || event.sigma > 4) return rounded_up(bound);
  const long reach = 90 + 2 * static_cast<long>(event.sigma.get_d());
  const Integer centre = shift.get_num() / shift.get_den();
  return divergence(a, bound, [&](long bits) {
    const auto theta = [&](const Rational& c) {
      Ball sum;
      for (long z = -reach; z <= reach; ++z) {
        const Rational away = z - c;
        sum = add(sum, e_to(-away * away / (2 * event.sigma * event.sigma), bits), bits);
      }
      // What lies further is below 4e^{−((reach−1)²−1)/2σ²} of the largest term, and that below
      // 2^-350.
      const Ball rest = Ball::between(0, Rational(1, Integer(1) << 350), bits);
      return mul(sum, add(Ball(1), rest, bits), bits);
    };
    const Rational fraction = shift - centre;
    return mul(e_to((a - 1) * bound, bits), div(theta(fraction), theta(0), bits), bits);
  });
}

// P and Q are geometric, Δ apart, x = e^{−1/b}. Outcomes on P's side lose Δ/b, on Q's −Δ/b, z
// between them (Δ−2z)/b: A = (e^{(α−1)Δ/b}·(1 + (1−x)·(r−r^Δ)/(1−r)) + x^Δ·e^{−(α−1)Δ/b})/(1+x), r
// = e^{−(2α−1)/b}.
double closed_renyi(const DiscreteLaplace& event, double alpha) {
  const Rational a(alpha), epsilon = event.sensitivity / event.scale, step = 1 / event.scale;
  if (sgn(epsilon) == 0) return 0;
  return divergence(a, epsilon, [&](long bits) {
    const Ball one(1), x = e_to(-step, bits), r = e_to(-(2 * a - 1) * step, bits);
    const Ball r_end = e_to(-(2 * a - 1) * epsilon, bits);
    const Ball between =
        mul(sub(one, x, bits), div(sub(r, r_end, bits), sub(one, r, bits), bits), bits);
    const Ball top = mul(e_to((a - 1) * epsilon, bits), add(one, between, bits), bits);
    return div(add(top, e_to(-a * epsilon, bits), bits), add(one, x, bits), bits);
  });
}

// A = (e^{αε} + e^{(1−α)ε} + k − 2)/(e^ε + k − 1).
double closed_renyi(const RandomizedResponse& event, double alpha) {
  const Rational a(alpha);
  if (sgn(event.epsilon) == 0) return 0;
  return divergence(a, event.epsilon, [&](long bits) {
    const Ball top =
        add(add(e_to(a * event.epsilon, bits), e_to((1 - a) * event.epsilon, bits), bits),
            Ball(Rational(event.k - 2), bits), bits);
    return div(top, add(e_to(event.epsilon, bits), Ball(Rational(event.k - 1), bits), bits), bits);
  });
}

// The worst pair has two outcomes, losing t and t − ε; with y = e^t and E = e^ε, A(y) = y^{α−1}(a −
// by)/(E−1), a = E − E^{1−α}, b = 1 − E^{1−α}, largest at y = (α−1)a/(αb) (the pair: Dong, Durfee
// and Rogers 2020).
double closed_renyi(const Exponential& event, double alpha) {
  const Rational order(alpha), &epsilon = event.epsilon;
  if (sgn(epsilon) == 0) return 0;
  return divergence(order, epsilon, [&](long bits) {
    const Ball grown = e_to(epsilon, bits), shrunk = e_to((1 - order) * epsilon, bits);
    const Ball a = sub(grown, shrunk, bits), b = sub(Ball(1), shrunk, bits);
    const Ball y = div(mul(Ball(Rational((order - 1) / order), bits), a, bits), b, bits);
    const Ball power = exp(mul(Ball(Rational(order - 1), bits), log(y, bits), bits), bits);
    return div(mul(power, a, bits), mul(Ball(order, bits), sub(grown, Ball(1), bits), bits), bits);
  });
}

double closed_renyi(const Approximate& event, double alpha) {
  if (sgn(event.delta) > 0) return kInfinity;
  return closed_renyi(RandomizedResponse{2, event.epsilon}, alpha);
}

double closed_renyi(const Concentrated& event, double alpha) {
  return rounded_up(Rational(alpha) * event.rho);
}

double closed_renyi(const RenyiBound& event, double alpha) {
  return alpha <= to_double(event.alpha, Rounding::kUp) ? rounded_up(event.epsilon) : kInfinity;
}

}  // namespace discreet::privacy
