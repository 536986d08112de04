#include "discreet/local/square_wave_likelihood.h"

#include <algorithm>
#include <cmath>

namespace discreet::local {
namespace {

// What a difference of running sums leaves of nothing, 2^-53 or so, counts e^ε times what is
// outside all windows. Where ε is large windows are short: their bins are added one by one, and
// nothing is left over.
constexpr std::size_t kShortRun = 16;

}  // namespace

SquareWaveLikelihood::SquareWaveLikelihood(const SlidingBins& bins,
                                           std::span<const std::uint64_t> counts, double outside,
                                           double extra)
    : counts_(counts.begin(), counts.end()) {
  for (const double count : counts_) users_ += count;
  for (std::size_t i = 0; i < bins.reports(); ++i) {
    const auto length = static_cast<double>(bins.length(i));
    outside_.push_back(outside * length);
    full_.push_back(extra * length);
  }
  for (std::size_t v = 0; v < bins.values(); ++v) {
    auto [begin, full_begin, full_end, end] = bins.reach(v);
    if (full_end - full_begin <= kShortRun) full_begin = full_end = end;
    Row row{full_begin, full_end, parts_.size(), 0};
    const auto add = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i) parts_.push_back({i, extra * bins.covered(v, i)});
    };
    add(begin, full_begin);
    add(full_end, end);
    row.part_end = parts_.size();
    rows_.push_back(row);
  }
}

// m_i = outside_i·Σθ + full_i·Σ_{v: i in v's run} θ_v + Σ_{parts} θ_v·P, and with r_i = c_i/(n·m_i)
//     g_v = Σ_i r_i·outside_i + Σ_{i in v's run} r_i·full_i + Σ_{parts} r_i·P.
double SquareWaveLikelihood::gradient(std::span<const double> theta, std::span<double> g) const {
  const std::size_t reports = counts_.size();
  const double scale = users_ > 0 ? 1 / users_ : 0;
  std::vector<double> marginal(reports), steps(reports + 1), share(reports), prefix(reports + 1);
  double total = 0;
  for (std::size_t v = 0; v < rows_.size(); ++v) {
    const Row& row = rows_[v];
    total += theta[v];
    steps[row.full_begin] += theta[v];
    steps[row.full_end] -= theta[v];
    for (std::size_t at = row.part_begin; at < row.part_end; ++at)
      marginal[parts_[at].report] += theta[v] * parts_[at].probability;
  }
  double covering = 0, everywhere = 0, log_likelihood = 0;
  for (std::size_t i = 0; i < reports; ++i) {
    covering += steps[i];
    marginal[i] += outside_[i] * total + full_[i] * std::max(covering, 0.0);
    // a bin without cells has no reports either
    share[i] = counts_[i] > 0 ? counts_[i] * scale / marginal[i] : 0;
    if (counts_[i] > 0) log_likelihood += counts_[i] * std::log(marginal[i]);
    everywhere += share[i] * outside_[i];
    prefix[i + 1] = prefix[i] + share[i] * full_[i];
  }
  for (std::size_t v = 0; v < rows_.size(); ++v) {
    const Row& row = rows_[v];
    g[v] = everywhere + (prefix[row.full_end] - prefix[row.full_begin]);
    for (std::size_t at = row.part_begin; at < row.part_end; ++at)
      g[v] += share[parts_[at].report] * parts_[at].probability;
  }
  return log_likelihood * scale;
}

}  // namespace discreet::local
