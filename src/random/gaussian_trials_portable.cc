// Trials of the wide Gaussian, for any machine.
#include "discreet/random/exp_bound.h"
#include "discreet/random/gaussian_trials.h"

#define TRIAL_NAME portable
#define TRIAL_LANES 2
#include "discreet/random/gaussian_trials_body.h"
