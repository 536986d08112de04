// Trials of the wide Gaussian, for processors with AVX2.
#include "discreet/random/exp_bound.h"
#include "discreet/random/gaussian_trials.h"

#define TRIAL_NAME avx2
#define TRIAL_LANES 4
#include "discreet/random/gaussian_trials_body.h"
