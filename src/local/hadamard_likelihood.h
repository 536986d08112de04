// The likelihood of Hadamard's reports, from their counters: two fast transforms a round, O(K log
// K).
#pragma once

#include <cstdint>
#include <vector>

#include "discreet/local/likelihood.h"

namespace discreet::local {

class HadamardLikelihood final : public Likelihood {
 public:
  // `extra` is e^ε − 1; the counters are those of local/hadamard.h.
  // `base` is ln P[a report | a value that it doesn't support].
  HadamardLikelihood(std::span<const std::uint64_t> counts, std::size_t domain, std::size_t blocks,
                     double extra, double base);
  std::size_t values() const override { return domain_; }
  double users() const override { return users_; }
  // two transforms of K values
  double steps() const override { return 64 * static_cast<double>(counts_.size()); }
  double constant() const override { return base_; }
  double gradient(std::span<const double> theta, std::span<double> g) const override;

 private:
  std::vector<double> counts_;
  std::size_t domain_, blocks_;
  double users_ = 0, extra_, base_;
};

}  // namespace discreet::local
