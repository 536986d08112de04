// The iterative Bayesian update (Agrawal and Aggarwal 2001; ElSalamouny and Palamidessi 2020; deck
// 003), that is the EM algorithm, for any likelihood: θ_v ← θ_v·g_v (likelihood.h).
//
//   #include "discreet/local/flat_likelihood.h"
//   const std::vector<std::uint64_t> counts{40, 30, 20, 10};
//   FlatLikelihood likelihood(counts, 0.4, 0.2);
//   Estimate estimate = *iterate(likelihood, {.tolerance = 1e-9});
//   bool near = estimate.gap <= 1e-9;
//
// What is proved: a round never makes the reports less likely. From a start of full support it goes
// to the maximum; a zero would stay zero, so that none is left. It stops where the maximum is
// surely near: max_v g_v − 1 bounds what is missing.
//
// Accelerated, every second round is a bold one, and undone where it made the reports less likely:
// it goes further along the way of the last two (SQUAREM: Varadhan and Roland 2008, step length
// S3), or, after the first fifty and up to a thousand values, to where a parabola has its maximum
// (newton.h).
//
// Smoothed (EMS: Silverman, Jones, Wilson and Nychka 1990; for square wave Li et al. 2020), each
// round is followed by the kernel ¼, ½, ¼; what would leave at an end stays there, so that the sum
// stays 1. Its end isn't the maximum: it stops where ℓ changes by less than the tolerance.
#pragma once

#include "discreet/local/estimate.h"
#include "discreet/local/likelihood.h"

namespace discreet::local {

// Without error bars, which are the caller's.
Result<Estimate> iterate(const Likelihood& likelihood, const EstimateOptions& options);

}  // namespace discreet::local
