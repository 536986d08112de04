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
  std::vector<std::int64_t> noise(all.size());
  TRY(cutoff_.noise().fill(source, noise));
  Bins shown;
  auto z = noise.begin();
  for (const auto& [name, units] : all) {
    const std::int64_t noisy = saturating_add(units, *z++);
    if (units >= 1 && noisy >= threshold()) shown.emplace(name, noisy);
  }
  const Rational error(accuracy(1 - kConfidence));
  return Released<Bins>(std::move(shown), guarantee(), Margin{error, kConfidence});
}

Integer TruncatedHistogram::accuracy(const Rational& beta, std::uint64_t bins) const {
  return cutoff_.noise().quantile(beta, bins);
}

double TruncatedHistogram::all_shown_from(double t, std::uint64_t bins) const {
  const double scale = to_double(cutoff_.noise().scale(), Rounding::kUp);
  return static_cast<double>(threshold()) + (std::log(static_cast<double>(bins)) + t) * scale;
}

}  // namespace discreet::mechanism::gap
