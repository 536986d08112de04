// Poisson sampling: each of n indices is in the sample with probability q, independently. The
// sampler jumps from one selected index to the next (the gaps are geometric), so that it costs what
// it selects, not n.
//
//   #include "discreet/random/generator.h"
//   PoissonSampling lots = *PoissonSampling::create(Rational(1, 100));
//   std::vector<std::uint64_t> lot = *lots.sample(thread_generator(), 60'000);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "discreet/random/geometric.h"

namespace discreet::random {

class PoissonSampling {
 public:
  static Result<PoissonSampling> create(const Rational& q);  // 0 ≤ q ≤ 1
  // The selected indices out of {0, …, n−1}, ascending.
  Result<std::vector<std::uint64_t>> sample(Source& source, std::uint64_t n) const;

 private:
  PoissonSampling(bool all, std::optional<Geometric> gaps) : all_(all), gaps_(std::move(gaps)) {}
  bool all_;                       // q = 1
  std::optional<Geometric> gaps_;  // none when q is 0 or 1
};

}  // namespace discreet::random
