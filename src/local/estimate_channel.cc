#include "discreet/local/estimate_channel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "discreet/base/try.h"
#include "discreet/local/channel_likelihood.h"
#include "discreet/local/estimate_counts.h"
#include "discreet/local/estimate_evidence.h"
#include "discreet/local/flat_likelihood.h"
#include "discreet/local/information.h"
#include "discreet/local/inverse.h"
#include "discreet/local/pure.h"

namespace discreet::local {
namespace {

// m = Cᵀf, not below 0
std::vector<double> outputs_of(const channel::Channel& channel, std::span<const double> f) {
  std::vector<double> out(channel.columns());
  for (std::size_t y = 0; y < channel.rows(); ++y)
    for (std::size_t z = 0; z < channel.columns(); ++z)
      out[z] += f[y] * to_double(channel.at(y, z));
  for (double& each : out) each = std::max(each, 0.0);
  return out;
}

// A = (Cᵀ)⁻¹, row by row.
Result<std::vector<double>> transposed_inverse(const channel::Channel& channel) {
  const std::size_t n = channel.rows();
  if (n != channel.columns())
    return fail(Code::kUsage,
                fmt::format("channel: found {} inputs and {} outputs; accepted for an inversion is "
                            "a square matrix",
                            n, channel.columns()),
                advise("method", "ibu"));
  std::vector<double> transposed(n * n);
  for (std::size_t y = 0; y < n; ++y)
    for (std::size_t z = 0; z < n; ++z) transposed[z * n + y] = to_double(channel.at(y, z));
  return inverse_of(std::move(transposed), n);
}

// Without an inverse: the information that reports would have on average (observed counts become
// n·m), for all values at once. Of a square channel with an inverse it is the inversion's.
std::vector<double> expected_errors(const channel::Channel& channel, std::span<const double> f,
                                    double users) {
  std::vector<double> unknown(f.size(), INFINITY);
  std::vector<double> counts = outputs_of(channel, f);
  for (double& each : counts) each *= users;
  auto likelihood = ChannelLikelihood::create(channel, counts);
  if (!likelihood || f.size() > kMostInformed) return unknown;
  std::vector<std::size_t> all(f.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return information_errors(**likelihood, f, all).value_or(std::move(unknown));
}

}  // namespace

Result<Estimate> estimate_channel(const channel::Channel& channel,
                                  std::span<const std::uint64_t> counts,
                                  const EstimateOptions& options) {
  Evidence evidence{.users = TRY(reports_in(counts, channel.columns()))};
  const auto users = static_cast<double>(evidence.users);
  const auto inverse = transposed_inverse(channel);
  const std::size_t n = channel.rows();
  evidence.invert = [&]() -> Result<std::vector<double>> {
    if (!inverse) return tl::unexpected(inverse.error());
    const std::vector<double> m = frequencies(counts, users);
    std::vector<double> out(n);
    for (std::size_t v = 0; v < n; ++v)
      out[v] = std::inner_product(m.begin(), m.end(), inverse->data() + v * n, 0.0);
    return out;
  };
  evidence.errors = [&](std::span<const double> f) {
    if (!inverse) return expected_errors(channel, f, users);
    const std::vector<double> m = outputs_of(channel, f);
    std::vector<double> out(n);
    for (std::size_t v = 0; v < n; ++v) {
      double squares = 0;
      for (std::size_t z = 0; z < n; ++z) {
        const double a = (*inverse)[v * n + z];
        squares += a * a * m[z];
      }
      out[v] = error_of(squares, f[v], users);
    }
    return out;
  };
  evidence.likelihood = [&]() -> Result<std::unique_ptr<Likelihood>> {
    const std::vector<double> numbers(counts.begin(), counts.end());
    return TRY(ChannelLikelihood::create(channel, numbers));
  };
  return estimate_from(evidence, options);
}

Result<Estimate> estimate_channel(const channel::Flat& channel,
                                  std::span<const std::uint64_t> counts,
                                  const EstimateOptions& options) {
  TRY(check_telling(channel.size, channel.ratio));
  Evidence evidence{.users = TRY(reports_in(counts, channel.size))};
  const auto users = static_cast<double>(evidence.users);
  const double p = to_double(channel.at(0, 0)), q = to_double(channel.at(0, 1));
  evidence.invert = [&]() -> Result<std::vector<double>> {
    return pure_inversion(std::vector<double>(counts.begin(), counts.end()), users, p, q);
  };
  evidence.errors = [&](std::span<const double> f) {
    return standard_errors(pure_variances(f, p, q), users);
  };
  evidence.likelihood = [&]() -> Result<std::unique_ptr<Likelihood>> {
    return std::make_unique<FlatLikelihood>(counts, p, q);
  };
  return estimate_from(evidence, options);
}

}  // namespace discreet::local
