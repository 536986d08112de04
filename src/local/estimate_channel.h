// From how often each output of a channel was seen to frequencies of its inputs.
//
//   const Rational high(3, 4), low(1, 4);
//   channel::Channel coin = *channel::Channel::create(2, 2, {high, low, low, high});
//   const std::vector<std::uint64_t> counts{40, 60};
//   Estimate estimate = *estimate_channel(coin, counts, {.method = Method::kInversion});
//
// Methods, options and error bars are those of estimate.h. With C[y][z] = P(z|y), outputs occur
// with frequencies m = Cᵀf, so that the inversion is f = (Cᵀ)⁻¹m: C⁻¹m, as deck 003 has it, is
// right only where C is symmetric. With A = (Cᵀ)⁻¹ and the people's values given, the variance of
// f_v is (Σ_z A_vz²·m_z − f_v)/n. A channel that isn't square, or is singular, has no inversion:
// ibu and mle need none.
#pragma once

#include "discreet/channel/structured.h"
#include "discreet/local/estimate.h"

namespace discreet::local {

Result<Estimate> estimate_channel(const channel::Channel& channel,
                                  std::span<const std::uint64_t> counts,
                                  const EstimateOptions& options);
// In O(d) a round, and O(d) for the inversion.
Result<Estimate> estimate_channel(const channel::TruncatedGeometric& channel,
                                  std::span<const std::uint64_t> counts,
                                  const EstimateOptions& options);
Result<Estimate> estimate_channel(const channel::Flat& channel,
                                  std::span<const std::uint64_t> counts,
                                  const EstimateOptions& options);

}  // namespace discreet::local
