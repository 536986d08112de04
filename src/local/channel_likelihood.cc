#include "discreet/local/channel_likelihood.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "discreet/local/chunks.h"
#include "discreet/local/information.h"
#include "discreet/local/shares.h"

namespace discreet::local {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kLarge = 100'000;  // entries from which on threads pay

double dot(const double* a, const double* b, std::size_t size) {
  std::array<double, kLanes> lanes{};
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += a[i + lane] * b[i + lane];
  double sum = 0;
  for (; i < size; ++i) sum += a[i] * b[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

// work(begin, end) on pieces of 0 … size−1, at once where there is much to do.
void each_piece(std::size_t size, std::size_t entries,
                const std::function<void(std::size_t, std::size_t)>& work) {
  constexpr std::size_t kPieces = 16;
  if (entries < kLarge || size < kPieces) return work(0, size);
  each_task(kPieces, 0,
            [&](std::size_t piece) { work(size * piece / kPieces, size * (piece + 1) / kPieces); });
}

}  // namespace

Result<std::unique_ptr<ChannelLikelihood>> ChannelLikelihood::create(
    const channel::Channel& channel, std::span<const double> counts) {
  if (counts.size() != channel.columns())
    return bad_parameter("counts", fmt::format("found {} numbers; accepted is one for each of {} "
                                               "outputs of the channel",
                                               counts.size(), channel.columns()));
  std::unique_ptr<ChannelLikelihood> out(new ChannelLikelihood);
  std::vector<std::size_t> seen;
  for (std::size_t z = 0; z < counts.size(); ++z) {
    if (!(counts[z] > 0)) continue;
    bool possible = false;
    for (std::size_t y = 0; y < channel.rows() && !possible; ++y) possible = channel.at(y, z) > 0;
    if (!possible)
      return bad_parameter("counts", fmt::format("found output {}, which no input of the channel "
                                                 "has; accepted are outputs it can give",
                                                 z));
    seen.push_back(z);
    out->shares_.push_back(counts[z]);
    out->users_ += counts[z];
  }
  for (double& share : out->shares_) share /= out->users_;
  out->values_ = channel.rows();
  out->entries_.reserve(channel.rows() * seen.size());
  for (std::size_t y = 0; y < channel.rows(); ++y)
    for (const std::size_t z : seen) out->entries_.push_back(to_double(channel.at(y, z)));
  return out;
}

// m_z = Σ_v θ_v·P[z|v]
std::vector<double> ChannelLikelihood::marginals(std::span<const double> theta) const {
  const std::size_t outputs = shares_.size();
  std::vector<double> out(outputs);
  each_piece(outputs, entries_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = 0; v < values_; ++v) {
      const double* row = entries_.data() + v * outputs;
      for (std::size_t z = begin; z < end; ++z) out[z] += theta[v] * row[z];
    }
  });
  return out;
}

// g_v = (1/n)·Σ_z c_z·P[z|v]/m_z
double ChannelLikelihood::gradient(std::span<const double> theta, std::span<double> g) const {
  const std::size_t outputs = shares_.size();
  std::vector<double> m = marginals(theta);
  const Shares all = to_shares(shares_, m);
  each_piece(values_, entries_.size(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v)
      g[v] = dot(entries_.data() + v * outputs, m.data(), outputs);
  });
  return all.log_likelihood;
}

std::vector<double> ChannelLikelihood::information(std::span<const double> theta,
                                                   std::span<const std::size_t> among) const {
  const std::size_t outputs = shares_.size(), size = among.size();
  if (size > kMostInformed) return {};
  const std::vector<double> m = marginals(theta);
  std::vector<double> out(size * size), row(outputs);
  for (std::size_t i = 0; i < size; ++i) {
    const double* own = entries_.data() + among[i] * outputs;
    for (std::size_t z = 0; z < outputs; ++z) row[z] = users_ * shares_[z] * own[z] / (m[z] * m[z]);
    for (std::size_t j = 0; j <= i; ++j)
      out[i * size + j] = out[j * size + i] =
          dot(row.data(), entries_.data() + among[j] * outputs, outputs);
  }
  return out;
}

}  // namespace discreet::local
