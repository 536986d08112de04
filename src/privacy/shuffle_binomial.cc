#include "discreet/privacy/shuffle_binomial.h"

#include <cmath>

namespace discreet::privacy {
namespace {

constexpr long kBits = 192;
constexpr std::uint64_t kDirect = 1024;

Ball whole(std::uint64_t value) {
  return Ball(Rational(Integer(static_cast<unsigned long>(value))), kBits);
}

}  // namespace

long double closest(const Ball& x) {
  const double high = x.middle();
  return static_cast<long double>(high) + sub(x, Ball(Rational(high), kBits), kBits).middle();
}

Ball log_factorial(std::uint64_t k, long bits) {
  if (k <= kDirect) {
    Integer product = 1;
    for (std::uint64_t i = 2; i <= k; ++i) product *= static_cast<unsigned long>(i);
    return log(Ball(Rational(product), bits), bits);
  }
  const Rational n{Integer(static_cast<unsigned long>(k))};
  const Rational cube = n * n * n, fifth = cube * n * n;
  const Rational high = 1 / (12 * n) - 1 / (360 * cube) + 1 / (1260 * fifth);
  const Rational low = high - 1 / (1680 * fifth * n * n);
  const Ball ball(n, bits);
  const Ball circle = log(mul(mul(Ball(2), Ball::pi(bits), bits), ball, bits), bits);
  return add(
      add(mul(ball, sub(log(ball, bits), Ball(1), bits), bits), div(circle, Ball(2), bits), bits),
      Ball::between(low, high, bits), bits);
}

long double binomial_chance(std::uint64_t n, std::uint64_t k, const Ball& p) {
  Ball log_chance = sub(log_factorial(n, kBits),
                        add(log_factorial(k, kBits), log_factorial(n - k, kBits), kBits), kBits);
  log_chance = add(log_chance, mul(whole(k), log(p, kBits), kBits), kBits);
  log_chance = add(log_chance, mul(whole(n - k), log(sub(Ball(1), p, kBits), kBits), kBits), kBits);
  // as m·2^e with m about 1: a double can hold m, a long double its product
  const Ball two = log(Ball(2), kBits);
  const double exponent = std::floor(log_chance.middle() / two.middle());
  if (exponent < -16'400) return 0;
  const Ball mantissa =
      exp(sub(log_chance, mul(Ball(static_cast<long>(exponent)), two, kBits), kBits), kBits);
  return std::ldexp(closest(mantissa), static_cast<int>(exponent));
}

}  // namespace discreet::privacy
