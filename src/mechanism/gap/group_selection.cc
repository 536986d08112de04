#include "discreet/mechanism/gap/group_selection.h"

#include <fmt/format.h>

#include "discreet/base/quote.h"
#include "discreet/base/try.h"
#include "discreet/mechanism/additive.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/gap/changed_groups.h"
#include "discreet/privacy/gaussian.h"
#include "discreet/random/bernoulli.h"

namespace discreet::mechanism::gap {
namespace {

// √c, rounded up to 64 binary places.
Rational root_above(const Rational& c) {
  constexpr long kPlaces = 64;
  const Integer scaled = sqrt(Ball(c, 256), 256).ceil_shifted(kPlaces);
  Rational out(scaled, Integer(1) << kPlaces);
  out.canonicalize();
  return out;
}

Result<Cutoff> laplace_cutoff(const GroupSelectionParameters& p, const Rational& changed) {
  const Rational scale = TRY(drawable_scale(changed / p.epsilon));
  NoisePointer noise = TRY(discrete_laplace(scale));
  return Cutoff::create(std::move(noise), p.delta / changed);
}

// σ from the ℓ2 sensitivity √c at (ε, δ/2); the other half of δ is for what appears.
Result<Cutoff> gaussian_cutoff(const GroupSelectionParameters& p, const Rational& changed) {
  const Rational half = p.delta / 2;
  const Rational least = TRY(privacy::gaussian_sigma(p.epsilon, half, root_above(changed)));
  const Rational sigma = TRY(drawable_scale(least));
  NoisePointer noise = TRY(rounded_gaussian(sigma));
  return Cutoff::create(std::move(noise), half / changed);
}

}  // namespace

std::string_view name_of(SelectionStrategy strategy) {
  return kSelectionStrategies[static_cast<std::size_t>(strategy)];
}

Result<SelectionStrategy> strategy_named(std::string_view name) {
  for (const SelectionStrategy strategy :
       {SelectionStrategy::kOptimal, SelectionStrategy::kLaplace, SelectionStrategy::kGaussian})
    if (name == name_of(strategy)) return strategy;
  return bad_parameter(
      "strategy", fmt::format("found {}; accepted is optimal, laplace or gaussian", quote(name)));
}

Result<GroupSelection> GroupSelection::create(const GroupSelectionParameters& p) {
  TRY(check_epsilon(p.epsilon));
  TRY(check_delta(p.delta));
  if (p.min_units < 1)
    return bad_parameter("min-units", fmt::format("found {}; accepted is a whole number of at "
                                                  "least 1",
                                                  p.min_units));
  const Rational changed = TRY(changed_groups("groups-per-unit", p.groups_per_unit, p.relation));
  switch (p.strategy) {
    case SelectionStrategy::kOptimal: {
      PartitionSelection optimal = TRY(
          PartitionSelection::create({.epsilon = p.epsilon / changed, .delta = p.delta / changed}));
      return GroupSelection(p, std::move(optimal), {});
    }
    case SelectionStrategy::kLaplace:
      return GroupSelection(p, {}, TRY(laplace_cutoff(p, changed)));
    case SelectionStrategy::kGaussian:
      return GroupSelection(p, {}, TRY(gaussian_cutoff(p, changed)));
  }
  return bad_parameter("strategy", "accepted is optimal, laplace or gaussian");
}

std::int64_t GroupSelection::counted(std::int64_t units) const {
  return saturating_add(units, 1 - p_.min_units);
}

Ball GroupSelection::keep_probability(std::int64_t units, long bits) const {
  const std::int64_t n = counted(units);
  return optimal_ ? Ball(optimal_->probability(n), bits) : cutoff_->keep(n, bits);
}

std::optional<std::int64_t> GroupSelection::threshold() const {
  if (!cutoff_) return {};
  return cutoff_->threshold() + p_.min_units - 1;
}

std::optional<Rational> GroupSelection::noise_scale() const {
  if (!cutoff_) return {};
  return cutoff_->noise().scale();
}

Result<std::int64_t> GroupSelection::units_for(const Rational& probability) const {
  if (sgn(probability) <= 0 || probability >= 1)
    return bad_parameter("probability", fmt::format("found {}; accepted is above 0 and below 1",
                                                    to_decimal(probability)));
  const std::int64_t n =
      optimal_ ? optimal_->units_for(probability) : TRY(cutoff_->units_for(probability));
  return n + p_.min_units - 1;
}

Result<std::vector<bool>> GroupSelection::kept(std::span<const std::int64_t> units,
                                               random::Source& source) const {
  std::vector<bool> out(units.size());
  if (optimal_) {
    for (std::size_t i = 0; i < units.size(); ++i)
      out[i] = TRY(random::bernoulli(source, optimal_->probability(counted(units[i]))));
    return out;
  }
  std::vector<std::int64_t> noise(units.size());
  TRY(cutoff_->noise().fill(source, noise));
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::int64_t n = counted(units[i]);
    out[i] = (n >= 1) & (saturating_add(n, noise[i]) >= cutoff_->threshold());
  }
  return out;
}

}  // namespace discreet::mechanism::gap
