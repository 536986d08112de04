#include "discreet/local/simplex.h"

#include <algorithm>
#include <functional>

namespace discreet::local {

std::vector<double> clipped(std::span<const double> numbers) {
  std::vector<double> out(numbers.begin(), numbers.end());
  double sum = 0;
  for (double& each : out) sum += each = std::max(each, 0.0);
  for (double& each : out) each = sum > 0 ? each / sum : 1 / static_cast<double>(out.size());
  return out;
}

// Of the numbers in descending order, those that stay positive are the first k with x_k > t_k,
// t_k = (x_1 + … + x_k − 1)/k.
std::vector<double> nearest_distribution(std::span<const double> numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0, threshold = 0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - 1) / static_cast<double>(k + 1);
    if (sorted[k] <= candidate) break;
    threshold = candidate;
  }
  std::vector<double> out;
  out.reserve(numbers.size());
  for (const double each : numbers) out.push_back(std::max(each - threshold, 0.0));
  return out;
}

}  // namespace discreet::local
