#include "discreet/plan/selection.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "discreet/base/try.h"
#include "discreet/privacy/gaussian.h"

namespace discreet::plan {
namespace {

namespace gap = mechanism::gap;
constexpr long kBits = 128;

// π(n) of Desfontaines et al. in closed form: δ·(e^nε − 1)/(e^ε − 1) until (1 − δ)/(1 + e^ε) is
// passed; from there on 1 − π falls by e^−ε, and by δ.
double half_by_optimal(double epsilon, double delta) {
  const double crossing = (1 - delta) / (1 + std::exp(epsilon));
  const auto units = [&](double probability) {
    return std::log1p(probability * std::expm1(epsilon) / delta) / epsilon;
  };
  const double first = std::max(1.0, std::ceil(units(crossing)));
  double missing = 1 - std::min(1.0, delta * std::expm1(first * epsilon) / std::expm1(epsilon));
  double n = first;
  if (missing > 0.5) n += std::ceil(std::log(2 * missing) / epsilon);
  return n;
}

// The least t with P[Z > t] ≤ tail, Z standard normal.
double normal_quantile(double tail) {
  double low = 0, high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > tail ? low : high) = middle;
  }
  return high;
}

}  // namespace

double half_shown(const Selection& selection, const Integer& groups) {
  const double k = groups.get_d(), delta = to_double(selection.delta);
  const double epsilon = to_double(selection.epsilon) / k;
  const auto more = static_cast<double>(selection.min_units - 1);
  switch (selection.strategy) {
    case gap::SelectionStrategy::kOptimal:
      return more + half_by_optimal(epsilon, delta / k);
    case gap::SelectionStrategy::kLaplace:
      return more + 1 +
             std::max(1.0, std::ceil(-std::log(delta / k * (1 + std::exp(-epsilon))) / epsilon));
    case gap::SelectionStrategy::kGaussian: {
      const auto sigma = privacy::gaussian_sigma(selection.epsilon, selection.delta / 2, 1);
      if (!sigma) return std::numeric_limits<double>::infinity();
      return more + 1 +
             std::ceil(to_double(*sigma) * std::sqrt(k) * normal_quantile(delta / (2 * k)));
    }
  }
  return std::numeric_limits<double>::infinity();
}

Result<GroupChooser> GroupChooser::of(const PlanPart& part) {
  const Selection& selection = *part.selection;
  const Integer groups = part.bounds.most_groups();
  if (!selection.by) return own(selection, groups);
  return by_count(part.statistics.at(*selection.by).scale, selection.delta, groups);
}

// Each group by itself, with the noise of this very scale and its share of δ: of k groups of a unit
// that is (k/scale, δ) in all.
Result<GroupChooser> GroupChooser::by_count(const Rational& scale, const Rational& delta,
                                            const Integer& groups) {
  auto histogram = TRY(gap::TruncatedHistogram::create(
      {.epsilon = 1 / scale, .delta = delta / Rational(groups), .bins_per_unit = 1}));
  return GroupChooser(How(std::move(histogram)));
}

// The same of a share of ε; Gaussian noise is of all groups together.
Result<GroupChooser> GroupChooser::own(const Selection& selection, const Integer& groups) {
  const bool together = selection.strategy == gap::SelectionStrategy::kGaussian;
  const Rational shares = together ? Rational(1) : Rational(groups);
  auto chosen = TRY(gap::GroupSelection::create({.epsilon = selection.epsilon / shares,
                                                 .delta = selection.delta / shares,
                                                 .strategy = selection.strategy,
                                                 .groups_per_unit = together ? groups.get_si() : 1,
                                                 .min_units = selection.min_units}));
  return GroupChooser(How(std::move(chosen)));
}

double GroupChooser::keep_probability(std::int64_t units) const {
  if (const auto* own = std::get_if<gap::GroupSelection>(&how_))
    return own->keep_probability(units, kBits).middle();
  return std::get<gap::TruncatedHistogram>(how_).cutoff().keep(units, kBits).middle();
}

Result<std::int64_t> GroupChooser::units_for(const Rational& probability) const {
  if (const auto* own = std::get_if<gap::GroupSelection>(&how_)) return own->units_for(probability);
  return std::get<gap::TruncatedHistogram>(how_).cutoff().units_for(probability);
}

std::optional<std::int64_t> GroupChooser::threshold() const {
  const auto* histogram = std::get_if<gap::TruncatedHistogram>(&how_);
  return histogram ? std::optional(histogram->threshold()) : std::nullopt;
}

Result<std::vector<GroupChooser::Shown>> GroupChooser::release(
    const mechanism::Exact<std::vector<std::string>>& keys,
    const mechanism::Exact<std::vector<std::int64_t>>& units, random::Source& source) const {
  std::vector<Shown> out;
  if (const auto* own = std::get_if<gap::GroupSelection>(&how_)) {
    const auto chosen = TRY(own->release(keys, units, source));
    for (const auto& [place, key] : chosen.value()) out.push_back({place, key, {}});
    return out;
  }
  const auto& histogram = std::get<gap::TruncatedHistogram>(how_);
  const auto chosen = TRY(histogram.release(keys, units, source));
  for (const auto& one : chosen.value()) out.push_back({one.place, one.key, one.units});
  return out;
}

std::string_view name_of(const Selection& selection) {
  return selection.by ? "truncated histogram" : gap::name_of(selection.strategy);
}

// n is possible where both tails of what n would show, given that it is shown, are at least beta/2:
// P[n + Z ≥ v | n + Z ≥ t] and P[n + Z ≤ v | n + Z ≥ t], Z discrete Laplace.
std::pair<double, double> shown_interval(std::int64_t released, std::int64_t threshold,
                                         double scale, double beta) {
  const double alpha = std::exp(-1 / scale);
  const auto at_least = [&](double m) {  // P[Z ≥ m]
    return m >= 1 ? std::pow(alpha, m) / (1 + alpha) : 1 - std::pow(alpha, 1 - m) / (1 + alpha);
  };
  const auto v = static_cast<double>(released), t = static_cast<double>(threshold);
  const auto above = [&](double n) { return at_least(v - n) / at_least(t - n); };
  const auto below = [&](double n) {
    return 1 - (n < t ? std::pow(alpha, v + 1 - t) : at_least(v + 1 - n) / at_least(t - n));
  };
  // The first n in (low, high] for which it holds, where it holds at high and is monotone.
  const auto first = [](double low, double high, auto&& holds) {
    while (high - low > 1) {
      const double middle = std::floor((low + high) / 2);
      (holds(middle) ? high : low) = middle;
    }
    return high;
  };
  // Below the threshold the upper tail is α^(v−t), whatever n is.
  double low = 1;
  if (std::pow(alpha, v - t) < beta / 2)
    low = first(t - 1, v, [&](double n) { return above(n) >= beta / 2; });
  const double far = v + std::ceil(scale * (std::log(2 / beta) + 2)) + 1;
  const double high = first(v, far, [&](double n) { return below(n) < beta / 2; }) - 1;
  return {low, std::max(high, v)};
}

}  // namespace discreet::plan
