#include "discreet/learn/kernel.h"

namespace discreet::learn {

std::size_t runnable_kernels(const Kernels* out[3]) {
  std::size_t n = 0;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    out[n++] = &avx512::table();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) out[n++] = &avx2::table();
#endif
  out[n++] = &portable::table();
  return n;
}

const Kernels& kernels() {
  static const Kernels* const best = [] {
    const Kernels* all[3] = {};
    runnable_kernels(all);
    return all[0];
  }();
  return *best;
}

}  // namespace discreet::learn
