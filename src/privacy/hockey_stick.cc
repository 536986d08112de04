#include "discreet/privacy/hockey_stick.h"

#include <cmath>

namespace discreet::privacy {

double hockey_stick(std::span<const double> p, std::span<const double> q, double epsilon) {
  const double ratio = std::exp(epsilon);
  // Neumaier's sum: thousands of tiny terms must not be lost beside one large one.
  double sum = 0, lost = 0;
  for (std::size_t o = 0; o < p.size(); ++o) {
    const double other = o < q.size() && q[o] > 0 ? ratio * q[o] : 0;  // 0·∞ is 0 here
    const double term = std::max(0.0, p[o] - other), next = sum + term;
    lost += sum >= term ? (sum - next) + term : (term - next) + sum;
    sum = next;
  }
  return sum + lost;
}

Ball hockey_stick(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon,
                  long bits) {
  const Ball ratio = exp(Ball(epsilon, bits), bits), zero;
  Ball sum;
  for (std::size_t o = 0; o < p.size(); ++o) {
    const Ball term = o < q.size() ? sub(p[o], mul(ratio, q[o], bits), bits) : p[o];
    sum = add(sum, max(zero, term, bits), bits);
  }
  return sum;
}

double worst_hockey_stick(std::span<const double> p, std::span<const double> q, double epsilon) {
  return std::max(hockey_stick(p, q, epsilon), hockey_stick(q, p, epsilon));
}

Ball worst_hockey_stick(std::span<const Ball> p, std::span<const Ball> q, const Rational& epsilon,
                        long bits) {
  return max(hockey_stick(p, q, epsilon, bits), hockey_stick(q, p, epsilon, bits), bits);
}

}  // namespace discreet::privacy
