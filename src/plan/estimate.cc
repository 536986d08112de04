#include "discreet/plan/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "discreet/bound/scale.h"

namespace discreet::plan {
namespace {

// The bins from begin to end that hold more than noise: of all runs of bins the one with the
// largest Σ (count − 2b). Noise alone reaches that once in 15 bins, so a run ends where nothing
// but noise follows, and a lone bin far away has to be large enough to pay for the gap.
struct Run {
  std::size_t begin = 0, end = 0;
  double weight = 0;
};
Run densest_run(const std::vector<double>& noisy, double b) {
  Run best;
  double weight = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    if (weight <= 0) weight = 0, begin = i;
    weight += noisy[i] - 2 * b;
    if (weight > best.weight) best = {begin, i + 1, weight};
  }
  if (best.end == 0 && !noisy.empty()) {
    // Nothing: the largest is the best guess, a small number of rows being likelier than a huge
    // one.
    std::size_t most = 0;
    const auto weigh = [&](std::size_t i) { return noisy[i] - b * static_cast<double>(i) / 4; };
    for (std::size_t i = 1; i < noisy.size(); ++i)
      if (weigh(i) > weigh(most)) most = i;
    best = {most, most + 1, 0};
  }
  return best;
}

// How many units the next doubling has, for one of the last that shows: what is more there than its
// noise is likely to be; and where numbers have fallen for three doublings and more, as much as
// goes on falling so, if noise could hide it.
double tail_ratio(const std::vector<double>& noisy, std::size_t end, double b, double hides) {
  const auto at = [&](std::size_t i) { return i < noisy.size() ? noisy[i] : 0.0; };
  std::vector<double> doublings;  // from the last down
  for (std::size_t i = end; i > 0; i -= std::min<std::size_t>(i, 2))
    doublings.push_back(std::max(0.0, at(i - 1)) + (i > 1 ? std::max(0.0, at(i - 2)) : 0.0));
  if (doublings[0] <= 0) return 0;
  double next = std::max(0.0, at(end) + at(end + 1) - 1.5 * b);
  std::size_t falls = 0;
  while (falls + 1 < doublings.size() && doublings[falls] < doublings[falls + 1]) ++falls;
  if (falls >= 3) {
    const double ratio = std::pow(doublings[0] / doublings[falls], 1 / static_cast<double>(falls));
    next = std::max(next, std::min(doublings[0] * ratio, hides * b));
  }
  return std::min(0.6, next / doublings[0]);
}

// Bins from 1 on, of which two make a doubling; `bins` brings the middles and edges of all.
Estimate estimate(const std::vector<double>& noisy, const std::vector<Estimate::Bin>& bins,
                  double b, double hides) {
  Estimate out;
  out.noise = b;
  if (noisy.empty()) return out;
  const Run run = densest_run(noisy, b);
  // Of noise alone the best of so many runs is above this once in a thousand.
  out.shows = run.weight > b * std::log(500.0 * static_cast<double>(noisy.size()));
  for (std::size_t i = 0; i < run.end; ++i) {
    out.bins.push_back(bins[i]);
    if (i >= run.begin) out.bins.back().units = std::max(0.0, noisy[i]);
  }
  const double ratio = std::sqrt(tail_ratio(noisy, run.end, b, hides));  // from bin to bin
  double units = std::max(0.0, noisy[run.end - 1]);
  for (std::size_t i = run.end; i < bins.size() && units * ratio > 0.5; ++i) {
    units *= ratio;
    out.bins.push_back(bins[i]);
    out.bins.back().units = units;
  }
  return out;
}

}  // namespace

double Estimate::units() const {
  double out = 0;
  for (const Bin& bin : bins) out += bin.units;
  return out;
}

double Estimate::sum() const {
  double out = 0;
  for (const Bin& bin : bins) out += bin.units * bin.middle;
  return out;
}

double Estimate::beyond(double bound) const {
  double out = 0;
  for (const Bin& bin : bins)
    if (bound < bin.edge) {
      // As if they were spread evenly over the bin: its middle and edge say where it begins.
      const double width = 2 * (bin.edge - bin.middle), over = bin.edge - bound;
      out += bin.units * (over < width ? over * over / (2 * width) : bin.middle - bound);
    }
  return out;
}

double Estimate::units_above(double bound) const {
  double out = 0;
  for (const Bin& bin : bins) {
    const double width = std::max(1.0, 2 * (bin.edge - bin.middle));
    out += bin.units * std::clamp((bin.edge - bound) / width, 0.0, 1.0);
  }
  return out;
}

Estimate estimate_counts(const Histogram& histogram) {
  std::vector<double> noisy;
  std::vector<Estimate::Bin> bins;
  for (std::size_t i = 1; i < bound::kCountBins; ++i) {
    if (i < histogram.bins.size()) noisy.push_back(static_cast<double>(histogram.bins[i]));
    const auto low = static_cast<double>(bound::count_edge(i - 1)) + 1,
               high = static_cast<double>(bound::count_edge(i));
    bins.push_back({0, (low + high) / 2, high});
  }
  return estimate(noisy, bins, histogram.noise(), 0.5);
}

double ValueEstimate::mean_size() const {
  const double n = units();
  return n > 0 ? (above.sum() + below.sum()) / n : 0;
}

ValueEstimate estimate_values(const Histogram& histogram) {
  const bound::ValueScale scale(histogram.smallest);
  ValueEstimate out;
  if (histogram.bins.size() != scale.bins()) return out;
  const std::size_t zero = (scale.bins() - 1) / 2;
  const auto side = [&](int sign) {
    std::vector<double> noisy;
    std::vector<Estimate::Bin> bins;
    for (std::size_t i = 1; i <= zero; ++i) {
      const std::size_t place = sign > 0 ? zero + i : zero - i;
      noisy.push_back(static_cast<double>(histogram.bins[place]));
      const auto bin = static_cast<std::int64_t>(zero + i);
      bins.push_back({0, (scale.low(bin) + scale.high(bin)) / 2, scale.high(bin)});
    }
    // Values have heavier tails than people's numbers of rows: as much as noise can hide is taken
    // to be there.
    return estimate(noisy, bins, histogram.noise(), 1);
  };
  out.above = side(1);
  out.below = side(-1);
  const auto zeros = static_cast<double>(histogram.bins[zero]);
  const double enough = histogram.noise() * std::log(500.0);
  if (zeros > enough) out.zeros = zeros;
  out.shows = out.above.shows || out.below.shows || out.zeros > 0;
  // A side that doesn't show is empty, unless neither does: then the larger is the best guess.
  if (!out.above.shows && (out.shows || out.above.units() < out.below.units())) out.above = {};
  if (!out.below.shows && (out.shows || !out.above.bins.empty())) out.below = {};
  return out;
}

}  // namespace discreet::plan
