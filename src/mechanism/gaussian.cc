#include "discreet/mechanism/gaussian.h"

#include <cmath>

#include "discreet/base/try.h"
#include "discreet/mechanism/checks.h"
#include "discreet/mechanism/discrete_gaussian.h"
#include "discreet/privacy/gaussian.h"

namespace discreet::mechanism {
namespace {

constexpr long kBits = 128;

// Exactly two of ε, δ and σ, each in its range.
template <class Parameters>
Status check(std::string_view name, const Parameters& p, bool scale_given) {
  TRY(check_sensitivity(p.sensitivity));
  if (p.epsilon && sgn(*p.epsilon) < 0) return check_epsilon(*p.epsilon);
  if (p.epsilon && !scale_given) {
    TRY(check_epsilon(*p.epsilon));
  }
  if (p.delta) {
    TRY(check_delta(*p.delta));
  }
  if (int(p.epsilon.has_value()) + int(p.delta.has_value()) + int(scale_given) != 2) {
    return fail(Code::kUsage,
                std::string(name) + ": accepted are exactly two of epsilon, delta and sigma",
                "the third follows from the other two");
  }
  return {};
}

Rational above(const Ball& value) { return Rational(value.upper()); }

// The least ε ≥ 0 with δ(ε) ≤ delta, rounded up by less than 2^-40 of itself; δ decreases in ε and
// reaches 0 in the limit.
template <class Delta>
Rational least_epsilon(const Delta& delta_at, const Rational& delta) {
  const auto holds = [&](const Rational& epsilon) {
    return surely_at_most(delta_at(epsilon), Ball(delta, kBits));
  };
  if (holds(0)) return 0;
  Rational low = 0, high = Rational(1, 1024);
  while (!holds(high)) {
    low = high;
    high *= 2;
  }
  while ((high - low) * (Integer(1) << 40) > high) {
    const Rational middle = (low + high) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return high;
}

Result<Grid> grid_for(const std::optional<Rational>& step, const Rational& sensitivity,
                      const Rational& sigma) {
  return step ? Grid::create(*step) : Grid::suited_to(sensitivity, sigma);
}

}  // namespace

Result<Additive> gaussian(const GaussianParameters& p) {
  TRY(check("gaussian", p, p.sigma.has_value()));
  TRY(check_cells(p.cells));
  if (p.sigma && sgn(*p.sigma) <= 0)
    return bad_parameter("sigma",
                         "found " + to_decimal(*p.sigma) + "; accepted is a number above 0");
  auto rough = TRY(p.sigma ? Result<Rational>(*p.sigma)
                           : privacy::gaussian_sigma(*p.epsilon, *p.delta, p.sensitivity));
  auto grid = TRY(grid_for(p.grid, p.sensitivity, rough));
  const Rational steps =
      p.on_grid ? p.sensitivity / grid.step() : grid.sensitivity_l2(p.sensitivity, p.cells);

  auto wanted = TRY(p.sigma ? Result<Rational>(*p.sigma / grid.step())
                            : privacy::gaussian_sigma(*p.epsilon, *p.delta, steps));
  auto sigma = TRY(drawable_scale(wanted));
  privacy::Guarantee guarantee{p.epsilon.value_or(0), p.delta.value_or(0), p.relation};
  const auto delta_at = [&](const Rational& epsilon) {
    return privacy::gaussian_delta(epsilon, sigma, steps, kBits);
  };
  if (!p.delta) guarantee.delta = above(delta_at(*p.epsilon));
  if (!p.epsilon) guarantee.epsilon = least_epsilon(delta_at, *p.delta);
  NoisePointer noise = TRY(rounded_gaussian(sigma));
  const privacy::Event event = noise->event(steps);
  return Additive({.grid = grid,
                   .noise = std::move(noise),
                   .guarantee = guarantee,
                   .cells = p.cells,
                   .on_grid = p.on_grid,
                   .range = {},
                   .event = event});
}

Result<Additive> discrete_gaussian(const DiscreteGaussianParameters& p) {
  if (p.sigma && p.rho)
    return fail(Code::kUsage,
                "discrete-gaussian: found both sigma and rho; accepted is one of them",
                "sigma = sensitivity/√(2 rho)");
  const bool scale_given = p.sigma || p.rho;
  TRY(check("discrete-gaussian", p, scale_given));
  if ((p.sigma && sgn(*p.sigma) <= 0) || (p.rho && sgn(*p.rho) <= 0)) {
    const Rational found = p.sigma ? *p.sigma : *p.rho;
    return bad_parameter(p.sigma ? "sigma" : "rho",
                         "found " + to_decimal(found) + "; accepted is a number above 0");
  }
  std::optional<Rational> given = p.sigma;
  if (p.rho) given = p.sensitivity * sqrt_above(1 / (2 * *p.rho));
  auto rough = TRY(given ? Result<Rational>(*given)
                         : privacy::gaussian_sigma(*p.epsilon, *p.delta, p.sensitivity));
  auto grid = TRY(grid_for(p.grid, p.sensitivity, rough));
  const Integer steps =
      p.on_grid ? grid.sensitivity_on_grid(p.sensitivity) : grid.sensitivity(p.sensitivity);

  // ρ is promised for the grid, where rounding may have added to the sensitivity.
  if (p.rho) given = Rational(steps) * sqrt_above(1 / (2 * *p.rho)) * grid.step();
  auto wanted = TRY(given ? Result<Rational>(*given / grid.step())
                          : discrete_gaussian_sigma(*p.epsilon, *p.delta, steps));
  auto sigma = TRY(drawable_scale(wanted));
  privacy::Guarantee guarantee{p.epsilon.value_or(0), p.delta.value_or(0), p.relation};
  const auto delta_at = [&](const Rational& epsilon) {
    return discrete_gaussian_delta(epsilon, sigma, steps, kBits);
  };
  if (!p.delta) guarantee.delta = above(delta_at(*p.epsilon));
  if (!p.epsilon) guarantee.epsilon = least_epsilon(delta_at, *p.delta);
  NoisePointer noise = TRY(discrete_gaussian_noise(sigma));
  const privacy::Event event = noise->event(Rational(steps));
  return Additive({.grid = grid,
                   .noise = std::move(noise),
                   .guarantee = guarantee,
                   .cells = 1,
                   .on_grid = p.on_grid,
                   .range = {},
                   .event = event});
}

double deck_gaussian_bound(const Rational& sigma, std::uint64_t cells, const Rational& beta) {
  const Rational ratio = Rational(Integer(static_cast<unsigned long>(cells))) / beta;
  const Ball root = sqrt(mul(Ball(2), log(Ball(ratio, kBits), kBits), kBits), kBits);
  const Ball bound = mul(Ball(sigma, kBits), root, kBits);
  return bound.middle();
}

}  // namespace discreet::mechanism
