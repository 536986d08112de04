#include "discreet/random/testing/chi_square.h"

#include <algorithm>
#include <cmath>

namespace discreet::random::testing {

// Q(a, x) = Γ(a, x)/Γ(a): the series of P for x < a+1, else the continued fraction (Abramowitz and
// Stegun 6.5.29, 6.5.31).
double chi_square_tail(double statistic, double degrees) {
  const double a = degrees / 2, x = statistic / 2;
  if (x <= 0) return 1;
  const double front = std::exp(a * std::log(x) - x - std::lgamma(a));
  if (x < a + 1) {
    double term = 1 / a, sum = term;
    for (double n = a + 1; term > sum * 1e-17; ++n) sum += term *= x / n;
    return 1 - front * sum;
  }
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i < 100000; ++i) {
    const double an = -i * (i - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= c * d;
    if (std::fabs(c * d - 1) < 1e-15) break;
  }
  return front * h;
}

double goodness_of_fit(std::span<const double> counts, std::span<const double> probabilities) {
  double total = 0;
  for (const double count : counts) total += count;
  double statistic = 0, seen = 0, expected = 0, bins = 0;
  const auto close_bin = [&] {
    statistic += (seen - expected) * (seen - expected) / expected;
    seen = expected = 0;
    ++bins;
  };
  double rest = 0;  // expectation still to come, so that the last bin is not left too small
  for (const double p : probabilities) rest += p * total;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    seen += counts[i];
    expected += probabilities[i] * total;
    rest -= probabilities[i] * total;
    if (expected >= 10 && rest >= 10) close_bin();
  }
  if (expected > 0) close_bin();
  return bins < 2 ? 1 : chi_square_tail(statistic, bins - 1);
}

double fits_cdf(std::span<const std::int64_t> samples, const std::function<double(double)>& cdf,
                int bins) {
  // The edges are sample values near equal shares; their probabilities come from the cdf, so any
  // edges make a fair test. They are fixed by a coarse search on the cdf alone: edges taken from
  // the samples would bias it.
  std::vector<double> edges;
  for (int i = 1; i < bins; ++i) {
    const double share = static_cast<double>(i) / bins;
    double low = -0x1p62, high = 0x1p62;
    while (high - low > 1) {
      const double middle = std::floor(low / 2 + high / 2);
      (cdf(middle) >= share ? high : low) = middle;
      if (std::fabs(middle) > 0x1p52 && high - low < std::fabs(middle) * 0x1p-50) break;
    }
    if (edges.empty() || high > edges.back()) edges.push_back(high);
  }
  std::vector<double> counts(edges.size() + 1), probabilities(edges.size() + 1);
  double before = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const double here = cdf(edges[i]);
    probabilities[i] = here - before;
    before = here;
  }
  probabilities.back() = 1 - before;
  for (const std::int64_t sample : samples) {
    const auto at = std::lower_bound(edges.begin(), edges.end(), static_cast<double>(sample));
    ++counts[static_cast<std::size_t>(at - edges.begin())];
  }
  return goodness_of_fit(counts, probabilities);
}

}  // namespace discreet::random::testing
