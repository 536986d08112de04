// Gauss-Legendre quadrature.
#pragma once

#include <cmath>

namespace discreet::privacy {

// Abscissae and weights on [−1, 1] for ten points (Abramowitz and Stegun, Table 25.4), the positive
// half.
inline constexpr double kLegendreNodes[] = {
    0.1488743389816312108848260, 0.4333953941292471907992659, 0.6794095682990244062343274,
    0.8650633666889845107320967, 0.9739065285171717200779640};
inline constexpr double kLegendreWeights[] = {
    0.2955242247147528701738930, 0.2692667193099963550912269, 0.2190863625159820439955349,
    0.1494513491505805931457763, 0.0666713443086881375935688};

// Calls node(x, weight) for panels of ten points each on [a, b], narrow enough that functions of
// the form e^{g(x)} with |g'| ≤ steepness are integrated to double precision: a panel of width w
// errs by about (steepness·w/40)^20.
template <class F>
void each_node(double a, double b, double steepness, F&& node) {
  const double panels = std::ceil((b - a) * (steepness + 1) / 4) + 1, half = (b - a) / (2 * panels);
  for (double panel = 0; panel < panels; ++panel) {
    const double centre = a + (2 * panel + 1) * half;
    for (int i = 0; i < 5; ++i) {
      node(centre - half * kLegendreNodes[i], half * kLegendreWeights[i]);
      node(centre + half * kLegendreNodes[i], half * kLegendreWeights[i]);
    }
  }
}

}  // namespace discreet::privacy
