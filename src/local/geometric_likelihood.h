// The likelihood of outputs of the truncated geometric mechanism (channel/structured.h): O(d) a
// round, though every input can give every output.
//
//   const std::vector<std::uint64_t> counts{5, 9, 3};
//   GeometricLikelihood likelihood(counts, 0.5);  // α = e^−ε
//
// What is proved: P(z|y) = c_z·α^|z−y|, and c_z stands both in a report's probability and in what
// it is divided by, so that the gradient is free of it. What is left are sums S_z = Σ_y x_y·α^|z−y|
// = F_z + B_z − x_z with F_z = x_z + α·F_{z−1} and B_z = x_z + α·B_{z+1}.
#pragma once

#include "discreet/local/likelihood.h"

namespace discreet::local {

class GeometricLikelihood final : public Likelihood {
 public:
  GeometricLikelihood(std::span<const std::uint64_t> counts, double alpha);
  std::size_t values() const override { return shares_.size(); }
  double users() const override { return users_; }
  double gradient(std::span<const double> theta, std::span<double> g) const override;
  std::vector<double> information(std::span<const double> theta,
                                  std::span<const std::size_t> among) const override;

 private:
  std::vector<double> shares_;
  double users_ = 0, alpha_;
  double ends_ = 0;  // Σ_z share_z·ln c_z
};

}  // namespace discreet::local
