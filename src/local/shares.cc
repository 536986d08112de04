#if defined(__GNUC__) && !defined(__clang__)
// A comparison that might trap is not made branch-free by g++. No result depends on it.
#pragma GCC optimize("no-trapping-math")
#endif

#include "discreet/local/shares.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace discreet::local {
namespace {

// ln x = k·ln 2 + ln y with y in [√½, √2), and with s = (y − 1)/(y + 1), |s| < 0.1716,
//     ln y = 2·artanh s = 2·(s + s³·(1/3 + s²/5 + …)).
// The series is cut to the polynomial of degree 6 that meets it at Chebyshev's nodes: within
// 2⁻⁵⁷·⁶ of ln y. One division serves for 1/x and 1/(y + 1), since divisions are what takes time.
// Integers of 64 bits become doubles by way of 2⁵²: AVX2 has no conversion of its own.
struct LogAndInverse {
  double log, inverse;
};
[[gnu::always_inline]] inline LogAndInverse of(double x) {
  constexpr auto kRootOfHalf = std::bit_cast<std::uint64_t>(0.70710678118654757);
  constexpr auto kOne = std::bit_cast<std::uint64_t>(1.0);
  constexpr auto kBig = std::bit_cast<std::uint64_t>(0x1p52);
  const std::uint64_t moved = std::bit_cast<std::uint64_t>(x) + (kOne - kRootOfHalf);
  const double k = std::bit_cast<double>((moved >> 52) | kBig) - (0x1p52 + 1023);
  const double y = std::bit_cast<double>((moved & 0xfffffffffffff) + kRootOfHalf);
  const double both = 1 / (x * (y + 1));
  const double s = (y - 1) * (both * x), z = s * s;
  double series = 0.07308224842521703;
  for (const double coefficient : {0.07665860800278021, 0.09091444562630861, 0.1111110556739754,
                                   0.14285714312987743, 0.19999999999949752, 0.3333333333333335})
    series = series * z + coefficient;
  return {k * 0.69314718055994531 + 2 * (s + s * z * series), both * (y + 1)};
}

constexpr std::size_t kLanes = 8, kBlock = 256;

// Σ x in lanes, since g++ doesn't reorder additions.
[[gnu::always_inline]] inline double sum_of(const double* x, std::size_t size) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += x[i + lane];
  for (; i < size; ++i) lanes[0] += x[i];
  return std::accumulate(lanes.begin(), lanes.end(), 0.0);
}

// Inlined into both, and compiled for each. No fused multiply-add: AVX2 alone doesn't bring it, so
// that the two round alike.
[[gnu::always_inline]] inline Shares all(const double* weights, double* marginals,
                                         std::size_t size) {
  std::array<double, kBlock> logs;
  Shares out;
  for (std::size_t begin = 0; begin < size; begin += kBlock) {
    const double* __restrict w = weights + begin;
    double* __restrict m = marginals + begin;
    const std::size_t count = size - begin < kBlock ? size - begin : kBlock;
    for (std::size_t i = 0; i < count; ++i) {
      const LogAndInverse found = of(m[i]);
      logs[i] = w[i] * found.log;
      m[i] = w[i] * found.inverse;
    }
    out.log_likelihood += sum_of(logs.data(), count);
    out.sum += sum_of(m, count);
  }
  return out;
}

Shares all_plain(const double* weights, double* marginals, std::size_t size) {
  return all(weights, marginals, size);
}

#if defined(__x86_64__)
[[gnu::target("avx2")]] Shares all_avx2(const double* weights, double* marginals,
                                        std::size_t size) {
  return all(weights, marginals, size);
}
const auto kAll = __builtin_cpu_supports("avx2") ? all_avx2 : all_plain;
#else
constexpr auto kAll = all_plain;
#endif

}  // namespace

Shares to_shares(std::span<const double> weights, std::span<double> marginals) {
  return kAll(weights.data(), marginals.data(), weights.size());
}

}  // namespace discreet::local
