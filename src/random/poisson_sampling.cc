#include "discreet/random/poisson_sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "discreet/base/try.h"
#include "discreet/random/uniform.h"

namespace discreet::random {

Result<PoissonSampling> PoissonSampling::create(const Rational& asked) {
  Rational q = asked;
  q.canonicalize();
  if (q == 0 || q == 1) return PoissonSampling(q == 1, std::nullopt);
  auto gaps = Geometric::failures(q);
  if (!gaps) {
    return fail(Code::kUsage,
                fmt::format("sampling rate: found {}; accepted is 0, or a number from 2^-40 to 1",
                            to_decimal(q)));
  }
  return PoissonSampling(false, std::move(*gaps));
}

Result<std::vector<std::uint64_t>> PoissonSampling::sample(Source& source, std::uint64_t n) const {
  std::vector<std::uint64_t> out;
  if (all_) {
    if (n > kMostSelected) return too_many(n);
    out.resize(n);
    std::iota(out.begin(), out.end(), std::uint64_t{0});
    return out;
  }
  if (!gaps_) return out;
  std::array<std::int64_t, 256> gaps;
  std::uint64_t next = 0;  // the first index not yet decided
  for (;;) {
    TRY(gaps_->fill(source, gaps));
    for (const std::int64_t gap : gaps) {
      if (static_cast<std::uint64_t>(gap) >= n - next) return out;
      next += static_cast<std::uint64_t>(gap);
      if (out.size() >= kMostSelected) return too_many(out.size() + 1);
      out.push_back(next++);
    }
  }
}

}  // namespace discreet::random
