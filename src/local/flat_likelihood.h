// The likelihood of reports that name one value each: O(d) a round, and its maximum in closed form
// (mle.h).
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/local/likelihood.h"

namespace discreet::local {

class FlatLikelihood final : public Likelihood {
 public:
  FlatLikelihood(std::span<const std::uint64_t> counts, double p, double q);
  std::size_t values() const override { return shares_.size(); }
  double users() const override { return users_; }
  double gradient(std::span<const double> theta, std::span<double> g) const override;
  std::optional<std::vector<double>> maximum() const override;
  std::vector<double> information(std::span<const double> theta,
                                  std::span<const std::size_t> among) const override;

 private:
  std::vector<double> shares_;  // of all reports
  double users_ = 0, p_, q_;
};

}  // namespace discreet::local
