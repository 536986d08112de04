#include "discreet/learn/initial.h"

#include <cmath>
#include <vector>

#include "discreet/base/try.h"
#include "discreet/learn/layer.h"

namespace discreet::learn {

Status fill_initial(random::Source& source, std::size_t inputs, std::span<float> weights) {
  std::vector<std::uint64_t> words(weights.size());
  TRY(source.fill(words));
  const double a = std::sqrt(6.0 / static_cast<double>(inputs == 0 ? 1 : inputs));
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double unit = static_cast<double>(words[i] >> 11) * 0x1p-53;  // [0, 1)
    weights[i] = static_cast<float>(a * (2 * unit - 1));
  }
  return {};
}

Status Layer::initialise(random::Source& /*source*/, std::span<float> weights) const {
  for (float& w : weights) w = 0;
  return {};
}

void Layer::plain_gradient(const Bench& bench, float* x, float* d, float* g) const {
  std::vector<double> squared(bench.rows);
  const std::vector<float> ones(bench.rows, 1.0F);
  norms(bench, x, d, squared.data());
  gradient(bench, x, d, ones.data(), g);
}

}  // namespace discreet::learn
