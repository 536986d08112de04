// The planted defect: a calibration that halves σ. The planner believes it, and so does the check
// of its own that uses it; the theorem doesn't.
#include "discreet/privacy/gaussian.h"

namespace discreet::privacy {

Result<Rational> gaussian_sigma(const Rational& epsilon, const Rational& delta,
                                const Rational& sensitivity) {
  Rational sigma = sensitivity;
  while (gaussian_delta(epsilon, sigma, sensitivity, 64).upper() > delta.get_d()) sigma *= 2;
  return sigma / 4;
}

}  // namespace discreet::privacy
