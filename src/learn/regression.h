// Private linear regression from second moments, with a ridge that is as large as the noise asks
// for and no larger: AdaSSP (Wang 2018, "Revisiting differentially private linear regression").
//
//   #include "discreet/random/generator.h"
//   const BallRows rows{1, 2, {1 << 13, 1 << 13}};
//   const std::vector<float> targets = {0.5F};
//   Rational sigma = *regression_sigma(1, Rational(1, 100000));
//   Regression model = *regress(rows, targets, sigma, random::thread_generator());
//
// Σ xxᵀ and Σ xy are released with one Gaussian mechanism (learn/moments.h has why: ‖x‖ ≤ 1 and
// |y| ≤ 1, sensitivity √2 for all numbers together). θ = (Σ xxᵀ + E + r·I)⁻¹(Σ xy + e) and r are
// post-processing. Wang releases the least eigenvalue of Σ xxᵀ as a third number, to choose r by;
// here it is read off the noisy matrix, whose own least eigenvalue is off by at most ‖E‖, which is
// about as much as the ridge has to be where one is needed: that third of the budget is saved, and
// no eigenvalue computed in floating point from private numbers has to be bounded.
//   r = max(0, 2σ'√w − λ_min(Σ xxᵀ + E))     (2σ'√w: the noise's norm, σ' of each number)
#pragma once

#include "discreet/learn/moments.h"

namespace discreet::learn {

struct Regression {
  std::vector<double> weights;  // of a row in the ball; y from −1 to 1
  double ridge = 0;
  double least_eigenvalue = 0;  // of the noisy matrix
  double noise = 0;             // of each moment
};

// The least σ for (ε, δ), where something else was paid for with the same.
Result<Rational> regression_sigma(const Rational& epsilon, const Rational& delta,
                                  const std::vector<privacy::Event>& before = {});

Result<Regression> regress(const BallRows& rows, std::span<const float> targets,
                           const Rational& sigma, random::Source& source);
// From moments that are there.
Regression regress(const Moments& moments);

}  // namespace discreet::learn
