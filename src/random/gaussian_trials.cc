#include "discreet/random/gaussian_trials.h"

namespace discreet::random {

std::size_t runnable_trials(RunTrials out[3]) {
  std::size_t n = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    out[n++] = avx512::run;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out[n++] = avx2::run;
#endif
  out[n++] = portable::run;
  return n;
}

bool run_trials(const TrialTables& tables, std::size_t n, Trials& trials) {
  static const RunTrials best = [] {
    RunTrials all[3] = {};
    runnable_trials(all);
    return all[0];
  }();
  return best(tables, n, trials);
}

}  // namespace discreet::random
