#include "discreet/mechanism/testing/privacy_check.h"

#include "discreet/privacy/hockey_stick.h"

namespace discreet::mechanism::testing {

std::vector<Rational> epsilons() {
  std::vector<Rational> out;
  for (const char* text : {"0.001", "0.01", "0.1", "0.5", "1", "ln(3)", "2", "5", "10", "20"})
    out.push_back(*parse_number(text, Rounding::kDown));
  return out;
}

std::vector<Ball> distribution(const Additive& mechanism, std::int64_t value, std::int64_t lo,
                               std::int64_t hi) {
  std::vector<Ball> out;
  for (std::int64_t i = 0; i <= hi - lo; ++i)  // hi may be the last of all integers
    out.push_back(mechanism.probability(value, lo + i, kBits));
  const Range range = mechanism.range();
  const Integer y(static_cast<long>(std::clamp(value, range.lowest, range.highest)));
  const Integer first(static_cast<long>(lo)), last(static_cast<long>(hi));
  out.push_back(lo <= range.lowest ? Ball(0) : mechanism.noise().at_least(y - first + 1, kBits));
  out.push_back(hi >= range.highest ? Ball(0) : mechanism.noise().at_least(last - y + 1, kBits));
  return out;
}

double delta_above(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon) {
  return privacy::worst_hockey_stick(p, q, epsilon, kBits).upper();
}

double delta_below(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon) {
  return privacy::worst_hockey_stick(p, q, epsilon, kBits).lower();
}

bool adds_up_to_one(std::span<const Ball> p, double width) {
  Ball sum(0);
  for (const Ball& ball : p) sum = add(sum, ball, kBits);
  return sum.lower() <= 1 && sum.upper() >= 1 && sum.upper() - sum.lower() < width;
}

double middle(const Ball& ball) { return ball.middle(); }

std::vector<double> middles(std::span<const Ball> balls) {
  std::vector<double> out;
  for (const Ball& ball : balls) out.push_back(middle(ball));
  return out;
}

}  // namespace discreet::mechanism::testing
