// Error bars from the likelihood itself: where it bends sharply, the estimate is sure.
//
// At a maximum θ on the support S the estimate's covariance is the inverse of the information J
// under Σθ = 1: with K = J⁻¹,
//     K − K·1·1ᵀ·K/(1ᵀ·K·1).
// That counts the values as drawn from θ. The frequencies among those who reported are themselves
// off by (diag θ − θ·θᵀ)/n, and what is left between them and the estimate is the difference: the
// model is linear in θ, so that the estimate's first-order error is free of the draw (channel.h has
// the same by hand for the inversion). Observed rather than expected information: Efron and Hinkley
// 1978.
//
// What is proved: nothing for few reports. information_test.cc shows how often two standard errors
// cover the truth.
#pragma once

#include <optional>

#include "discreet/local/likelihood.h"

namespace discreet::local {

// A matrix larger than this is not made.
inline constexpr std::size_t kMostInformed = 1000;

// Values whose estimate is a thousandth of a user or more.
std::vector<std::size_t> support_of(std::span<const double> theta, double users);

// J as in Likelihood::information; where the likelihood doesn't tell, by differences of the
// gradient, two for each value. Empty where that would take more additions than `most`, or a matrix
// would be too large.
std::vector<double> information_of(const Likelihood& likelihood, std::span<const double> theta,
                                   std::span<const std::size_t> among, double most);

// One standard error for each value of the support. Nothing where the likelihood doesn't tell (J is
// singular, or too large), or would take too long.
std::optional<std::vector<double>> information_errors(const Likelihood& likelihood,
                                                      std::span<const double> theta,
                                                      std::span<const std::size_t> support);

// The diagonal of J's inverse under a sum that stays what it is, J as in Likelihood::information:
// `size` numbers are a diagonal, size² a matrix.
std::optional<std::vector<double>> constrained_variances(std::span<const double> information,
                                                         std::size_t size);

}  // namespace discreet::local
