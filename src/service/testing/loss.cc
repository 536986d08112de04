#include "discreet/service/testing/loss.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace discreet::service::testing {
namespace {

// P[Binomial(runs, p) ≥ hits].
double at_least(std::int64_t hits, std::int64_t runs, double p) {
  if (hits <= 0 || p >= 1) return 1;
  if (p <= 0) return 0;
  double sum = 0;
  const auto n = static_cast<double>(runs);
  for (std::int64_t i = hits; i <= runs; ++i) {
    const auto k = static_cast<double>(i);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                    k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return sum;
}

struct Event {
  enum class Kind { kAtLeast, kAtMost, kExactly } kind = Kind::kAtLeast;
  double value = 0;
  bool operator()(double x) const {
    return kind == Kind::kAtLeast ? x >= value : kind == Kind::kAtMost ? x <= value : x == value;
  }
};

std::int64_t hits(std::span<const double> sample, const Event& event) {
  return std::count_if(sample.begin(), sample.end(), event);
}

// A quick guess at what the event will prove; only the choice of the event rests on it.
double promise(double p, double q, double runs, double delta) {
  const auto error = [&](double x) {
    return 5 * std::sqrt(std::max(x * (1 - x), 10 / runs) / runs);
  };
  const double low = p - error(p) - delta;
  return low > 0 ? std::log(low / (q + error(q))) : -std::numeric_limits<double>::infinity();
}

}  // namespace

double surely_above(std::int64_t hits, std::int64_t runs, double doubt) {
  double low = 0, high = static_cast<double>(hits) / static_cast<double>(runs);
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (at_least(hits, runs, middle) <= doubt ? low : high) = middle;
  }
  return low;
}

double surely_below(std::int64_t hits, std::int64_t runs, double doubt) {
  return 1 - surely_above(runs - hits, runs, doubt);
}

double least_epsilon(std::span<const double> one, std::span<const double> other, double delta,
                     double doubt) {
  const std::size_t half = std::min(one.size(), other.size()) / 2;
  const auto first = one.first(half), second = one.last(one.size() - half);
  const auto other_first = other.first(half), other_second = other.last(other.size() - half);
  std::vector<double> values(first.begin(), first.end());
  values.insert(values.end(), other_first.begin(), other_first.end());
  std::sort(values.begin(), values.end());
  constexpr std::size_t kThresholds = 100;
  Event best;
  bool forth = true;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kThresholds; ++i)
    for (const auto kind : {Event::Kind::kAtLeast, Event::Kind::kAtMost, Event::Kind::kExactly}) {
      const Event event{kind, values[i * (values.size() - 1) / (kThresholds - 1)]};
      const auto runs = static_cast<double>(half);
      const double p = static_cast<double>(hits(first, event)) / runs;
      const double q = static_cast<double>(hits(other_first, event)) / runs;
      for (const bool direction : {true, false}) {
        const double found = direction ? promise(p, q, runs, delta) : promise(q, p, runs, delta);
        if (found <= most) continue;
        most = found;
        best = event;
        forth = direction;
      }
    }
  const auto likely = forth ? second : other_second, unlikely = forth ? other_second : second;
  const double high = surely_above(hits(likely, best), std::ssize(likely), doubt / 2) - delta;
  const double low = surely_below(hits(unlikely, best), std::ssize(unlikely), doubt / 2);
  return high > 0 ? std::log(high / low) : -std::numeric_limits<double>::infinity();
}

}  // namespace discreet::service::testing
