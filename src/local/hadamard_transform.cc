#include "discreet/local/hadamard_transform.h"

namespace discreet::local {
namespace {

constexpr std::size_t kInCache = 2048;  // doubles that stay in the first-level cache

void combine(double* low, double* high, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double a = low[i], b = high[i];
    low[i] = a + b;
    high[i] = a - b;
  }
}

}  // namespace

// The halves first, each while it is in the cache, then both together.
void hadamard_transform(std::span<double> x) {
  if (x.size() > kInCache) {
    const std::size_t half = x.size() / 2;
    hadamard_transform(x.first(half));
    hadamard_transform(x.last(half));
    combine(x.data(), x.data() + half, half);
    return;
  }
  for (std::size_t width = 1; width < x.size(); width *= 2)
    for (std::size_t at = 0; at < x.size(); at += 2 * width)
      combine(x.data() + at, x.data() + at + width, width);
}

}  // namespace discreet::local
