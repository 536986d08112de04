// Dominating pairs of additive noise: the noise against itself moved by the sensitivity, and under
// Poisson sampling with replacement of a unit (pair.h says why).
#pragma once

#include "discreet/privacy/pair.h"

namespace discreet::privacy {

// Scale 1, sensitivity ε. L runs from −ε to ε with atoms at both ends.
Result<SharedPair> laplace_pair(double epsilon);
Result<SharedPair> discrete_gaussian_pair(const DiscreteGaussian& event);
Result<SharedPair> discrete_laplace_pair(const DiscreteLaplace& event);

// The mixture (1−q)·noise + q·(noise moved by −Δ) against (1−q)·noise + q·(noise moved by +Δ), for
// an event that is such noise.
Result<SharedPair> replaced_pair(const Event& event, double q);

}  // namespace discreet::privacy
