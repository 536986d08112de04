// Trials of the wide Gaussian, for processors with AVX-512.
#include "discreet/random/exp_bound.h"
#include "discreet/random/gaussian_trials.h"

#define TRIAL_NAME avx512
#define TRIAL_LANES 8
#include "discreet/random/gaussian_trials_body.h"
