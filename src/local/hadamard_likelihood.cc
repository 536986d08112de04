#include "discreet/local/hadamard_likelihood.h"

#include <algorithm>
#include <cmath>

#include "discreet/local/hadamard_transform.h"

namespace discreet::local {

HadamardLikelihood::HadamardLikelihood(std::span<const std::uint64_t> counts, std::size_t domain,
                                       std::size_t blocks, double extra, double base)
    : counts_(counts.begin(), counts.end()),
      domain_(domain),
      blocks_(blocks),
      extra_(extra),
      base_(base) {
  for (const double count : counts_) users_ += count;
}

// An output y of a block supports the values of the block whose row has +1 there, which hold
// θ(S_y) = (θ(block) + Σ_x θ_x·H[x][y])/2. With c = e^ε − 1, m_y = 1 + c·θ(S_y) and
// w_y = c_y/(n·m_y):
//     g_x = Σ_y w_y + c·Σ_{y ∈ C_x} w_y,   Σ_{y ∈ C_x} w_y = (w(block) + Σ_y w_y·H[x][y])/2.
double HadamardLikelihood::gradient(std::span<const double> theta, std::span<double> g) const {
  const std::size_t outputs = counts_.size() / blocks_;
  const double scale = users_ > 0 ? 1 / users_ : 0;
  double everywhere = 0, log_likelihood = 0;
  std::vector<double> sums(outputs);
  for (std::size_t b = 0; b < blocks_; ++b) {
    // entry 0, of the row that no value has, is given the block's sum: the transform adds it to all
    sums.assign(outputs, 0);
    for (std::size_t x = b; x < domain_; x += blocks_) {
      sums[x / blocks_ + 1] = theta[x];
      sums[0] += theta[x];
    }
    hadamard_transform(sums);
    for (std::size_t y = 0; y < outputs; ++y) {
      // rounding may leave a zero a little below, and e^ε may be large
      const double marginal = 1 + extra_ * std::max(sums[y], 0.0) / 2;
      const double share = counts_[b * outputs + y] * scale;
      log_likelihood += share * std::log(marginal);
      everywhere += sums[y] = share / marginal;
    }
    hadamard_transform(sums);
    for (std::size_t x = b; x < domain_; x += blocks_)
      g[x] = extra_ * (sums[0] + sums[x / blocks_ + 1]) / 2;
  }
  for (double& each : g) each += everywhere;
  return log_likelihood;
}

}  // namespace discreet::local
