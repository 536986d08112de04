#include "discreet/plan/estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "discreet/bound/scale.h"

namespace discreet::plan {
namespace {

// The bins from begin to end that hold more than noise: of all runs of bins the one with the
// largest Σ (count − 2b). Noise alone reaches that once in 15 bins, so a run ends where nothing
// but noise follows.
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
  return best;
}

// Where nothing shows the largest bin is the best guess, a small number of rows being likelier than
// a huge one: noise reaches further, and a guess far out makes an answer of noise.
Run likeliest_bin(const std::vector<double>& noisy, double b) {
  std::size_t most = 0;
  const auto weigh = [&](std::size_t i) { return noisy[i] - b * static_cast<double>(i) / 2; };
  for (std::size_t i = 1; i < noisy.size(); ++i)
    if (weigh(i) > weigh(most)) most = i;
  return {most, most + 1, 0};
}

// P(L₁ + … + L_m > x) for Laplace noise of scale 1, x ≥ 0 and m ≤ 3.
double laplace_tail(std::size_t m, double x) {
  const double polynomial = m == 1   ? 1.0 / 2
                            : m == 2 ? 1.0 / 2 + x / 4
                                     : 1.0 / 2 + 5 * x / 16 + x * x / 16;
  return polynomial * std::exp(-x);
}

// Whether bins from `begin` on, at most three, hold more than noise puts there: of noise alone one
// histogram in 1/`chance` has such, half as often in each doubling as in the one before. The more
// doublings they are away, the more units it takes.
std::optional<Run> run_from(const std::vector<double>& noisy, std::size_t begin, double doublings,
                            double b, double chance) {
  constexpr std::size_t kLongest = 3;
  const double each = std::sqrt(0.5);  // two bins make a doubling
  const double allowed = chance / kLongest * (1 - each) * std::exp2(-doublings);
  std::optional<Run> out;
  double sum = 0;
  for (std::size_t m = 1; m <= kLongest && begin + m <= noisy.size(); ++m) {
    const double last = noisy[begin + m - 1];
    sum += last;
    if (last > 0 && sum > 0 && laplace_tail(m, sum / b) < allowed) out = Run{begin, begin + m, sum};
  }
  return out;
}

// Other people, behind a gap: a few with many times as many rows as all the rest.
std::optional<Run> run_behind(const std::vector<double>& noisy, std::size_t end, double b) {
  for (std::size_t begin = end; begin < noisy.size(); ++begin)
    if (const auto found = run_from(noisy, begin, static_cast<double>(begin - end) / 2, b, 0.01))
      return found;
  return std::nullopt;
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
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    out.noisy.push_back(bins[i]);
    out.noisy.back().units = noisy[i];
  }
  if (noisy.empty()) return out;
  Run run = densest_run(noisy, b);
  // Of noise alone the best of so many runs is above this once in a thousand.
  out.shows = run.weight > b * std::log(500.0 * static_cast<double>(noisy.size()));
  if (!out.shows) run = likeliest_bin(noisy, b);
  const auto add = [&](const Run& one) {
    for (std::size_t i = out.bins.size(); i < one.end; ++i) {
      out.bins.push_back(bins[i]);
      if (i >= one.begin) out.bins.back().units = std::max(0.0, noisy[i]);
    }
  };
  add(run);
  for (auto more = out.shows ? run_behind(noisy, run.end, b) : std::nullopt; more;
       more = run_behind(noisy, run.end, b)) {
    add(*more);
    run = *more;
  }
  if (!out.shows) return out;                                            // a guess has no tail
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

double Estimate::most_beyond(double bound, double near) const {
  std::vector<double> counts;
  for (const Bin& bin : noisy) counts.push_back(bin.units);
  double out = 0;
  for (std::size_t i = 0; i < noisy.size(); ++i) {
    if (noisy[i].middle <= bound) continue;
    const double doublings = std::max(0.0, std::log2(noisy[i].middle / near));
    const auto run = run_from(counts, i, doublings, noise, 0.2);
    if (!run) continue;
    double rows = noise * std::log(20.0) * (noisy[i].middle - bound);
    for (std::size_t k = run->begin; k < run->end; ++k)
      rows += counts[k] * (noisy[k].middle - bound);
    out = std::max(out, rows);
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
