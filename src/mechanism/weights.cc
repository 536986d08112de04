#if defined(__GNUC__) && !defined(__clang__)
// A comparison that might trap is not made branch-free by g++, and the loop below not vectorised.
// No result depends on it.
#pragma GCC optimize("no-trapping-math")
#endif

#include "discreet/mechanism/weights.h"

namespace discreet::mechanism {
namespace {

// Inlined into both, and compiled for each. No fused multiply-add: AVX2 alone doesn't bring it, so
// that the two round alike.
[[gnu::always_inline]] inline void each(std::span<double> values) {
  for (double& value : values) value = random::exp_minus(value);
}

void each_plain(std::span<double> values) { each(values); }

#if defined(__x86_64__)
[[gnu::target("avx2")]] void each_avx2(std::span<double> values) { each(values); }
const auto kEach = __builtin_cpu_supports("avx2") ? each_avx2 : each_plain;
#else
constexpr auto kEach = each_plain;
#endif

}  // namespace

void exp_minus_each(std::span<double> values) { kEach(values); }

}  // namespace discreet::mechanism
