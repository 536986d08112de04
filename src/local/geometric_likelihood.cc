#include "discreet/local/geometric_likelihood.h"

#include <array>
#include <cmath>
#include <memory>

#include "discreet/local/chunks.h"
#include "discreet/local/information.h"
#include "discreet/local/shares.h"

namespace discreet::local {
namespace {

constexpr std::size_t kBlock = 8;

// out_z = x_z + α·out_{z−1}, a block at a time: within a block from 0, then the last block's end is
// added with its power of α. Only that addition waits for the block before.
template <bool kForward>
void run(std::span<const double> x, double alpha, std::span<double> out) {
  std::array<double, kBlock + 1> powers{1};
  for (std::size_t k = 0; k < kBlock; ++k) powers[k + 1] = powers[k] * alpha;
  const std::size_t size = x.size();
  const auto at = [size](std::size_t i) { return kForward ? i : size - 1 - i; };
  double carry = 0;
  std::size_t i = 0;
  for (; i + kBlock <= size; i += kBlock) {
    std::array<double, kBlock> own;
    own[0] = x[at(i)];
    for (std::size_t k = 1; k < kBlock; ++k) own[k] = x[at(i + k)] + alpha * own[k - 1];
    for (std::size_t k = 0; k < kBlock; ++k) out[at(i + k)] = own[k] + powers[k + 1] * carry;
    carry = own[kBlock - 1] + powers[kBlock] * carry;
  }
  for (; i < size; ++i) out[at(i)] = carry = x[at(i)] + alpha * carry;
}

// F and B, on a core each where they are long.
void run_both(std::span<const double> x, double alpha, std::span<double> forward,
              std::span<double> backward) {
  constexpr std::size_t kLong = 50'000;
  each_task(2, x.size() < kLong ? 1 : 2, [&](std::size_t task) {
    task == 0 ? run<true>(x, alpha, forward) : run<false>(x, alpha, backward);
  });
}

}  // namespace

GeometricLikelihood::GeometricLikelihood(std::span<const std::uint64_t> counts, double alpha)
    : shares_(counts.begin(), counts.end()), alpha_(alpha) {
  for (const double count : shares_) users_ += count;
  for (double& share : shares_) share = users_ > 0 ? share / users_ : 0;
  if (shares_.size() < 2) return;
  // c_z is 1/(1+α) at the ends and (1−α)/(1+α) between them
  const double outer = shares_.front() + shares_.back();
  ends_ = (1 - outer) * std::log1p(-alpha) - std::log1p(alpha);
}

double GeometricLikelihood::gradient(std::span<const double> theta, std::span<double> g) const {
  const std::size_t size = g.size();
  const auto space = std::make_unique_for_overwrite<double[]>(2 * size);
  const std::span<double> backward(space.get(), size), shares(space.get() + size, size);
  std::vector<Shares> parts(chunks_of(size));
  run_both(theta, alpha_, g, backward);
  each_chunk(size, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t z = begin; z < end; ++z) shares[z] = g[z] + backward[z] - theta[z];
    parts[chunk] = to_shares(std::span(shares_).subspan(begin, end - begin),
                             shares.subspan(begin, end - begin));
    // Between outputs that nobody gave, sums would fade to numbers so small that they are slow.
    for (std::size_t z = begin; z < end; ++z) shares[z] += 1e-290;
  });
  run_both(shares, alpha_, g, backward);
  each_chunk(size, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) g[v] += backward[v] - shares[v];
  });
  double log_likelihood = ends_;
  for (const Shares& part : parts) log_likelihood += part.log_likelihood;
  return log_likelihood;
}

// J_uv = n·Σ_z share_z·α^|z−u|·α^|z−v|/S_z²
std::vector<double> GeometricLikelihood::information(std::span<const double> theta,
                                                     std::span<const std::size_t> among) const {
  const std::size_t size = among.size(), values = theta.size();
  if (values > kMostInformed) return {};
  std::vector<double> sums(values), backward(values), powers(values), out(size * size);
  run_both(theta, alpha_, sums, backward);
  double power = 1;
  for (std::size_t z = 0; z < values; ++z, power *= alpha_) {
    sums[z] += backward[z] - theta[z];
    powers[z] = power;
  }
  const auto entry = [&](std::size_t a, std::size_t b) { return powers[a < b ? b - a : a - b]; };
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t z = 0; z < values; ++z)
        sum += shares_[z] * entry(z, among[i]) * entry(z, among[j]) / (sums[z] * sums[z]);
      out[i * size + j] = out[j * size + i] = sum * users_;
    }
  return out;
}

}  // namespace discreet::local
