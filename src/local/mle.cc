#include "discreet/local/mle.h"

#include <algorithm>
#include <functional>

namespace discreet::local {

// From the largest count on: c_k·(1 + k·a) > a·(c_1 + … + c_k) holds for a first few k and then
// never again, since the left side, less a·c_k, falls behind as c_k falls.
std::vector<double> most_likely(std::span<const double> counts, double p, double q) {
  std::vector<double> out(counts.begin(), counts.end());
  std::sort(out.begin(), out.end(), std::greater<>());
  const double a = q / (p - q);
  double sum = 0, t = 0;
  for (std::size_t k = 0; k < out.size() && out[k] > 0; ++k) {
    sum += out[k];
    const double candidate = (1 + static_cast<double>(k + 1) * a) / sum;
    if (out[k] * candidate <= a) break;
    t = candidate;
  }
  if (t == 0) {
    std::fill(out.begin(), out.end(), 1 / static_cast<double>(out.size()));
    return out;
  }
  std::transform(counts.begin(), counts.end(), out.begin(),
                 [&](double count) { return std::max(count * t - a, 0.0); });
  return out;
}

}  // namespace discreet::local
