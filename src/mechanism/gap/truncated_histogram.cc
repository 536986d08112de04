#include "discreet/mechanism/gap/truncated_histogram.h"

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/gap/changed_groups.h"

namespace discreet::mechanism::gap {

Result<TruncatedHistogram> TruncatedHistogram::create(
    const TruncatedHistogramParameters& parameters) {
  TRY(check_epsilon(parameters.epsilon));
  TRY(check_delta(parameters.delta));
  const Rational changed =
      TRY(changed_groups("bins-per-unit", parameters.bins_per_unit, parameters.relation));
  const Rational scale = TRY(drawable_scale(changed / parameters.epsilon));
  NoisePointer noise = TRY(discrete_laplace(scale));
  Cutoff cutoff = TRY(Cutoff::create(std::move(noise), parameters.delta / changed));
  return TruncatedHistogram(parameters, std::move(cutoff));
}

Result<Released<TruncatedHistogram::Bins>> TruncatedHistogram::release(
    const Exact<Bins>& bins, random::Source& source) const {
  const Bins& all = open(bins);
  std::vector<std::int64_t> units;
  for (const auto& [name, count] : all) units.push_back(count);
  const auto noisy = TRY(shown(units, source));
  Bins out;
  auto number = noisy.begin();
  for (const auto& [name, count] : all)
    if (const auto& one = *number++) out.emplace(name, *one);
  const Rational error(accuracy(1 - kConfidence));
  return Released<Bins>(std::move(out), guarantee(), Margin{error, kConfidence});
}

Result<std::vector<std::optional<std::int64_t>>> TruncatedHistogram::shown(
    std::span<const std::int64_t> units, random::Source& source) const {
  std::vector<std::int64_t> noise(units.size());
  TRY(cutoff_.noise().fill(source, noise));
  std::vector<std::optional<std::int64_t>> out(units.size());
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::int64_t noisy = saturating_add(units[i], noise[i]);
    if (units[i] >= 1 && noisy >= threshold()) out[i] = noisy;
  }
  return out;
}

Integer TruncatedHistogram::accuracy(const Rational& beta, std::uint64_t bins) const {
  return cutoff_.noise().quantile(beta, bins);
}

double TruncatedHistogram::all_shown_from(double t, std::uint64_t bins) const {
  const double scale = to_double(cutoff_.noise().scale(), Rounding::kUp);
  return static_cast<double>(threshold()) + (std::log(static_cast<double>(bins)) + t) * scale;
}

}  // namespace discreet::mechanism::gap
