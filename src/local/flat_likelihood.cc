#include "discreet/local/flat_likelihood.h"

#include "discreet/local/chunks.h"
#include "discreet/local/mle.h"
#include "discreet/local/shares.h"

namespace discreet::local {

FlatLikelihood::FlatLikelihood(std::span<const std::uint64_t> counts, double p, double q)
    : shares_(counts.begin(), counts.end()), p_(p), q_(q) {
  for (const double count : shares_) users_ += count;
  for (double& share : shares_) share = users_ > 0 ? share / users_ : 0;
}

// With Σθ = 1, P[report r] = q + (p − q)·θ_r =: m_r, and
//     g_v = (1/n)·(Σ_r c_r·q/m_r + c_v·(p − q)/m_v).
double FlatLikelihood::gradient(std::span<const double> theta, std::span<double> g) const {
  const double extra = p_ - q_, q = q_;
  std::vector<Shares> parts(chunks_of(g.size()));
  each_chunk(g.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) g[v] = q + extra * theta[v];
    parts[chunk] =
        to_shares(std::span(shares_).subspan(begin, end - begin), g.subspan(begin, end - begin));
  });
  Shares all;
  for (const Shares& part : parts) {
    all.sum += part.sum;
    all.log_likelihood += part.log_likelihood;
  }
  const double everywhere = all.sum * q;
  each_chunk(g.size(), [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) g[v] = g[v] * extra + everywhere;
  });
  return all.log_likelihood;
}

std::optional<std::vector<double>> FlatLikelihood::maximum() const {
  return most_likely(shares_, p_, q_);
}

// Where changes sum to 0, P[report v] changes by (p − q) times what θ_v changes by, and by nothing
// else: J is diagonal, c_v·((p − q)/m_v)².
std::vector<double> FlatLikelihood::information(std::span<const double> theta,
                                                std::span<const std::size_t> among) const {
  std::vector<double> out;
  out.reserve(among.size());
  for (const std::size_t v : among) {
    const double relative = (p_ - q_) / (q_ + (p_ - q_) * theta[v]);
    out.push_back(shares_[v] * users_ * relative * relative);
  }
  return out;
}

}  // namespace discreet::local
